"""The journal: the last requests, what they met, and why."""

from collections import deque
from collections.abc import Iterator
from re import IGNORECASE
from re import compile as pattern
from typing import Any, Final

from fakeplat.core.stamps import stamp
from fakeplat.platform import Entry

LENGTH: Final = 10_000
SECRETS: Final = ("private_token", "access_token", "job_token", "token", "password", "key", "secret")
_SECRET: Final = pattern(rf"((?:^|[&?;\[])(?:{'|'.join(SECRETS)})\]?=)[^&;]*", IGNORECASE)


def without_secrets(query: str) -> str:
    """A query string whose secret values are stars."""
    return _SECRET.sub(r"\1***", query) if query else query


class Journaled:
    """One request in the journal."""

    __slots__ = ("_entry",)

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

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
        """Why it was refused."""
        return self._entry.answer.reason or None

    @property
    def duration(self) -> float:
        """How long it took, in seconds."""
        return self._entry.took / 1e9

    @property
    def time(self) -> str:
        """The world's time."""
        return stamp(self._entry.at)

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        names = ("number", "method", "path", "operation", "user", "credential", "status", "reason", "duration", "time")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        who = self.user or "nobody"
        why = f"  ({self.reason})" if self.reason else ""
        return f"{self.status} {self.method} {self.path} by {who}{why}"


class Journal:
    """The last requests of a world, oldest first."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=LENGTH)

    def observe(self, entry: Entry, exchange: object) -> None:
        """Take a request in."""
        del exchange
        self._entries.append(entry)

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Journaled]:
        return iter([Journaled(entry) for entry in self._entries])

    def __getitem__(self, place: int) -> Journaled:
        return Journaled(self._entries[place])

    def find(
        self, *, operation: str | None = None, status: int | None = None, user: str | None = None
    ) -> list[Journaled]:
        """The requests that match all that is given."""
        wanted = {"operation": operation, "status": status, "user": user}
        given = {name: value for name, value in wanted.items() if value is not None}
        return [entry for entry in self if all(getattr(entry, name) == value for name, value in given.items())]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no requests"
