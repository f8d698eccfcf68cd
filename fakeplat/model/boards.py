"""Boards of issues, and the lists on them."""

from typing import Literal

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
