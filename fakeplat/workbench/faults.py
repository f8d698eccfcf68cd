"""Faults: what goes wrong on request of the test author, who declares it in one shape everywhere.

```python
fakeplat.faults.add(operation="create_issue", connection="lost_reply", nth=2)
fakeplat.faults.add(path="projects/*", status=503, chance=0.3)
```

A status, a timeout and a reset come **instead** of a success, and nothing is done; a request that is refused anyway is
refused by its own error. Lateness, a truncated body, another content type and a lost reply come to **whatever** the
answer is, and what was asked for is done.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from attrs import asdict, evolve, field, fields, mutable

from fakeplat.core.operations.http_messages import Delivery, Headers, Loss, Request, Response
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, parse_duration
from fakeplat.model.world import World
from fakeplat.pipeline import Outcome
from fakeplat.platform import Platform
from fakeplat.workbench.fault_responses import NO_ANSWER, STATUSES, InjectedRefusal, fault_response
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.operation_names import NoSuchOperation, implemented_operation, on_path

LOSSES: Final = get_args(Loss)
_INSTEAD: Final = ("timeout", "reset")
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_CHANCES: Final = 1 << 32


@frozen
class Fault:
    """A declared fault.

    Where: ``operation``, or ``path`` (a glob, below the API unless it starts with ``/``), or all; and ``method``.
    When: at the ``nth`` request that fits (from 1), or with a ``chance`` (0 to 1, from the world's seed) at each, or
    always; ``once`` ends it after the first time, as ``nth`` does unless ``once`` is false: then it goes on from there.
    What: one of ``status`` (429 and 503 with ``retry_after`` seconds), ``connection`` (timeout, reset, truncated,
    lost_reply) and ``content_type``; besides or alone ``latency``, a span (``2s``, or seconds) of real time.
    """

    operation: str | None = None
    path: str | None = None
    method: str | None = None
    nth: int | None = None
    chance: float | None = None
    once: bool | None = None
    status: int | None = None
    retry_after: int | None = None
    connection: Loss | None = None
    content_type: str | None = None
    latency: str | float | None = None

    @property
    def what(self) -> str:
        """What goes wrong, in words."""
        kinds = {
            "status": self.status,
            "connection": self.connection,
            "content type": self.content_type,
            "latency": self.latency,
        }
        return ", ".join(f"{name} {value}" for name, value in kinds.items() if value is not None)

    @property
    def where(self) -> str:
        """The requests that it is for, in words."""
        kinds = {"operation": self.operation, "path": self.path, "method": self.method}
        return ", ".join(f"{name} {value}" for name, value in kinds.items() if value is not None) or "it"

    @property
    def instead(self) -> bool:
        """Whether it comes in the place of a success."""
        return self.status is not None or self.connection in _INSTEAD

    @property
    def delay(self) -> float:
        """The lateness in seconds."""
        return 0.0 if self.latency is None else parse_duration(self.latency) / SECOND

    def fits(self, request: Request, operation: str | None, world: World) -> bool:
        """Whether a request is one that this can happen to."""
        return (
            (self.operation is None or self.operation == operation)
            and (self.path is None or on_path(self.path, request.path, world))
            and (self.method is None or self.method == request.method)
        )


KEYS: Final = tuple(key.name for key in fields(Fault))


def parse_fault(given: Mapping[str, Any]) -> Fault:
    """The fault that a declaration means; UnusableOption says what is wrong with it."""
    refuse_unknown(given, KEYS, "fault")
    said = {name: value for name, value in given.items() if value is not None}
    for name, (kind, words) in _KINDS.items():
        if name in said and (not isinstance(said[name], kind) or (isinstance(said[name], bool) and kind is not bool)):
            raise InvalidOption(f"fault: {name} is {words}, not {said[name]!r}")
    if isinstance(said.get("method"), str):
        said["method"] = said["method"].upper()
    fault = Fault(**said)
    for wrong in _objections(fault):
        raise InvalidOption(f"fault: {wrong}")
    return fault


_KINDS: Final[Mapping[str, tuple[Any, str]]] = {
    "operation": (str, "the name of an operation"),
    "path": (str, "a glob"),
    "method": (str, "an HTTP method"),
    "nth": (int, "a whole number"),
    "chance": (int | float, "a number between 0 and 1"),
    "once": (bool, "true or false"),
    "status": (int, "a number"),
    "retry_after": (int, "a number of seconds"),
    "connection": (str, f"one of {', '.join(LOSSES)}"),
    "content_type": (str, "a content type"),
    "latency": (str | int | float, "a span such as 2s"),
}


def _objections(fault: Fault) -> Iterator[str]:
    yield from _objections_to_where(fault)
    if fault.nth is not None and (fault.nth < 1 or fault.chance is not None):
        yield "nth counts from 1, and excludes a chance"
    if fault.chance is not None and not 0 <= fault.chance <= 1:
        yield f"a chance is between 0 and 1, not {fault.chance}"
    kinds = [kind for kind in (fault.status, fault.connection, fault.content_type) if kind is not None]
    if len(kinds) > 1 or not (kinds or fault.latency is not None):
        yield "say one of status, connection and content_type, or a latency"
    yield from _objections_to_what(fault)


def _objections_to_where(fault: Fault) -> Iterator[str]:
    if fault.operation is not None:
        if fault.path is not None:
            yield "say either operation or path"
        try:
            implemented_operation(fault.operation)
        except NoSuchOperation as unknown:
            yield str(unknown)
    if fault.method is not None and fault.method not in _METHODS:
        yield f"method is one of {', '.join(_METHODS)}, not {fault.method!r}"


def _objections_to_what(fault: Fault) -> Iterator[str]:
    if fault.status is not None and fault.status not in STATUSES:
        yield f"status is one of {', '.join(map(str, STATUSES))}, not {fault.status}"
    if fault.retry_after is not None and (fault.status not in (429, 503) or fault.retry_after < 0):
        yield "retry_after is a number of seconds beside status 429 or 503"
    if fault.connection is not None and fault.connection not in LOSSES:
        yield f"connection is one of {', '.join(LOSSES)}, not {fault.connection!r}"
    if fault.content_type is not None and not (fault.content_type.isascii() and fault.content_type.isprintable()):
        yield "content_type is printable ASCII"
    for name, value in (("latency", fault.latency), ("retry_after", fault.retry_after)):
        try:
            parse_duration(value or 0)
        except (ValueError, OverflowError) as error:
            yield f"{name}: {error}"


@mutable(eq=False)
class RegisteredFault:
    """A fault of a world. ``seen``: the requests that fitted; ``happened``: how often it did."""

    id: int
    fault: Fault
    seen: int = 0
    happened: int = 0

    def strikes(self, seed: int) -> bool:
        """Count one more request that fits, and tell whether it is hit."""
        fault = self.fault
        self.seen += 1
        once = fault.nth is not None if fault.once is None else fault.once
        if once and self.happened:
            return False
        return self.seen >= (fault.nth or 1) and self._by_chance(seed)

    def _by_chance(self, seed: int) -> bool:
        if self.fault.chance is None:
            return True
        drawn = int.from_bytes(random_bytes(seed, f"fault/{self.id}", self.seen, 4))
        return drawn < self.fault.chance * _CHANCES

    def as_dict(self) -> dict[str, Any]:
        """What was declared and what came of it, for JSON."""
        said = {name: value for name, value in asdict(self.fault).items() if value is not None}
        return {"id": self.id, **said, "seen": self.seen, "happened": self.happened}

    def __repr__(self) -> str:
        return f"fault {self.id}: {self.fault.what}"


@mutable(eq=False)
class Faults:
    """The faults of a world, in the order in which they were declared; the first that strikes is the one.

    ``changed`` is called when there are more or fewer.
    """

    platform: Platform
    changed: Callable[[], None]
    _armed: dict[int, RegisteredFault] = field(factory=dict)
    _last: int = 0

    def add(self, declaration: Mapping[str, Any] | None = None, /, **keys: Any) -> int:
        """Declare a fault, by a mapping or by keywords; gives its id. UnusableOption if it cannot be."""
        fault = parse_fault({**(declaration or {}), **keys})
        with self.platform.lock:
            self._last += 1
            self._armed[self._last] = RegisteredFault(self._last, fault)
            self.changed()
            return self._last

    def remove(self, id_: int) -> None:
        """Take one away; KeyError if there is none."""
        with self.platform.lock:
            del self._armed[id_]
            self.changed()

    def clear(self) -> None:
        """Take all away."""
        with self.platform.lock:
            self._armed.clear()
            self.changed()

    def list(self) -> "list[RegisteredFault]":
        """All of them, spent ones included."""
        with self.platform.lock:
            return [*self._armed.values()]

    def get(self, id_: int) -> RegisteredFault:
        """One of them; KeyError if there is none."""
        return self._armed[id_]

    def __len__(self) -> int:
        return len(self._armed)

    def striking(self, request: Request, operation: str | None) -> RegisteredFault | None:
        """The fault that strikes a request. Every one that fits counts it."""
        world = self.platform.view
        fitting = [armed for armed in self._armed.values() if armed.fault.fits(request, operation, world)]
        hit = [armed for armed in fitting if armed.strikes(world.setup.seed)]
        return hit[0] if hit else None

    def never_struck(self) -> Sequence[str]:
        """What to tell of the faults that no request met, those of chance apart."""
        idle = [armed for armed in self._armed.values() if not armed.happened and armed.fault.chance is None]
        return [f"{armed!r} never struck: {armed.seen} requests fitted {armed.fault.where}" for armed in idle]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._armed.values())) or "no faults"


@mutable(eq=False)
class ActiveFault:
    """A fault at work on one request. ``struck``: it made a difference."""

    armed: RegisteredFault
    now: int
    struck: bool = False

    def replace_answer(self) -> None:
        """Refuse what is about to be committed, where the fault comes instead of it."""
        if self.armed.fault.instead:
            raise InjectedRefusal(self._instead())

    def alter(self, answer: Outcome) -> Outcome:
        """The answer as the fault leaves it."""
        fault, text = self.armed.fault, repr(self.armed)
        if fault.instead and not _succeeds_or_is_ours(answer):
            return answer
        self.struck = True
        self.armed.happened += 1
        if not fault.instead:
            kind = fault.content_type
            return answer._replace(fault=text, headers=answer.headers if kind is None else _typed(answer.headers, kind))
        response = self._instead()
        return answer._replace(
            status=response.status, headers=response.headers, body=response.body, etag="", reason="", fault=text
        )

    def delivered(self, response: Response) -> Response:
        """The response with the way that it takes."""
        fault = self.armed.fault
        if not self.struck or not (fault.connection or fault.delay):
            return response
        return evolve(response, delivery=Delivery(fault.delay, fault.connection, repr(self.armed)))

    def _instead(self) -> Response:
        fault = self.armed.fault
        return NO_ANSWER if fault.status is None else fault_response(fault.status, self.now, fault.retry_after)


def _succeeds_or_is_ours(answer: Outcome) -> bool:
    return isinstance(answer.refusal, InjectedRefusal) or (answer.refusal is None and answer.status < 400)


def _typed(headers: Headers, content_type: str) -> Headers:
    return (*(pair for pair in headers if pair[0] != "Content-Type"), ("Content-Type", content_type))
