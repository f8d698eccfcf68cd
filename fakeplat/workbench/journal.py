"""The journal: the last requests, what they met, and why; and what a test asserts of them."""

from asyncio import to_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from re import compile as pattern
from threading import Condition
from typing import Any, Final, Literal, Unpack, get_args
from urllib.parse import unquote

from attrs import evolve, field, validators

from fakeplat.core.operations.errors import reason_text
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.secret_names import kind_of
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.model.world import World
from fakeplat.pipeline import Outcome
from fakeplat.platform import HandledRequest
from fakeplat.workbench.criteria import Criteria, RequestFilter, in_order
from fakeplat.workbench.operation_names import known_operation

LENGTH: Final = 10_000
MEGABYTE: Final = 1024 * 1024
Bodies = Literal["all", "requests", "none"]
BODIES: Final = get_args(Bodies)
_ENTRY_SIZE: Final = 1_500
_LARGE: Final = 10_000
_NO_ANSWER: Final = Outcome(0, ())
_NO_RESPONSE: Final = Response(0)
_PAIR: Final = pattern(r"([^&;=]+)=[^&;]*")


def without_secrets(query: str) -> str:
    """A query string whose secret values are stars."""
    return _PAIR.sub(lambda pair: f"{pair[1]}=***" if kind_of(unquote(pair[1])) else pair[0], query)


class JournalEntry:
    """One request in the journal."""

    __slots__ = ("_entry", "world")

    def __init__(self, entry: HandledRequest, world: World | None = None) -> None:
        self._entry = entry
        self.world = world

    @property
    def number(self) -> int:
        """Its place among the requests of this world."""
        return self._entry.number

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self._entry.request.method

    @property
    def path(self) -> str:
        """The path with its query, secrets as stars."""
        request = self._entry.request
        return f"{request.path}?{without_secrets(request.query)}" if request.query else request.path

    @property
    def operation(self) -> str | None:
        """The operation's name."""
        return self._entry.answer.operation or None

    @property
    def detail(self) -> str | None:
        """What of a many-sided operation was asked for: the operation of a GraphQL document, or its first fields."""
        return self._entry.answer.detail or None

    @property
    def user(self) -> str | None:
        """Who asked, or None."""
        return self._entry.answer.user

    @property
    def credential(self) -> str | None:
        """The kind of credential."""
        return self._entry.answer.credential

    @property
    def status(self) -> int:
        """The answer's status."""
        return self._entry.status

    @property
    def reason(self) -> str | None:
        """Why it was refused, and the fault that struck it."""
        return self._entry.answer.explained or None

    @property
    def fault(self) -> str | None:
        """The fault that struck it."""
        return self._entry.answer.fault or None

    @property
    def warnings(self) -> list[str]:
        """What the client should not have sent: unknown and deprecated parameters."""
        from fakeplat.workbench.deprecations import warnings_of  # its table is not needed to serve

        return warnings_of(self._entry)

    @property
    def duration(self) -> float:
        """How long it took, in seconds."""
        return self._entry.took / 1e9

    @property
    def time(self) -> str:
        """The world's time."""
        return to_iso(self._entry.at)

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {name: getattr(self, name) for name in _TOLD}

    def __repr__(self) -> str:
        who = self.user or "nobody"
        what = f" {self.detail}" if self.detail else ""
        why = f"  ({self.reason})" if self.reason else ""
        return f"{self.status or 'no answer'} {self.method} {self.path}{what} by {who}{why}"


_TOLD: Final = (
    "number",
    "method",
    "path",
    "operation",
    "detail",
    "user",
    "credential",
    "status",
    "reason",
    "fault",
    "warnings",
    "duration",
    "time",
)


@frozen
class JournalLimits:
    """How much a journal keeps: at most ``size`` bytes, and of requests and answers the ``bodies`` that are named.

    A bundle needs all bodies. A server that runs for days keeps those of requests, which warnings are derived from.
    """

    size: int = 64 * MEGABYTE
    bodies: Bodies = field(default="all", validator=validators.in_(BODIES))


class Journal:
    """The last requests of a world, oldest first. What is asked of them are `Criteria`, as keywords.

    ``dropped`` counts the requests that were dropped to stay within the limits. ``world`` gives the records, by which
    paths are compared.
    """

    def __init__(
        self,
        limits: JournalLimits = JournalLimits(),  # noqa: B008  # frozen
        world: Callable[[], World] | None = None,
    ) -> None:
        self.limits = limits
        self._world = world
        self.dropped = 0
        self._last = self._last_without_body = _NO_ANSWER
        self._entries: deque[HandledRequest] = deque()
        self._sizes: deque[int] = deque()
        self._size = 0
        self._news = Condition()
        self._waiting = 0

    def observe(self, entry: HandledRequest, exchange: object) -> None:
        """Record a request, and drop the oldest ones that are over the limits."""
        del exchange
        entry = self._trim(entry)
        size = _size_of(entry)
        if size > self.limits.size:
            entry = self._without_bodies(entry)
            size = _size_of(entry)
        self._entries.append(entry)
        self._sizes.append(size)
        self._size += size
        while self._size > self.limits.size or len(self._entries) > LENGTH:
            self._drop_oldest()
        if self._waiting:
            with self._news:
                self._news.notify_all()

    def _drop_oldest(self) -> None:
        self._entries.popleft()
        self._size -= self._sizes.popleft()
        self.dropped += 1

    def _trim(self, entry: HandledRequest) -> HandledRequest:
        """Leave out what the limits do not ask for."""
        if len(entry.request.body) > _LARGE:  # the reason would keep the body as it was parsed, in many times its size
            entry = entry._replace(answer=entry.answer._replace(reason=reason_text(entry.answer.reason), refusal=None))
        bodies = self.limits.bodies
        if bodies == "all":
            return entry
        return self._without_answer(entry) if bodies == "requests" else self._without_bodies(entry)

    def _without_answer(self, entry: HandledRequest) -> HandledRequest:
        """Leave out the answer's headers and body. An answer that is given many times in a row is kept once."""
        answer = entry.answer
        if answer is not self._last:
            self._last, self._last_without_body = answer, answer._replace(headers=(), body=b"")
        return entry._replace(answer=self._last_without_body, response=_NO_RESPONSE)

    def _without_bodies(self, entry: HandledRequest) -> HandledRequest:
        request = entry.request
        return self._without_answer(entry._replace(request=evolve(request, body=b"") if request.body else request))

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()
        self._sizes.clear()
        self._size = self.dropped = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[JournalEntry]:
        world = self._world() if self._world else None
        return iter([JournalEntry(entry, world) for entry in self._entries.copy()])

    def __getitem__(self, place: int) -> JournalEntry:
        return JournalEntry(self._entries[place], self._world() if self._world else None)

    @property
    def entries(self) -> list[HandledRequest]:
        """The requests with all that was kept of them."""
        return [*self._entries.copy()]

    def find(self, **wanted: Unpack[RequestFilter]) -> list[JournalEntry]:
        """The requests that meet all that is asked; NoSuchOperation for a name that no operation has."""
        criteria = Criteria.of(wanted)
        return [entry for entry in self if not criteria.misses(entry)]

    def count(self, **wanted: Unpack[RequestFilter]) -> int:
        """How many requests meet all that is asked."""
        return len(self.find(**wanted))

    def one(self, **wanted: Unpack[RequestFilter]) -> JournalEntry:
        """The one request that meets all that is asked; AssertionError if there is none or more."""
        return self.made(1, **wanted)[0]

    def made(self, count: int | None = None, /, **wanted: Unpack[RequestFilter]) -> list[JournalEntry]:
        """The requests that meet all that is asked; AssertionError unless there are so many (None: at least one).

        Its message names the requests that come near.
        """
        found = self.find(**wanted)
        if len(found) == count or (count is None and found):
            return found
        raise AssertionError(self._short_of(found, count, Criteria.of(wanted)))

    def in_order(self, *operations: str) -> None:
        """AssertionError unless operations were asked for in this order, whatever came between."""
        for name in operations:
            known_operation(name)
        made = [entry.operation for entry in self]
        met = in_order(operations, made)
        if met < len(operations):
            after = f" after {', '.join(operations[:met])}" if met else ""
            there = ", ".join(map(str, made)) or "none"
            raise AssertionError(f"no request {operations[met]}{after}; there were {there}")

    def wait_for(
        self, count: int = 1, /, *, timeout: float = 5.0, **wanted: Unpack[RequestFilter]
    ) -> list[JournalEntry]:
        """The first requests that meet all that is asked, once there are so many; AssertionError after ``timeout`` s.

        For clients on other threads or in other processes; requests that were made before count too.
        """
        with self._news:
            self._waiting += 1
            try:
                self._news.wait_for(lambda: self.count(**wanted) >= count, timeout)
            finally:
                self._waiting -= 1
        found = self.find(**wanted)
        if len(found) < count:
            raise AssertionError(f"after {timeout:g} s {self._short_of(found, count, Criteria.of(wanted))}")
        return found[:count]

    async def until(
        self,
        count: int = 1,
        /,
        *,
        timeout: float = 5.0,  # noqa: ASYNC109  # the same parameter as in wait_for
        **wanted: Unpack[RequestFilter],
    ) -> list[JournalEntry]:
        """As `wait_for`, to be awaited."""
        return await to_thread(partial(self.wait_for, count, timeout=timeout, **wanted))

    @property
    def warnings(self) -> list[str]:
        """What clients should not have sent, each thing once."""
        return warnings_of_all(self)

    def _short_of(self, found: list[JournalEntry], count: int | None, criteria: Criteria) -> str:
        if found:
            return f"{len(found)} of {criteria} where {count} should be:\n" + "\n".join(f"  {one!r}" for one in found)
        return f"no {criteria}{criteria.nearest(self)}"

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no requests"


def _size_of(entry: HandledRequest) -> int:
    """About how many bytes an entry takes."""
    request = entry.request
    headers = sum(map(len, request.headers.values()))
    return _ENTRY_SIZE + len(request.path) + len(request.query) + headers + len(request.body) + len(entry.response.body)


def warnings_of_all(entries: Iterable[JournalEntry]) -> list[str]:
    """Return what clients should not have sent, each thing once."""
    return list(dict.fromkeys(text for entry in entries for text in entry.warnings))
