"""Positions of epics and issues among those of the same epic."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from fakeplat.core.store.table import DraftTable
from fakeplat.model.epics import Epic, EpicIssue

STEP: Final = 500
P = TypeVar("P", bound=Epic | EpicIssue)


def move(table: DraftTable[P], siblings: Sequence[P], moved: P, before_id: int | None, after_id: int | None) -> None:
    """Move a record of a table behind one of its siblings or, without ``before_id``, before another one.

    ``siblings`` are all records of the row, in order. Positions are integers: without a gap all are numbered anew.
    """
    anchor = before_id or after_id
    if not anchor or moved.id in (before_id, after_id):
        return
    others = [record for record in siblings if record.id != moved.id]
    index = [record.id for record in others].index(anchor) + bool(before_id)
    position = find_gap([record.relative_position for record in others], index)
    if position is not None:
        table.change(moved, relative_position=position)
        return
    for number, record in enumerate([*others[:index], moved, *others[index:]], 1):
        table.change(record, relative_position=number * STEP)


def get_first(taken: Iterable[int | None]) -> int:
    """Return a position before those that are taken."""
    return min((position for position in taken if position is not None), default=2 * STEP) - STEP


def find_gap(taken: Sequence[int | None], index: int) -> int | None:
    """Return a free position before the one at an index; None if there is none."""
    if None in taken:
        return None
    known = [position for position in taken if position is not None]
    low = known[index - 1] if index else known[0] - 2 * STEP
    high = known[index] if index < len(known) else low + 2 * STEP
    middle = (low + high) // 2
    return middle if low < middle < high else None
