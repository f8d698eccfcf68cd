"""What lists of contacts and of organizations have in common: their search, their order and their counts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypedDict, TypeVar

from fakeplat.core.store.frozen import frozen
from fakeplat.model.customer_relations import CrmContact, CrmOrganization, State

R = TypeVar("R", bound=CrmContact | CrmOrganization)
Value = str | float | None
ALL: Final = "all"


class CustomerFilter(TypedDict, total=False):
    """Filters of a list: a text, a state (or `ALL`) and ids."""

    search: str | None
    state: str | None
    ids: Collection[int] | None


def filter_rows(rows: Iterable[R], filters: CustomerFilter, columns: Sequence[str]) -> list[R]:
    """Return the rows that match filters; the words of the text are all in one of the columns."""
    state, ids, words = filters.get("state"), filters.get("ids"), (filters.get("search") or "").lower().split()
    return [
        row
        for row in rows
        if state in (None, ALL, row.state) and (not ids or row.id in ids) and _matches(row, words, columns)
    ]


def _matches(row: CrmContact | CrmOrganization, words: Sequence[str], columns: Sequence[str]) -> bool:
    texts = (str(getattr(row, column) or "").lower() for column in columns)
    return not words or any(all(word in text for word in words) for text in texts)


def sort_rows(rows: Iterable[R], value_of: Callable[[R], Value], *, descending: bool = False) -> list[R]:
    """Return rows by a value, those without one last; among equal ones the newest is first."""
    # The order of ids counts among equal values, also in reverse, so it is established first.
    pairs = sorted(((value_of(row), row) for row in rows), key=lambda pair: -pair[1].id)
    known = [pair for pair in pairs if pair[0] is not None]
    known.sort(key=_sortable, reverse=descending)
    return [row for _, row in (*known, *(pair for pair in pairs if pair[0] is None))]


def _sortable(pair: tuple[Value, object]) -> tuple[float, str]:
    value = pair[0]
    return (0, value.lower()) if isinstance(value, str) else (value or 0, "")


@frozen
class StateCounts:
    """How many rows are in each state, and in all."""

    active: int
    inactive: int
    all: int


def count_states(rows: Iterable[CrmContact | CrmOrganization]) -> StateCounts:
    """Return how many rows there are in each state."""
    counts = Counter[State](row.state for row in rows)
    return StateCounts(counts["active"], counts["inactive"], counts.total())
