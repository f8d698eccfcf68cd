"""The delivery log: the requests to webhooks and integrations, and what their receivers answered.

A delivery is logged when the change that caused it is committed. A server then sends it: see
`fakeplat.http.outgoing_sender`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from threading import Condition
from typing import Any, Final, Literal, Protocol, TypedDict, Unpack, get_args, overload

import orjson
from attrs import field, mutable

from fakeplat.core.operations.http_messages import HeaderMapping
from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.hooks.events import TRIGGERS
from fakeplat.domain.outbound_urls import mask_credentials
from fakeplat.model.outgoing import LoggedRequest, OutgoingRequest
from fakeplat.workbench.bounded_log import MEGABYTE, BoundedLog
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.receiver_urls import describe_unsendable_url, is_on_this_machine
from fakeplat.workbench.threads import run_in_thread

State = Literal["pending", "delivered", "failed", "held_back"]
STATES: Final = get_args(State)
_SUFFIX: Final = "_hooks"

_MAX_BODY: Final = 25 * MEGABYTE
_TOO_LARGE: Final = "Gitlab::Json::LimitedEncoder::LimitExceeded"
_NOT_SERVED: Final = "the world is not served, so nothing is sent"
_NO_EGRESS: Final = "nothing is sent to other machines; --allow-egress allows it"
# An estimate, in bytes, of the objects of a delivery without its texts and bodies.
_DELIVERY_SIZE: Final = 2_000


@frozen
class DeliveryResult:
    """How a delivery ended. ``error`` is the platform's text of a failure, ``duration`` in seconds."""

    state: State
    error: str | None = None
    status: int | None = None
    response_headers: Mapping[str, str] = field(factory=dict)
    response_body: str = ""
    duration: float | None = None


_PENDING: Final = DeliveryResult("pending")


@mutable(eq=False)
class Delivery:
    """A request to a webhook or an integration, and its result.

    ``request`` is what the platform handed over, ``time`` the world's time (ISO 8601). ``attempt`` counts the
    deliveries of the same request, from 1.
    """

    id: int
    request: OutgoingRequest
    time: str
    attempt: int = 1
    result: DeliveryResult = _PENDING

    @property
    def receiver(self) -> tuple[str, int]:
        """The kind and the id of the receiver's record, such as ``("hook", 7)``."""
        return self.request.receiver

    @property
    def trigger(self) -> str:
        """The event, such as ``push_hooks``."""
        return self.request.trigger

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.request.method

    @property
    def url(self) -> str:
        """The URL, with its user and password masked."""
        return mask_credentials(self.request.url)

    @property
    def headers(self) -> HeaderMapping:
        """The headers of the request."""
        return HeaderMapping(self.request.headers.items())

    @property
    def body(self) -> bytes:
        """The body of the request."""
        return self.request.body

    @property
    def json(self) -> Any:
        """The body of the request as JSON; None if it is not JSON."""
        try:
            return orjson.loads(self.request.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def state(self) -> State:
        """``pending``, ``delivered`` (answered with any status), ``failed``, or ``held_back``."""
        return self.result.state

    @property
    def error(self) -> str | None:
        """Why the delivery failed, in the platform's words, or why it was held back."""
        return self.result.error

    @property
    def status(self) -> int | None:
        """The status of the response; None without one."""
        return self.result.status

    @property
    def response_headers(self) -> HeaderMapping:
        """The headers of the response."""
        return HeaderMapping(self.result.response_headers.items())

    @property
    def response_body(self) -> str:
        """The beginning of the response's body, at most 1 MB, without bytes that are not UTF-8."""
        return self.result.response_body

    @property
    def duration(self) -> float | None:
        """The duration in seconds of real time; None if nothing was sent."""
        return self.result.duration

    def as_logged(self) -> LoggedRequest:
        """Return the delivery as the platform logs it."""
        result = self.result
        return LoggedRequest(
            self.id,
            self.request,
            self.time,
            result.status,
            result.response_headers,
            result.response_body,
            result.duration or 0.0,
            result.error,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        kind, id_ = self.receiver
        fields = {name: getattr(self, name) for name in _FIELDS}
        return fields | {"receiver": {"kind": kind, "id": id_}, "body": self.body.decode("utf-8", "replace")}

    def __repr__(self) -> str:
        attempt = f" (attempt {self.attempt})" if self.attempt > 1 else ""
        why = f": {self.error}" if self.error else ""
        outcome = self.status or self.state.replace("_", " ")
        return f"{outcome} {self.trigger} to {self.url}{attempt}{why}"


_FIELDS: Final = (
    "id",
    "receiver",
    "trigger",
    "method",
    "url",
    "headers",
    "body",
    "json",
    "state",
    "error",
    "status",
    "response_headers",
    "response_body",
    "duration",
    "attempt",
    "time",
)


class DeliveryFilter(TypedDict, total=False):
    """Criteria as keyword arguments."""

    trigger: str
    receiver: str | tuple[str, int]
    url: str
    state: str
    status: int | str


@frozen
class DeliveryCriteria:
    """Criteria for deliveries; all that are set must match.

    ``trigger`` is an event, with or without its ending ``_hooks``. ``receiver`` is a kind (``hook``), or a kind with an
    id (``("hook", 7)`` or ``hook:7``). ``url`` is a part of the URL.
    """

    trigger: str | None = None
    receiver: str | tuple[str, int] | None = None
    url: str | None = None
    state: str | None = None
    status: int | str | None = None

    @classmethod
    def from_filters(cls, filters: DeliveryFilter) -> "DeliveryCriteria":
        """Create criteria from keywords; InvalidOption for an unknown key, trigger or state."""
        refuse_unknown(filters, [*DeliveryFilter.__optional_keys__], "deliveries")
        criteria = cls(**filters)
        _check_word("trigger", criteria.trigger and _full_trigger(criteria.trigger), TRIGGERS)
        _check_word("state", criteria.state, STATES)
        return criteria

    def matches(self, delivery: Delivery) -> bool:
        """Return whether a delivery meets the criteria."""
        return (
            (self.trigger is None or _full_trigger(self.trigger) == delivery.trigger)
            and (self.receiver is None or self.receiver in _receiver_names(delivery))
            and (self.url is None or self.url in delivery.url)
            and (self.state is None or self.state == delivery.state)
            and (self.status is None or str(self.status) == str(delivery.status))
        )


def _check_word(key: str, word: str | None, known: tuple[str, ...]) -> None:
    if word and word not in known:
        hint = did_you_mean(word, [*known]) or f"; use one of {', '.join(known)}"
        raise InvalidOption(f"{key}: there is no {key} {word!r}{hint}")


def _full_trigger(trigger: str) -> str:
    return trigger if trigger.endswith(_SUFFIX) else trigger + _SUFFIX


def _receiver_names(delivery: Delivery) -> tuple[object, ...]:
    kind, id_ = delivery.receiver
    return kind, (kind, id_), f"{kind}:{id_}"


class Transport(Protocol):
    """Something that sends deliveries."""

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call a function soon, on the transport's own thread. Called from any thread; returns at once."""

    def send(self, delivery: Delivery, finish: "Callable[[Delivery, DeliveryResult], None]") -> None:
        """Send a delivery, after those to the same receiver, and report its result. Returns at once."""


class NoSuchDelivery(LookupError):
    """There is no delivery with an id."""


def no_explanation(_trigger: str | None) -> str:
    """Return nothing: where there is no world that could say why a delivery is missing."""
    return ""


class Deliveries(BoundedLog[Delivery]):
    """The last deliveries of a world, oldest first. The methods filter them by `DeliveryFilter`, given as keywords.

    ``now`` returns the world's time; ``observers`` get each delivery that has ended. Without a ``transport``, and for
    other machines unless ``allows_egress``, deliveries are only logged. ``explain`` says why none of an event may have
    been made.
    """

    def __init__(
        self,
        now: Callable[[], int],
        transport: Transport | None = None,
        *,
        allows_egress: bool,
        explain: Callable[[str | None], str] = no_explanation,
    ) -> None:
        super().__init__(_size_of)
        self.transport = transport
        self.allows_egress = allows_egress
        self._now = now
        self.explain = explain
        self._last_id = 0
        self._handed_over: deque[tuple[OutgoingRequest, int]] = deque()
        self._changed = Condition()
        self.observers: list[Callable[[Delivery], None]] = []

    # Sending

    def hand_over(self, request: OutgoingRequest) -> None:
        """Take over a request, to log and to send it.

        The answer to a client waits for this, perhaps for a hundred receivers. So the work is done after the answer, or
        when somebody looks at the log.
        """
        self._handed_over.append((request, self._now()))
        if self.transport is None:
            self._log_new()
        elif len(self._handed_over) == 1:
            self.transport.call_soon(self._log_new)

    def _log_new(self) -> None:
        with self._changed:  # so that two threads keep the order
            while self._handed_over:
                self._send(*self._handed_over[0])
                self._handed_over.popleft()

    def _send(self, request: OutgoingRequest, time: int, attempt: int = 1) -> Delivery:
        """Log a request, and send it unless something prevents that."""
        self._last_id += 1
        delivery = Delivery(self._last_id, request, to_iso(time), attempt)
        self.add(delivery)
        obstacle = self._find_obstacle(request)
        if obstacle is not None:
            self.finish(delivery, obstacle)
        elif self.transport is not None:
            self.transport.send(delivery, self.finish)
        return delivery

    def _find_obstacle(self, request: OutgoingRequest) -> DeliveryResult | None:
        """Return why a request is not sent: first the platform's rules, then those of fakeplat."""
        error = request.blocked or describe_unsendable_url(request.url)
        if error:
            return DeliveryResult("failed", mask_credentials(error))
        if len(request.body) > _MAX_BODY:
            return DeliveryResult("failed", _TOO_LARGE)
        if not (self.allows_egress or is_on_this_machine(request.url)):
            return DeliveryResult("held_back", _NO_EGRESS)
        return DeliveryResult("held_back", _NOT_SERVED) if self.transport is None else None

    def finish(self, delivery: Delivery, result: DeliveryResult) -> None:
        """Record the result of a delivery, unless it has one already."""
        with self._changed:
            if delivery.state != "pending":
                return
            before, delivery.result = _size_of(delivery), result
            if self._items and self._items[0].id <= delivery.id:  # it has not been dropped meanwhile
                self.grow(_size_of(delivery) - before)
            self._changed.notify_all()
        for observer in [*self.observers]:
            observer(delivery)

    @contextmanager
    def listening(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call a function after each delivery that has ended, on the thread on which it ended."""

        def observe(_: Delivery) -> None:
            callback()

        self.observers.append(observe)
        try:
            yield
        finally:
            if observe in self.observers:  # they are cleared when the world is closed
                self.observers.remove(observe)

    def redeliver(self, id_: int) -> Delivery:
        """Send the request of a delivery again, as a new delivery; NoSuchDelivery for an unknown id."""
        original = next((delivery for delivery in self if delivery.id == id_), None)
        if original is None:
            raise NoSuchDelivery(f"no delivery {id_}")
        attempts = [delivery.attempt for delivery in self if delivery.request is original.request]
        with self._changed:
            return self._send(original.request, self._now(), max(attempts) + 1)

    def hold_back_pending(self, why: str) -> None:
        """Hold back the deliveries that have no result yet."""
        for delivery in self.find(state="pending"):
            self.finish(delivery, DeliveryResult("held_back", why))

    def clear(self) -> None:
        """Remove all deliveries from the log; those that are pending are still sent."""
        with self._changed:
            self._log_new()
            super().clear()

    # Asking

    @property
    def last_id(self) -> int:
        """The id of the last delivery; 0 if there was none."""
        self._log_new()
        return self._last_id

    def __len__(self) -> int:
        self._log_new()
        return super().__len__()

    def __iter__(self) -> Iterator[Delivery]:
        self._log_new()
        return super().__iter__()

    @overload
    def __getitem__(self, index: int) -> Delivery: ...

    @overload
    def __getitem__(self, index: slice) -> list[Delivery]: ...

    def __getitem__(self, index: int | slice) -> Delivery | list[Delivery]:
        self._log_new()
        return super().__getitem__(index)

    def find(self, **filters: Unpack[DeliveryFilter]) -> list[Delivery]:
        """Return the deliveries that match; InvalidOption for an unknown trigger or state."""
        criteria = DeliveryCriteria.from_filters(filters)
        return [delivery for delivery in self if criteria.matches(delivery)]

    def watch(self, first: int, **filters: Unpack[DeliveryFilter]) -> Callable[[], bool]:
        """Return a function that tells whether a matching delivery has ended, of those with ids greater than ``first``.

        Each call looks only at what was pending or not there at the last one, as there may be thousands of deliveries.
        """
        criteria, last = DeliveryCriteria.from_filters(filters), first
        unfinished: list[Delivery] = []

        def has_match() -> bool:
            nonlocal last, unfinished
            later = [*takewhile(lambda delivery: delivery.id > last, reversed([*self]))]
            last = later[0].id if later else last
            ended: list[Delivery] = []
            looked_at, unfinished = [*unfinished, *later], []
            for delivery in looked_at:
                (unfinished if delivery.state == "pending" else ended).append(delivery)
            return any(map(criteria.matches, ended))

        return has_match

    def list_made(self, receiver: tuple[str, int]) -> list[LoggedRequest]:
        """Return the deliveries to a receiver that have ended, as the platform logs them."""
        return [each.as_logged() for each in self if each.receiver == receiver and each.state != "pending"]

    def wait_for(
        self, trigger: str | None = None, /, *, nth: int = 1, timeout: float = 5.0, **filters: Unpack[DeliveryFilter]
    ) -> Delivery:
        """Wait for the nth matching delivery to end, and return it; AssertionError after ``timeout`` seconds.

        Deliveries made before the call count too. A delivery ends when it is answered, has failed, or is held back.
        """
        if trigger is not None:
            filters["trigger"] = trigger
        criteria = DeliveryCriteria.from_filters(filters)
        with self._changed:
            self._changed.wait_for(lambda: len(self._ended(criteria)) >= nth, timeout)
            matching = self._ended(criteria)
        if len(matching) >= nth:
            return matching[nth - 1]
        wanted = ", ".join(f"{key}={value!r}" for key, value in filters.items()) or "any"
        event = criteria.trigger and _full_trigger(criteria.trigger)
        hint = "" if self.find(**filters) else f"\n{self.explain(event)}".rstrip()
        raise AssertionError(f"after {timeout:g} s: {len(matching)} of {nth} deliveries ({wanted})\n{self!r}{hint}")

    def _ended(self, criteria: DeliveryCriteria) -> list[Delivery]:
        return [delivery for delivery in self if delivery.state != "pending" and criteria.matches(delivery)]

    async def until(
        self,
        trigger: str | None = None,
        /,
        *,
        nth: int = 1,
        timeout: float = 5.0,  # noqa: ASYNC109  # the same parameter as in wait_for
        **filters: Unpack[DeliveryFilter],
    ) -> Delivery:
        """Like `wait_for`, for asynchronous tests."""
        return await run_in_thread(partial(self.wait_for, trigger, nth=nth, timeout=timeout, **filters))

    def join(self, timeout: float = 5.0) -> None:
        """Wait until no delivery is pending; AssertionError after ``timeout`` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self.find(state="pending"), timeout):
                raise AssertionError(f"after {timeout:g} s, deliveries are pending\n{self!r}")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no deliveries"


def _size_of(delivery: Delivery) -> int:
    """Return the approximate size of a delivery in bytes."""
    headers = sum(map(len, delivery.result.response_headers.values()))
    return _DELIVERY_SIZE + len(delivery.request.body) + headers + len(delivery.result.response_body)
