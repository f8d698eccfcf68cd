"""Issue boards and their lists."""

from collections.abc import Mapping
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

ListKind = Literal["label", "assignee", "milestone"]


@frozen
class Board:
    """A board of a project or group; on paid tiers, it can be limited to a milestone, assignee, labels or weight."""

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
    """A special value for a board's milestone; ``word`` is its name in issue filters."""

    id: int
    title: str
    word: str


MILESTONE_FILTERS: Final[Mapping[int, MilestoneFilter]] = {
    filter_.id: filter_
    for filter_ in (MilestoneFilter(-2, "Upcoming", "#upcoming"), MilestoneFilter(-3, "Started", "#started"))
}


@frozen
class BoardList:
    """A list of the issues with a label, or on paid tiers, an assignee or milestone.

    The positions of a board's lists start at 0 and have no gaps.
    """

    id: int
    board_id: int
    kind: ListKind
    thing_id: int
    position: int
    created_at: str
    updated_at: str
