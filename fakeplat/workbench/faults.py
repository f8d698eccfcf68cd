"""Fault injection. A fault is declared in the same form in Python, in pytest options and over HTTP.

```python
fakeplat.faults.add(operation="create_issue", connection="lost_reply", nth=2)
fakeplat.faults.add(path="projects/*", status=503, chance=0.3)
```

A status, a timeout and a reset **replace** a success, and nothing is done; a request that is refused anyway gets its
own error. Latency, a truncated body, another content type and a lost reply apply to **any** response, and the request
takes effect.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, get_args

from attrs import asdict, evolve, field, fields, mutable

from fakeplat.core.operations.http_messages import Delivery, Headers, Loss, Request, Response
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, parse_duration
from fakeplat.model.world import World
from fakeplat.pipeline.rendering import Outcome
from fakeplat.platform import Platform
from fakeplat.workbench.fault_responses import FIRST_STATUS, LAST_STATUS, NO_ANSWER, InjectedRefusal, fault_response
from fakeplat.workbench.keywords import InvalidOption, UnknownName, refuse_unknown
from fakeplat.workbench.operation_names import NoSuchOperation, implemented_operation, matches_path

LOSSES: Final = get_args(Loss)
_REPLACING: Final = ("timeout", "reset")
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# The number of values of the four random bytes that are drawn.
_CHANCE_RANGE: Final = 1 << 32


@frozen
class Fault:
    """A declared fault.

    Where: ``operation``, or ``path`` (a glob, relative to the API unless it starts with ``/``), or every request; and
    ``method``.
    When: at the ``nth`` matching request (from 1), or with a ``chance`` (0 to 1, drawn from the world's seed) at each
    one, or always. ``times`` limits how often it applies. ``once`` means ``times=1``, as does ``nth``; with ``once``
    false, a fault with ``nth`` applies to the nth request and all later ones.
    What: one of ``status`` (429 and 503 with ``retry_after`` seconds; with a ``body`` of one's own, a text or JSON, and
    its ``content_type``), ``connection`` (timeout, reset, truncated, lost_reply) and ``content_type``; in addition or
    alone ``latency``, a duration (``2s``, or seconds) of real time.
    """

    operation: str | None = None
    path: str | None = None
    method: str | None = None
    nth: int | None = None
    chance: float | None = None
    once: bool | None = None
    times: int | None = None
    status: int | None = None
    body: Any = None
    retry_after: int | None = None
    connection: Loss | None = None
    content_type: str | None = None
    latency: str | float | None = None

    @property
    def what(self) -> str:
        """A description of what goes wrong."""
        kinds = {
            "status": self.status,
            "connection": self.connection,
            "content type": self.content_type,
            "latency": self.latency,
        }
        return ", ".join(f"{name} {value}" for name, value in kinds.items() if value is not None)

    @property
    def where(self) -> str:
        """A description of the requests that it applies to."""
        kinds = {"operation": self.operation, "path": self.path, "method": self.method}
        return ", ".join(f"{name} {value}" for name, value in kinds.items() if value is not None) or "any request"

    @property
    def instead(self) -> bool:
        """Whether it replaces a success, so that the request has no effect."""
        return self.status is not None or self.connection in _REPLACING

    @property
    def delay(self) -> float:
        """The latency in seconds."""
        return 0.0 if self.latency is None else parse_duration(self.latency) / SECOND

    @property
    def limit(self) -> int | None:
        """How often the fault applies; None: without a limit."""
        if self.times is not None:
            return self.times
        once = self.nth is not None if self.once is None else self.once
        return 1 if once else None

    def fits(self, request: Request, operation: str | None, world: World) -> bool:
        """Whether the fault applies to a request."""
        return (
            (self.operation is None or self.operation == operation)
            and (self.path is None or matches_path(self.path, request.path, world))
            and (self.method is None or self.method == request.method)
        )


class FaultKeywords(TypedDict, total=False):
    """The keys of a declaration; `Fault` describes them."""

    operation: str | None
    path: str | None
    method: str | None
    nth: int | None
    chance: float | None
    once: bool | None
    times: int | None
    status: int | None
    body: object
    retry_after: int | None
    connection: str | None
    content_type: str | None
    latency: str | float | None


KEYS: Final = tuple(key.name for key in fields(Fault))


def parse_fault(options: Mapping[str, object]) -> Fault:
    """Parse the declaration of a fault; InvalidOption describes what is wrong with it."""
    refuse_unknown(options, KEYS, "fault")
    declaration: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name, (kind, description) in _KINDS.items():  # in Python a bool is an int
        if name in declaration and (
            not isinstance(declaration[name], kind) or (isinstance(declaration[name], bool) and kind is not bool)
        ):
            raise InvalidOption(f"fault: {name} must be {description}, not {declaration[name]!r}")
    if isinstance(declaration.get("method"), str):
        declaration["method"] = declaration["method"].upper()
    fault = Fault(**declaration)
    for error in _find_errors(fault):
        raise InvalidOption(f"fault: {error}")
    return fault


_KINDS: Final[Mapping[str, tuple[Any, str]]] = {
    "operation": (str, "the name of an operation"),
    "path": (str, "a glob"),
    "method": (str, "an HTTP method"),
    "nth": (int, "a whole number"),
    "chance": (int | float, "a number between 0 and 1"),
    "once": (bool, "true or false"),
    "times": (int, "a whole number"),
    "status": (int, "a number"),
    "body": (str | Mapping | list, "a text, or JSON"),
    "retry_after": (int, "a number of seconds"),
    "connection": (str, f"one of {', '.join(LOSSES)}"),
    "content_type": (str, "a content type"),
    "latency": (str | int | float, "a duration such as 2s"),
}


def _find_errors(fault: Fault) -> Iterator[str]:
    yield from _find_errors_in_where(fault)
    if fault.nth is not None and (fault.nth < 1 or fault.chance is not None):
        yield "nth counts from 1 and cannot be combined with chance"
    if fault.chance is not None and not 0 <= fault.chance <= 1:
        yield f"chance must be between 0 and 1, not {fault.chance}"
    if fault.times is not None and (fault.times < 1 or fault.once is not None):
        yield "times is at least 1 and cannot be combined with once"
    kinds = [kind for kind in (fault.status, fault.connection) if kind is not None]
    if len(kinds) > 1 or (fault.connection and fault.content_type):
        yield "give only one of status and connection; content_type goes with a status, or stands alone"
    if not (kinds or fault.content_type is not None or fault.latency is not None):
        yield "give a status, a connection, a content_type or a latency"
    if fault.body is not None and fault.status is None:
        yield "body needs a status"
    yield from _find_errors_in_what(fault)


def _find_errors_in_where(fault: Fault) -> Iterator[str]:
    if fault.operation is not None:
        if fault.path is not None:
            yield "give either operation or path, not both"
        try:
            implemented_operation(fault.operation)
        except NoSuchOperation as unknown:
            yield str(unknown)
    if fault.method is not None and fault.method not in _METHODS:
        yield f"method must be one of {', '.join(_METHODS)}, not {fault.method!r}"


def _find_errors_in_what(fault: Fault) -> Iterator[str]:
    if fault.status is not None and not FIRST_STATUS <= fault.status <= LAST_STATUS:
        yield f"status must be between {FIRST_STATUS} and {LAST_STATUS}, not {fault.status}"
    if fault.retry_after is not None and (fault.status not in (429, 503) or fault.retry_after < 0):
        yield "retry_after is a number of seconds and needs status 429 or 503"
    if fault.connection is not None and fault.connection not in LOSSES:
        yield f"connection must be one of {', '.join(LOSSES)}, not {fault.connection!r}"
    if fault.content_type is not None and not (fault.content_type.isascii() and fault.content_type.isprintable()):
        yield "content_type must be printable ASCII"
    for name, value in (("latency", fault.latency), ("retry_after", fault.retry_after)):
        try:
            parse_duration(value or 0)
        except (ValueError, OverflowError) as error:
            yield f"{name}: {error}"


@mutable(eq=False)
class RegisteredFault:
    """A fault of a world. ``seen``: the number of matching requests; ``happened``: how often it was triggered."""

    id: int
    fault: Fault
    seen: int = 0
    happened: int = 0

    def strikes(self, seed: int) -> bool:
        """Count a matching request, and return whether the fault is triggered."""
        fault = self.fault
        self.seen += 1
        if fault.limit is not None and self.happened >= fault.limit:
            return False
        # Every request is numbered and drawn for by that number, so a seed always hits the same requests.
        return self.seen >= (fault.nth or 1) and self._is_drawn(seed)

    def _is_drawn(self, seed: int) -> bool:
        if self.fault.chance is None:
            return True
        # The fault's id and the number of the request select the bytes, so faults do not influence each other.
        drawn = int.from_bytes(random_bytes(seed, f"fault/{self.id}", self.seen, 4))
        return drawn < self.fault.chance * _CHANCE_RANGE

    def as_dict(self) -> dict[str, Any]:
        """Return the declaration and the counts as a dictionary for JSON."""
        declaration = {name: value for name, value in asdict(self.fault).items() if value is not None}
        return {"id": self.id, **declaration, "seen": self.seen, "happened": self.happened}

    def __repr__(self) -> str:
        return f"fault {self.id}: {self.fault.what}"


@mutable(eq=False)
class Faults:
    """The faults of a world in the order of their declaration; the first that is triggered applies.

    ``changed`` is called after every addition and removal; ``note`` is told what was added, removed or cleared.
    """

    platform: Platform
    changed: Callable[[], None]
    note: Callable[[str, Any], object] = lambda *_: None
    _registered: dict[int, RegisteredFault] = field(factory=dict)
    _last_id: int = 0

    def add(self, declaration: Mapping[str, object] | None = None, /, **keys: Unpack[FaultKeywords]) -> int:
        """Add a fault, declared by a mapping or by keywords, and return its id; InvalidOption if it is invalid."""
        fault = parse_fault({**(declaration or {}), **keys})
        with self.platform.lock:
            self._last_id += 1
            self._registered[self._last_id] = RegisteredFault(self._last_id, fault)
            self.changed()
            self.note("fault", {**(declaration or {}), **keys})
            return self._last_id

    def remove(self, id_: int) -> None:
        """Remove a fault; KeyError if there is none with that id."""
        with self.platform.lock:
            self.get(id_)
            del self._registered[id_]
            self.changed()
            self.note("remove_fault", id_)

    def clear(self) -> None:
        """Remove all faults."""
        with self.platform.lock:
            if self._registered:
                self.note("clear_faults", None)
            self._registered.clear()
            self.changed()

    def reset(self) -> None:
        """Remove all faults, and number the next ones from 1."""
        self.clear()
        self._last_id = 0

    def list(self) -> "list[RegisteredFault]":
        """Return all faults, including those that will not be triggered again."""
        with self.platform.lock:
            return [*self._registered.values()]

    def get(self, id_: int) -> RegisteredFault:
        """Return a fault by id; KeyError if there is none."""
        if id_ not in self._registered:
            raise UnknownName("fault", id_, self._registered)
        return self._registered[id_]

    def __len__(self) -> int:
        return len(self._registered)

    def striking(self, request: Request, operation: str | None) -> RegisteredFault | None:
        """Return the fault that is triggered by a request. Every matching fault counts the request."""
        world = self.platform.view
        matching = [
            registered for registered in self._registered.values() if registered.fault.fits(request, operation, world)
        ]
        # A list: strikes() has to count the request for the faults after the first triggered one as well.
        triggered = [registered for registered in matching if registered.strikes(world.setup.seed)]
        return triggered[0] if triggered else None

    def describe_unused(self) -> Sequence[str]:
        """Return a message for each fault that was never triggered, except for those with a chance."""
        idle = [
            registered
            for registered in self._registered.values()
            if not registered.happened and registered.fault.chance is None
        ]
        return [
            f"{registered!r} was never triggered: {registered.seen} requests matched {registered.fault.where}"
            for registered in idle
        ]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._registered.values())) or "no faults"


@mutable(eq=False)
class ActiveFault:
    """A fault applied to one request. ``struck``: it changed the response."""

    armed: RegisteredFault
    now: int
    struck: bool = False

    def replace_answer(self) -> None:
        """Refuse the request just before it is committed, if the fault replaces a success."""
        if self.armed.fault.instead:  # a refusal here discards the draft, so nothing is done
            raise InjectedRefusal(self._replacement())

    def alter_answer(self, answer: Outcome) -> Outcome:
        """Return the outcome with the fault applied."""
        fault, text = self.armed.fault, repr(self.armed)
        if fault.instead and not _is_success_or_injected(answer):
            return answer
        self.struck = True
        self.armed.happened += 1
        if not fault.instead:
            kind = fault.content_type
            return evolve(
                answer, fault=text, headers=answer.headers if kind is None else _with_content_type(answer.headers, kind)
            )
        response = self._replacement()
        return evolve(
            answer, status=response.status, headers=response.headers, body=response.body, etag="", reason="", fault=text
        )

    def set_delivery(self, response: Response) -> Response:
        """Return the response with the connection error and the latency of its delivery."""
        fault = self.armed.fault
        if not self.struck or not (fault.connection or fault.delay):
            return response
        return evolve(response, delivery=Delivery(fault.delay, fault.connection, repr(self.armed)))

    def _replacement(self) -> Response:
        fault = self.armed.fault
        if fault.status is None:
            return NO_ANSWER
        response = fault_response(fault.status, self.now, fault.retry_after, fault.body)
        kind = fault.content_type
        return response if kind is None else evolve(response, headers=_with_content_type(response.headers, kind))


def _is_success_or_injected(answer: Outcome) -> bool:
    return isinstance(answer.refusal, InjectedRefusal) or (answer.refusal is None and answer.status < 400)


def _with_content_type(headers: Headers, content_type: str) -> Headers:
    return (*(pair for pair in headers if pair[0] != "Content-Type"), ("Content-Type", content_type))
