"""Criteria for requests in the journal, and the requests that come closest to them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict

from attrs import asdict, fields

from fakeplat.core.store.frozen import frozen
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.operation_names import known_operation, matches_path

if TYPE_CHECKING:
    from fakeplat.workbench.journal_entries import JournalEntry

_NEAREST: Final = 3
_STATUS: Final = re.compile(r"[0-9]+|[1-5]xx", re.IGNORECASE)
_PARTS: Final = ("json", "query", "form", "headers")
_WEIGHTS: Final = {
    "operation": 4,
    "path": 4,
    "user": 2,
    "method": 2,
    "credential": 1,
    "status": 1,
    **dict.fromkeys(_PARTS, 1),
}
"""How much a missed criterion counts when requests are ranked by their distance."""


class RequestFilter(TypedDict, total=False):
    """Criteria as keyword arguments."""

    operation: str
    method: str
    path: str
    user: str
    credential: str
    status: int | str
    json: Any
    query: Mapping[str, Any]
    form: Mapping[str, Any]
    headers: Mapping[str, str]


@frozen
class Criteria:
    """Criteria for requests; all that are set must match.

    ``path`` is a glob, relative to the API unless it starts with ``/``, matched against the path without its query.
    ``status`` is a number or a class such as ``4xx``. ``user`` is a username. ``json``, ``query``, ``form`` and
    ``headers`` are parts of what was sent: a mapping matches one that has its keys, with matching values.
    """

    operation: str | None = None
    method: str | None = None
    path: str | None = None
    user: str | None = None
    credential: str | None = None
    status: int | str | None = None
    json: Any = None
    query: Mapping[str, Any] | None = None
    form: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None

    @classmethod
    def from_filters(cls, filters: RequestFilter) -> "Criteria":
        """Create criteria from keywords; NoSuchOperation or InvalidOption for invalid values."""
        refuse_unknown(filters, [attribute.name for attribute in fields(cls)], "requests")
        criteria = cls(**filters)
        if criteria.operation is not None:
            known_operation(criteria.operation)
        if criteria.status is not None and not _STATUS.fullmatch(str(criteria.status)):
            raise InvalidOption(f"status must be a number or a class such as 4xx, not {criteria.status!r}")
        return criteria

    def matches(self, entry: "JournalEntry") -> bool:
        """Return whether a request matches, as one that misses nothing does; faster, because most do not."""
        return (
            self.operation in (None, entry.operation)
            and self.user in (None, entry.user)
            and (self.status is None or _matches_status(self.status, entry.status))
            and not self.misses(entry)
        )

    def misses(self, entry: "JournalEntry") -> list[str]:
        """Return the names of the criteria that a request does not match."""
        matches = {
            "operation": self.operation == entry.operation,
            "method": self.method is None or self.method.upper() == entry.method,
            "path": self.path is None or matches_path(self.path, entry.path.partition("?")[0], entry.world),
            "user": self.user == entry.user,
            "credential": self.credential == entry.credential,
            "status": self.status is None or _matches_status(self.status, entry.status),
        }
        return [name for name, value in self._set_criteria().items() if not self._matches(name, value, entry, matches)]

    @staticmethod
    def _matches(name: str, value: object, entry: "JournalEntry", matches: Mapping[str, bool]) -> bool:
        # Bodies and queries are parsed only for those who ask about them.
        return _contains(getattr(entry, name), value) if name in _PARTS else matches[name]

    def _set_criteria(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self, recurse=False).items() if value is not None}

    def nearest(self, entries: Iterable["JournalEntry"]) -> str:
        """Describe the requests that miss the fewest criteria, and which they miss; the latest first."""
        pairs = ((self.misses(entry), entry) for entry in entries)
        # The fewest and lightest misses come first, and among equal ones the latest request.
        ranked = sorted(pairs, key=lambda pair: (sum(map(_WEIGHTS.__getitem__, pair[0])), -pair[1].number))
        # A request that misses every criterion is not near, except that a single criterion can only be missed.
        closest = [pair for pair in ranked if 0 < len(pair[0]) < max(len(self._set_criteria()), 2)][:_NEAREST]
        if not closest:
            return f"; none of the {len(ranked)} requests is similar" if ranked else "; there were no requests"
        return "; nearest:" + "".join(f"\n  {entry!r}, but not the {' and '.join(missed)}" for missed, entry in closest)

    def __str__(self) -> str:
        parts = {"operation": "{}", "method": "{}", "path": "at {}", "user": "by {}", "status": "with status {}"}
        criteria = self._set_criteria()
        words = [form.format(criteria[name]) for name, form in parts.items() if name in criteria]
        credential = [f"with a {self.credential} credential"] if self.credential else []
        parts_sent = [f"with {name} {criteria[name]!r}" for name in _PARTS if name in criteria]
        return " ".join(["request", *words, *credential, *parts_sent])


def _contains(actual: object, wanted: object) -> bool:
    """Return whether a value is the wanted one; a mapping may have further keys."""
    if not isinstance(wanted, Mapping):
        return bool(actual == wanted)
    return isinstance(actual, Mapping) and all(
        key in actual and _contains(actual[key], value) for key, value in wanted.items()
    )


def _matches_status(expected: int | str, status: int) -> bool:
    text = str(expected).lower()
    return str(status)[:1] == text[:1] if text.endswith("xx") else str(status) == text


def count_in_order(names: Sequence[str], operations: Sequence[str | None]) -> int:
    """Return how many of the names occur in the operations, each after the one before."""
    count = 0
    for name in operations:
        if count < len(names) and name == names[count]:
            count += 1
    return count
