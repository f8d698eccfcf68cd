"""What is asked of requests in the journal, and which of them come near."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict

from attrs import asdict

from fakeplat.core.store.frozen import frozen
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.operation_names import known_operation, on_path

if TYPE_CHECKING:
    from fakeplat.workbench.journal import JournalEntry

_NEAREST: Final = 3
_STATUS: Final = re.compile(r"[0-9]+|[1-5]xx", re.IGNORECASE)
_WEIGHTS: Final = {"operation": 4, "path": 4, "user": 2, "method": 2, "credential": 1, "status": 1}
"""How much it tells against a request that it misses a criterion."""


class RequestFilter(TypedDict, total=False):
    """Criteria, as keywords."""

    operation: str
    method: str
    path: str
    user: str
    credential: str
    status: int | str


@frozen
class Criteria:
    """All that is given must hold. ``path`` is a glob, below the API unless it starts with ``/``; it meets the path
    without its query. ``status`` is a number or a class of them: ``4xx``. ``user`` is a username.
    """

    operation: str | None = None
    method: str | None = None
    path: str | None = None
    user: str | None = None
    credential: str | None = None
    status: int | str | None = None

    @classmethod
    def of(cls, wanted: RequestFilter) -> "Criteria":
        """The criteria in keywords; NoSuchOperation for a name that no operation has, UnusableOption for no status."""
        criteria = cls(**wanted)
        if criteria.operation is not None:
            known_operation(criteria.operation)
        if criteria.status is not None and not _STATUS.fullmatch(str(criteria.status)):
            raise InvalidOption(f"a status is a number or a class such as 4xx, not {criteria.status!r}")
        return criteria

    def misses(self, entry: "JournalEntry") -> list[str]:
        """The criteria that a request does not meet."""
        held = {
            "operation": self.operation == entry.operation,
            "method": self.method is None or self.method.upper() == entry.method,
            "path": self.path is None or on_path(self.path, entry.path.partition("?")[0], entry.world),
            "user": self.user == entry.user,
            "credential": self.credential == entry.credential,
            "status": self.status is None or _fits(self.status, entry.status),
        }
        return [name for name in self._given() if not held[name]]

    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}

    def nearest(self, entries: Iterable["JournalEntry"]) -> str:
        """The requests that miss the fewest criteria, with what they miss; the last ones first."""
        pairs = ((self.misses(entry), entry) for entry in entries)
        ranked = sorted(pairs, key=lambda pair: (sum(map(_WEIGHTS.__getitem__, pair[0])), -pair[1].number))
        near = [pair for pair in ranked if 0 < len(pair[0]) < max(len(self._given()), 2)][:_NEAREST]
        if not near:
            return f"; there were {len(ranked)} requests, none of them near" if ranked else "; there were no requests"
        return "; nearest:" + "".join(f"\n  {entry!r}, but not the {' and '.join(missed)}" for missed, entry in near)

    def __str__(self) -> str:
        parts = {"operation": "{}", "method": "{}", "path": "at {}", "user": "by {}", "status": "with status {}"}
        given = self._given()
        words = [form.format(given[name]) for name, form in parts.items() if name in given]
        credential = [f"with a {self.credential} credential"] if self.credential else []
        return " ".join(["request", *words, *credential])


def _fits(wanted: int | str, status: int) -> bool:
    text = str(wanted).lower()
    return str(status)[:1] == text[:1] if text.endswith("xx") else str(status) == text


def in_order(names: Sequence[str], made: Sequence[str | None]) -> int:
    """How many of the names were met, each after the one before."""
    met = 0
    for name in made:
        if met < len(names) and name == names[met]:
            met += 1
    return met
