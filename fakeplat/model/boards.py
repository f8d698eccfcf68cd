"""Boards of issues, and the lists on them."""

from collections.abc import Mapping
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

ListKind = Literal["label", "assignee", "milestone"]


@frozen
class Board:
    """A board of a project or group. Paid tiers narrow it down to a milestone, an assignee, labels, a weight."""

    id: int
    source: tuple[str, int]
    name: str
    created_at: str
    updated_at: str
    milestone_id: int | None = None
    assignee_id: int | None = None
    label_ids: tuple[int, ...] = ()
    weight: int | None = None


@frozen
class MilestoneFilter:
    """What a board may have in place of a milestone; ``word`` is its name in filters of issues."""

    id: int
    title: str
    word: str


MILESTONE_FILTERS: Final[Mapping[int, MilestoneFilter]] = {
    filter_.id: filter_
    for filter_ in (MilestoneFilter(-2, "Upcoming", "#upcoming"), MilestoneFilter(-3, "Started", "#started"))
}


@frozen
class BoardList:
    """A list of the issues with a label; on paid tiers also of an assignee's or a milestone's.

    Positions of a board's lists go from 0 without gaps.
    """

    id: int
    board_id: int
    kind: ListKind
    thing_id: int
    position: int
    created_at: str
    updated_at: str
