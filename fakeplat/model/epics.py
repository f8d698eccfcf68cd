"""Epics of groups, and the issues in them."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

DEFAULT_COLOR: Final = "#1068bf"


@frozen
class Epic:
    """An epic. Its dates are the fixed ones if they are marked as fixed, else those of its issues' milestones.

    ``last_edited_at`` is the time of the last change of the description.
    """

    id: int
    iid: int
    group_id: int
    title: str
    author_id: int
    created_at: str
    updated_at: str
    description: str | None = None
    state: Literal["opened", "closed"] = "opened"
    confidential: bool = False
    parent_id: int | None = None
    relative_position: int | None = None
    start_date_fixed: str | None = None
    start_date_is_fixed: bool = False
    due_date_fixed: str | None = None
    due_date_is_fixed: bool = False
    label_ids: tuple[int, ...] = ()
    closed_at: str | None = None
    closed_by_id: int | None = None
    color: str = DEFAULT_COLOR
    last_edited_at: str | None = None
    last_edited_by_id: int | None = None


@frozen
class EpicIssue:
    """An issue in an epic; an issue is in one at most. Issues of an epic are sorted by ascending position."""

    id: int
    epic_id: int
    issue_id: int
    relative_position: int


@frozen
class RelatedEpicLink:
    """A link between two epics. ``blocks``: the source blocks the target."""

    id: int
    source_id: int
    target_id: int
    created_at: str
    updated_at: str
    link_type: Literal["relates_to", "blocks"] = "relates_to"


@frozen
class EpicBoard:
    """A board of a group's epics.

    ``epic_ids`` are the epics that were put in an order by hand; the others come after them, the newest first.
    """

    id: int
    group_id: int
    name: str
    created_at: str
    updated_at: str
    hide_backlog_list: bool = False
    hide_closed_list: bool = False
    label_ids: tuple[int, ...] = ()
    display_colors: bool = True
    epic_ids: tuple[int, ...] = ()


ListKind = Literal["backlog", "label", "closed"]


@frozen
class EpicBoardList:
    """A list of a board: of open epics without a list, of those with a label, or of closed ones.

    Only lists of labels have positions, which start at 0. ``collapsed_by_ids`` are the users for whom it is folded up.
    """

    id: int
    board_id: int
    label_id: int | None
    position: int | None
    kind: ListKind = "label"
    collapsed_by_ids: tuple[int, ...] = ()
