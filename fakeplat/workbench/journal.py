"""The journal: the last requests with their responses and the reasons of refusals, and assertions on them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Condition
from typing import Final, Literal, Unpack, get_args

from attrs import evolve, field, validators

from fakeplat.core.operations.errors import reason_text
from fakeplat.core.operations.http_messages import ReceivedHeaders, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.model.world import World
from fakeplat.pipeline.rendering import Outcome
from fakeplat.platform import HandledRequest
from fakeplat.workbench.bounded_log import MAX_SIZE, BoundedLog
from fakeplat.workbench.criteria import Criteria, RequestFilter, count_in_order
from fakeplat.workbench.journal_entries import JournalEntry, collect_warnings
from fakeplat.workbench.operation_names import known_operation
from fakeplat.workbench.threads import run_in_thread

Bodies = Literal["all", "requests", "none"]
BODIES: Final = get_args(Bodies)
# An estimate, in bytes, of the objects of an entry without its texts and bodies.
_ENTRY_SIZE: Final = 1_500
_LARGE: Final = 10_000
_NO_ANSWER: Final = Outcome(0, ())
_NO_RESPONSE: Final = Response(0)


@frozen
class JournalLimits:
    """How much a journal stores: at most ``size`` bytes, and the ``bodies`` of all messages, of requests only, or none.

    A bundle needs all bodies. A long-running server stores those of requests, because warnings are derived from them.
    """

    size: int = MAX_SIZE
    bodies: Bodies = field(default="all", validator=validators.in_(BODIES))


class Journal:
    """The last requests of a world, oldest first. The methods filter them by `CommitFilter`, given as keywords.

    ``world`` returns the current records; they are needed to compare paths with ids to paths with full names.
    """

    def __init__(
        self,
        limits: JournalLimits = JournalLimits(),  # noqa: B008  # frozen
        world: Callable[[], World] | None = None,
    ) -> None:
        self.limits = limits
        self._world = world
        self._last = self._last_without_body = _NO_ANSWER
        self._log = BoundedLog(_estimate_size)
        self._new_request = Condition()
        self._waiters = 0
        self._callbacks: list[Callable[[], object]] = []
        self.times_cleared = 0

    def observe(self, entry: HandledRequest, _exchange: object) -> None:
        """Record a request, and drop the oldest ones that are over the limits."""
        bodies = self.limits.bodies
        # A refusal keeps the parsed body alive, which takes many times its size; the text of the reason is enough.
        if len(entry.request.body) > _LARGE:
            entry = entry._replace(answer=evolve(entry.answer, reason=reason_text(entry.answer.reason), refusal=None))
        if bodies == "none":
            entry = self._without_bodies(entry)
        elif bodies == "requests" and entry.response.body:
            entry = self._without_answer(entry)
        size = _estimate_size(entry)
        # A single entry over the limit would displace the whole journal, and then itself.
        if size > self.limits.size:
            entry = self._without_bodies(entry)
            size = _estimate_size(entry)
        self._log.add(entry, self.limits.size, size)
        # Notifying takes a lock; most requests have nobody waiting for them.
        if self._waiters:
            with self._new_request:
                self._new_request.notify_all()
                for callback in self._callbacks:
                    callback()

    @contextmanager
    def listening(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call a function after each request, on the thread that handles the request."""
        with self._new_request:
            self._waiters += 1
            self._callbacks.append(callback)
        try:
            yield
        finally:
            with self._new_request:
                self._waiters -= 1
                self._callbacks.remove(callback)

    @property
    def last_number(self) -> int:
        """The number of the last request; 0 if there was none since the entries were removed."""
        return self._log[-1].number if len(self._log) else 0

    @property
    def dropped(self) -> int:
        """The number of requests that were dropped to stay within the limits."""
        return self._log.dropped

    def _without_answer(self, entry: HandledRequest) -> HandledRequest:
        """Drop the headers and the body of the response. Repeated responses share one outcome without a body."""
        answer = entry.answer
        if answer is not self._last:
            self._last, self._last_without_body = answer, answer.without_content()
        # Not by _replace(), which takes three times as long: every request comes here.
        number, request, _, status, took, at, _, started = entry
        return HandledRequest(number, request, self._last_without_body, status, took, at, _NO_RESPONSE, started)

    def _without_bodies(self, entry: HandledRequest) -> HandledRequest:
        request = entry.request
        return self._without_answer(entry._replace(request=evolve(request, body=b"") if request.body else request))

    def clear(self) -> None:
        """Remove all entries; those that follow are numbered from 1."""
        self._log.clear()
        self.times_cleared += 1

    def __eq__(self, other: object) -> bool:
        # So that `== []` says whether there is anything.
        return [*self] == other if isinstance(other, list) else self is other

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return len(self._log)

    def __iter__(self) -> Iterator[JournalEntry]:
        world = self._world() if self._world else None
        return iter([JournalEntry(entry, world) for entry in self._log])

    def since(self, number: int) -> list[JournalEntry]:
        """Return the entries with greater numbers."""
        entries = self._log.newest(lambda entry: entry.number > number)
        world = self._world() if entries and self._world else None
        return [JournalEntry(entry, world) for entry in entries]

    def part(self, first: int, last: int) -> list[JournalEntry]:
        """Return the entries from one index up to another."""
        world = self._world() if self._world else None
        return [JournalEntry(entry, world) for entry in self._log[first:last]]

    def __getitem__(self, index: int) -> JournalEntry:
        return JournalEntry(self._log[index], self._world() if self._world else None)

    @property
    def entries(self) -> list[HandledRequest]:
        """The stored requests as the platform handled them, with headers and bodies."""
        return [*self._log]

    def find(self, **filters: Unpack[RequestFilter]) -> list[JournalEntry]:
        """Return the requests that match; NoSuchOperation for an unknown operation."""
        criteria = Criteria.from_filters(filters)
        return [entry for entry in self if criteria.matches(entry)]

    def watch(self, first: int, **filters: Unpack[RequestFilter]) -> Callable[[], bool]:
        """Return a function that tells whether a request matches, of those whose numbers are greater than ``first``.

        Each call looks only at the requests since the last one, as there may be thousands, and many who wait.
        """
        criteria, times_cleared, last = Criteria.from_filters(filters), self.times_cleared, first

        def has_match() -> bool:
            nonlocal times_cleared, last
            if times_cleared != self.times_cleared:
                times_cleared, last = self.times_cleared, first
            later = self.since(last)
            last = later[-1].number if later else last
            return any(map(criteria.matches, later))

        return has_match

    def count(self, **filters: Unpack[RequestFilter]) -> int:
        """Return the number of requests that match."""
        return len(self.find(**filters))

    def one(self, **filters: Unpack[RequestFilter]) -> JournalEntry:
        """Return the only request that matches; AssertionError if there is none or more than one."""
        return self.assert_called(1, **filters)[0]

    def assert_called(self, count: int | None = None, /, **filters: Unpack[RequestFilter]) -> list[JournalEntry]:
        """Return the requests that match; AssertionError unless their number is ``count`` (None: at least one).

        The message of the error lists the requests that come closest.
        """
        matching = self.find(**filters)
        if len(matching) == count or (count is None and matching):
            return matching
        raise AssertionError(self._describe_mismatch(matching, count, Criteria.from_filters(filters)))

    def assert_not_called(self, **filters: Unpack[RequestFilter]) -> None:
        """Raise AssertionError if a request matches."""
        matching = self.find(**filters)
        if matching:
            raise AssertionError(self._describe_mismatch(matching, 0, Criteria.from_filters(filters)))

    def in_order(self, *operations: str) -> None:
        """Assert that the operations were called in this order, possibly with others between them."""
        for name in operations:
            known_operation(name)
        called = [entry.operation for entry in self]
        count = count_in_order(operations, called)
        if count < len(operations):
            after = f" after {', '.join(operations[:count])}" if count else ""
            actual = ", ".join(map(str, called)) or "none"
            raise AssertionError(f"no request {operations[count]}{after}; the requests were {actual}")

    def wait_for(
        self, count: int = 1, /, *, timeout: float = 5.0, **filters: Unpack[RequestFilter]
    ) -> list[JournalEntry]:
        """Wait for ``count`` matching requests and return them; AssertionError after ``timeout`` seconds.

        For clients on other threads or in other processes. Requests made before the call count too.
        """
        with self._new_request:
            self._waiters += 1
            try:
                self._new_request.wait_for(lambda: self.count(**filters) >= count, timeout)
            finally:
                self._waiters -= 1
        matching = self.find(**filters)
        if len(matching) < count:
            raise AssertionError(
                f"after {timeout:g} s {self._describe_mismatch(matching, count, Criteria.from_filters(filters))}"
            )
        return matching[:count]

    async def until(
        self,
        count: int = 1,
        /,
        *,
        timeout: float = 5.0,  # noqa: ASYNC109  # the same parameter as in wait_for
        **filters: Unpack[RequestFilter],
    ) -> list[JournalEntry]:
        """Like `wait_for`, for asynchronous tests."""
        return await run_in_thread(partial(self.wait_for, count, timeout=timeout, **filters))

    @property
    def warnings(self) -> list[str]:
        """Warnings for what clients should not have sent, without duplicates."""
        return collect_warnings(self)

    def _describe_mismatch(self, matching: list[JournalEntry], count: int | None, criteria: Criteria) -> str:
        if matching:
            return f"expected {count}, got {len(matching)} of {criteria}:\n" + "\n".join(
                f"  {entry!r}" for entry in matching
            )
        return f"no {criteria}{criteria.nearest(self)}"

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no requests"


def _estimate_size(entry: HandledRequest) -> int:
    """Return the approximate size of an entry in bytes."""
    request = entry.request
    texts = len(request.path) + len(request.query) + _headers_size(request.headers)
    return _ENTRY_SIZE + texts + len(request.body) + len(entry.response.body)


def _headers_size(headers: Mapping[str, str]) -> int:
    return headers.size if isinstance(headers, ReceivedHeaders) else sum(map(len, headers.values()))
