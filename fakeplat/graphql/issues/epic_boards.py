"""Boards of epics and their lists. Source: docs/platform/epics.md ('Boards')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.release import ByRelease
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access, epic_boards
from fakeplat.domain.epics.epic_boards import BoardChanges
from fakeplat.domain.issuables.issuable_fields import get_or_create_labels
from fakeplat.domain.planning import labels
from fakeplat.entities import urls
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import LABEL_KINDS, declare_id, global_id, parse_id
from fakeplat.graphql.issues.epics import descendant_weights, epics_of
from fakeplat.graphql.issues.issue_boards import check_place
from fakeplat.graphql.lookups import require_group
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import QUERY, Input, Scalar, Type, mutation
from fakeplat.model.epics import Epic, EpicBoard, EpicBoardList
from fakeplat.model.people import Group
from fakeplat.model.planning import Label
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

BOARD_KIND: Final = "Boards::EpicBoard"
LIST_KIND: Final = "Boards::EpicList"
_SINCE: Final = "<=13.8"
_CHANGES: Final = "<=13.10"
_LATER_CHANGES: Final = "<=14.0"
_FILTERED: Final = "<=13.11"
_NEGATED: Final = "<=14.0"
_COUNTS: Final = "<=14.10"
_COLORS: Final = "<=16.2"
_INPUT_FIELDS: Final = '''
"""The names of labels that the epics have."""
labelName: [String]
"""The username of the author."""
authorUsername: String
"""The reaction of the caller."""
myReactionEmoji: String
'''
Scalar("BoardsEpicListID", f"The global ID of a record of the type {LIST_KIND}.", since=_SINCE)
Input("NegatedEpicBoardIssueInput", "What the epics must not have.", _INPUT_FIELDS, since=_NEGATED)
Input(
    "EpicFilters",
    "Which epics of a list are shown.",
    f'''{_INPUT_FIELDS}
"""What they must not have."""
not: NegatedEpicBoardIssueInput @lifetime(since: "{_NEGATED}")
"""Filters of which at least one value has to match."""
or: UnionedEpicFilterInput @lifetime(since: "<=16.2")
"""A text in the title or the description."""
search: String
"""Whether they are confidential."""
confidential: Boolean @lifetime(since: "<=14.9")
''',
    since=_FILTERED,
)
BOARD: Final = Type("EpicBoard", "A board of epics.", since=_SINCE)
BOARD.attributes({"name: String": "The name."})
BOARD.attributes(
    {
        "hideBacklogList: Boolean": "Whether the list of open epics is hidden.",
        "hideClosedList: Boolean": "Whether the list of closed epics is hidden.",
    },
    since=_CHANGES,
)
BOARD.attributes({"displayColors: Boolean": "Whether the colors of epics are shown."}, since=_COLORS)
LIST: Final = Type("EpicList", "A list of a board of epics.", since=_SINCE)
METADATA: Final = Type("EpicListMetadata", "What is in a list.", since=_COUNTS)
METADATA.attributes({"epicsCount: Int": "The number of epics."})
METADATA.attributes({"totalWeight: Int": "The weight of all issues below them."}, since="<=15.8")
Filters = Mapping[str, Any]
_NO_FILTERS: Final[Filters] = {}


@frozen
class BoardList:
    """A list of a board, and the filters of what it counts."""

    column: EpicBoardList
    filters: Filters = _NO_FILTERS

    @property
    def id(self) -> int:
        """The id of the list."""
        return self.column.id


@frozen
class ListMetadata:
    """The number of epics in a list, and the weight of the issues below them."""

    epics_count: int
    total_weight: int


# Boards


def _group_of(ctx: ReadContext, board: EpicBoard) -> Group:
    group = ctx.world.namespaces[board.group_id]
    if not isinstance(group, Group):
        raise TypeError(f"the epic board {board.id} is not in a group")
    return group


def _may(ctx: ReadContext, ability: Ability, group: Group) -> bool:
    return has_feature(ctx.world, "premium", group) and can(ctx, ability, group)


@GROUP.field("epicBoards: EpicBoardConnection", since=_SINCE)
def boards_of(ctx: ReadContext, group: Group) -> Sequence[EpicBoard] | None:
    """The boards of epics by name; null without the paid feature."""
    if not has_feature(ctx.world, "premium", group):
        return None
    if not can(ctx, Ability.READ_EPIC_BOARD, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no epic boards of {group.path}")
    return epic_boards.list_boards(ctx.world, group)


@GROUP.field("epicBoard(id: BoardsEpicBoardID!): EpicBoard", since=_SINCE)
def board_of(ctx: ReadContext, group: Group, id: str) -> EpicBoard | None:  # the argument's name on the wire
    """The board of epics with a global ID."""
    number = parse_id(ctx, id, BOARD_KIND)
    return next((board for board in boards_of(ctx, group) or () if board.id == number), None)


declare_id(BOARD, BOARD_KIND)


@BOARD.field("labels: LabelConnection", since="13.10")
def labels_of_board(ctx: ReadContext, board: EpicBoard) -> Sequence[Label]:
    """The labels to which the board is limited."""
    return [ctx.world.labels[id_] for id_ in board.label_ids]


@BOARD.field("webUrl: String!", since=_CHANGES)
def web_url(ctx: ReadContext, board: EpicBoard) -> str:
    """The URL of the page."""
    return f"{urls.container_url(ctx, _group_of(ctx, board))}/-/epic_boards/{board.id}"


@BOARD.field("webPath: String!", since=_CHANGES)
def web_path(ctx: ReadContext, board: EpicBoard) -> str:
    """The path of the page."""
    return web_url(ctx, board).removeprefix(ctx.origin)


# Lists


@BOARD.field(f'lists(id: BoardsEpicListID, epicFilters: EpicFilters @lifetime(since: "{_COUNTS}")): EpicListConnection')
def lists_of(
    ctx: ReadContext, board: EpicBoard, id: str | None = None, epic_filters: Filters | None = None
) -> Sequence[BoardList]:
    """The lists that are not hidden; filters concern what they count."""
    wanted = None if id is None else parse_id(ctx, id, LIST_KIND)
    shown = epic_boards.list_shown(ctx.world, board)
    return [BoardList(column, epic_filters or _NO_FILTERS) for column in shown if wanted in (None, column.id)]


@QUERY.field("epicBoardList(id: BoardsEpicListID!, epicFilters: EpicFilters): EpicList", since="<=15.8")
def list_with_id(ctx: ReadContext, id: str, epic_filters: Filters | None = None) -> BoardList | None:
    """The list of a board with a global ID, if the caller sees it."""
    column = ctx.world.epic_board_lists.get(parse_id(ctx, id, LIST_KIND))
    if column is None or not _may(ctx, Ability.READ_EPIC_BOARD, _group_of(ctx, ctx.world.epic_boards[column.board_id])):
        return None
    return BoardList(column, epic_filters or _NO_FILTERS)


@LIST.field("id: BoardsEpicListID!")
def id_of_list(ctx: ReadContext, row: BoardList) -> str:
    """The global ID."""
    return global_id(ctx, LIST_KIND, row.column.id)


@LIST.field("title: String!")
def title(ctx: ReadContext, row: BoardList) -> str:
    """The title."""
    return epic_boards.title_of(ctx.world, row.column)


@LIST.field("listType: String!")
def list_type(_ctx: ReadContext, row: BoardList) -> str:
    """The kind of the list: backlog, label or closed."""
    return row.column.kind


@LIST.field("position: Int")
def position(_ctx: ReadContext, row: BoardList) -> int | None:
    """The place among the lists of labels."""
    return row.column.position


@LIST.field("label: Label")
def label(ctx: ReadContext, row: BoardList) -> Label | None:
    """The label that all of its epics have."""
    return ctx.world.labels[row.column.label_id] if row.column.label_id is not None else None


@LIST.field("collapsed: Boolean", since="13.10")
def is_collapsed(ctx: ReadContext, row: BoardList) -> bool:
    """Whether the list is folded up for the caller."""
    return ctx.viewer is not None and ctx.viewer.id in row.column.collapsed_by_ids


@LIST.field(f'epics(filters: EpicFilters @lifetime(since: "{_FILTERED}")): EpicConnection', since="<=13.9")
def epics_of_list(ctx: ReadContext, row: BoardList, filters: Filters | None = None) -> Sequence[Epic]:
    """The epics in the list that the caller sees, in the order of the board."""
    board = ctx.world.epic_boards[row.column.board_id]
    given: Any = {name: value for name, value in (filters or {}).items() if value is not None}
    found = epics_of(ctx, _group_of(ctx, board), **{**given, "state": epic_boards.state_of(row.column)})
    return epic_boards.select(ctx.world, board, row.column, found)


@LIST.field("epicsCount: Int", since="13.10", until="<=18.9")
def count_epics(ctx: ReadContext, row: BoardList) -> int:
    """The number of epics."""
    return len(epics_of_list(ctx, row, row.filters))


@LIST.field("metadata: EpicListMetadata", since=_COUNTS)
def metadata(ctx: ReadContext, row: BoardList) -> ListMetadata:
    """What is in the list."""
    found = epics_of_list(ctx, row, row.filters)
    weights = [descendant_weights(ctx, epic) for epic in found]
    return ListMetadata(len(found), sum(each["opened_issues"] + each["closed_issues"] for each in weights))


# Changes of boards

_GIVES: Final = '"""The board."""\nepicBoard: EpicBoard'
_BOARD_ID: Final = '"""The global ID of the board."""\nid: BoardsEpicBoardID!\n'
_FIELDS: Final = f'''
"""The name."""
name: String
"""Whether the list of open epics is hidden."""
hideBacklogList: Boolean
"""Whether the list of closed epics is hidden."""
hideClosedList: Boolean
"""Whether the colors of epics are shown."""
displayColors: Boolean @lifetime(since: "{_COLORS}")
"""The names of labels to which the board is limited."""
labels: [String!] @lifetime(since: "<=13.11")
"""The global IDs of labels to which the board is limited."""
labelIds: [LabelID!] @lifetime(since: "<=13.11")
'''
_EXCLUSIVE_LABELS: Final = "one and only one of labels or labelIds is required"


class BoardInput(TypedDict, total=False):
    """The input of both mutations."""

    name: str | None
    hide_backlog_list: bool | None
    hide_closed_list: bool | None
    display_colors: bool | None
    labels: Sequence[str] | None
    label_ids: Sequence[str] | None


def _to_changes(ctx: WriteContext, group: Group, given: BoardInput) -> BoardChanges:
    if "labels" in given and "label_ids" in given:
        raise GraphQLError(_EXCLUSIVE_LABELS)
    fields: Any = {name: value for name, value in given.items() if value is not None}
    titles, ids = fields.pop("labels", None), fields.pop("label_ids", None)
    if titles is not None:
        fields["label_ids"] = tuple(get_or_create_labels(ctx, group, titles))
    if ids is not None:
        wanted = {parse_id(ctx, text, *LABEL_KINDS) for text in ids}
        fields["label_ids"] = tuple(each.id for each in labels.list_available(ctx.world, group) if each.id in wanted)
    changes: BoardChanges = fields
    return changes


def _require_board(ctx: WriteContext, text: str) -> EpicBoard:
    board = ctx.world.epic_boards.get(parse_id(ctx, text, BOARD_KIND))
    if board is None or not _may(ctx, Ability.ADMIN_EPIC_BOARD, _group_of(ctx, board)):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} does not administer it")
    return board


@mutation(
    "epicBoardCreate",
    input_fields=f'"""The full path of the group."""\ngroupPath: ID{_FIELDS}',
    payload_fields=_GIVES,
    since=_CHANGES,
)
def create_board(ctx: WriteContext, group_path: str | None = None, **given: Unpack[BoardInput]) -> Mapping[str, Any]:
    """Create a board of epics."""
    group = require_group(ctx, group_path or "")
    if not _may(ctx, Ability.ADMIN_EPIC_BOARD, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not administer epic boards of {group_path}")
    with collect_errors(epic_board=None):
        changes: Any = _to_changes(ctx, group, given)
        return {"epic_board": epic_boards.create(ctx, group, changes.pop("name", "Development"), **changes)}


@mutation("epicBoardUpdate", input_fields=_BOARD_ID + _FIELDS, payload_fields=_GIVES, since="13.10")
def update_board(ctx: WriteContext, id: str, **given: Unpack[BoardInput]) -> Mapping[str, Any]:
    """Change a board of epics."""
    board = _require_board(ctx, id)
    with collect_errors(epic_board=board):
        return {"epic_board": epic_boards.update(ctx, board, **_to_changes(ctx, _group_of(ctx, board), given))}


@mutation("destroyEpicBoard", input_fields=_BOARD_ID, payload_fields=_GIVES, since="<=13.11")
def destroy_board(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a board of epics, unless it is the only one."""
    board = _require_board(ctx, id)
    with collect_errors(epic_board=board):
        epic_boards.delete(ctx, board)
    return {"epic_board": None}


# Changes of lists

_GIVES_LIST: Final = '"""The list."""\nlist: EpicList'
_LIST_ID: Final = '"""The global ID of the list."""\nlistId: BoardsEpicListID!\n'
_ONE_TARGET: Final = "one and only one of backlog or labelId is required"
_LAST: Final = -1
_PLACES: Final = "<=16.2"
_NO_MOVE: Final = ByRelease(
    {
        "13.5": "One of the parameters fromListId, afterId, beforeId is required together with the toListId parameter.",
        _PLACES: "At least one of the following parameters is required: "
        "fromListId, moveAfterId, moveBeforeId, positionInList.",
    }
)


class ListTarget(TypedDict, total=False):
    """What a new list is for: one of both."""

    backlog: bool | None
    label_id: str | None


@mutation(
    "epicBoardListCreate",
    input_fields='''
"""The global ID of the board."""
boardId: BoardsEpicBoardID!
"""Whether the list is that of open epics."""
backlog: Boolean
"""The global ID of the label."""
labelId: LabelID
''',
    payload_fields=_GIVES_LIST,
    since=_CHANGES,
)
def create_list(ctx: WriteContext, board_id: str, **target: Unpack[ListTarget]) -> Mapping[str, Any]:
    """Add a list of a label to a board of epics."""
    if len(target) != 1:
        raise GraphQLError(_ONE_TARGET)
    board = _require_board(ctx, board_id)
    if "backlog" in target:
        return {"list": BoardList(epic_boards.get_backlog(ctx.world, board))}
    label_id = parse_id(ctx, target.get("label_id") or "", *LABEL_KINDS)
    with collect_errors(list=None):
        return {"list": BoardList(epic_boards.add_label(ctx, _group_of(ctx, board), board, label_id))}


def _require_list(ctx: WriteContext, text: str, ability: Ability) -> tuple[EpicBoard, EpicBoardList]:
    column = ctx.world.epic_board_lists.get(parse_id(ctx, text, LIST_KIND))
    board = ctx.world.epic_boards[column.board_id] if column is not None else None
    if column is None or board is None or not _may(ctx, ability, _group_of(ctx, board)):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} lacks {ability.value}")
    return board, column


@mutation(
    "updateEpicBoardList",
    input_fields=f'''{_LIST_ID}
"""The place among the lists of labels."""
position: Int
"""Whether the list is folded up for the caller."""
collapsed: Boolean
''',
    payload_fields=_GIVES_LIST,
    since=_LATER_CHANGES,
)
def update_list(
    ctx: WriteContext, list_id: str, position: int | None = None, collapsed: bool | None = None
) -> Mapping[str, Any]:
    """Move a list of a board of epics, or fold it up for the caller."""
    board, column = _require_list(ctx, list_id, Ability.READ_EPIC_BOARD)
    changed = column
    with collect_errors(list=BoardList(column)):
        if collapsed is not None:
            changed = epic_boards.collapse(ctx, column, ctx.signed_in_user, collapsed=collapsed)
        if position is not None and _may(ctx, Ability.ADMIN_EPIC_BOARD, _group_of(ctx, board)):
            changed = epic_boards.move_column(ctx, board, changed, position)
        elif collapsed is None:
            epic_boards.refuse_update()
    return {"list": BoardList(changed)}


@mutation("epicBoardListDestroy", input_fields=_LIST_ID, payload_fields=_GIVES_LIST, since=_LATER_CHANGES)
def destroy_list(ctx: WriteContext, list_id: str) -> Mapping[str, Any]:
    """Delete a list of a label from a board of epics."""
    _, column = _require_list(ctx, list_id, Ability.ADMIN_EPIC_BOARD)
    with collect_errors(list=BoardList(column)):
        epic_boards.delete_column(ctx, column)
    return {"list": None}


# Moves of epics


@mutation(
    "epicMoveList",
    input_fields=f'''
"""The global ID of the board."""
boardId: BoardsEpicBoardID!
"""The global ID of the epic."""
epicId: EpicID!
"""The global ID of the list in which the epic is."""
fromListId: BoardsEpicListID
"""The global ID of the list to which the epic is moved."""
toListId: BoardsEpicListID!
"""The global ID of the epic that comes before it."""
moveBeforeId: EpicID @lifetime(since: "<=14.1")
"""The global ID of the epic that comes after it."""
moveAfterId: EpicID @lifetime(since: "<=14.1")
"""The place in the list; {_LAST} is the end."""
positionInList: Int @lifetime(since: "{_PLACES}")
''',
    payload_fields='"""The epic."""\nepic: Epic',
    since="<=13.11",
)
def move_epic(
    ctx: WriteContext,
    board_id: str,
    epic_id: str,
    to_list_id: str,
    from_list_id: str | None = None,
    move_before_id: str | None = None,
    move_after_id: str | None = None,
    position_in_list: int | None = None,
) -> Mapping[str, Any]:
    """Move an epic to another list of a board, or to another place."""
    if from_list_id is None and move_before_id is None and move_after_id is None and position_in_list is None:
        raise GraphQLError(ctx.profile.choose(_NO_MOVE))
    if position_in_list is not None:
        check_place(position_in_list, has_neighbours=bool(move_before_id or move_after_id))
    board, epic = _require_board(ctx, board_id), _require_epic(ctx, epic_id)
    source, target = (_find_list(ctx, board, text) for text in (from_list_id, to_list_id))
    if source is not None and target is not None:
        epic = epic_boards.move_epic(ctx, board, epic, source, target)
    before, after = (_find_epic(ctx, text) for text in (move_before_id, move_after_id))
    if target is not None and position_in_list is not None:
        before, after = _find_neighbours(ctx, target, epic, position_in_list)
    epic_boards.place_epic(ctx, ctx.world.epic_boards[board.id], epic, before, after)
    return {"epic": ctx.world.epics[epic.id]}


def _find_neighbours(
    ctx: ReadContext, column: EpicBoardList, epic: Epic, place: int
) -> tuple[Epic | None, Epic | None]:
    """Return the epic before a place in a list or, unless it is the end, the one after it."""
    others = [other for other in epics_of_list(ctx, BoardList(column)) if other.id != epic.id]
    if 0 <= place < len(others):
        return None, others[place]
    return (others[-1] if others else None), None


def _find_list(ctx: ReadContext, board: EpicBoard, text: str | None) -> EpicBoardList | None:
    return None if text is None else epic_boards.find_column(ctx.world, board, parse_id(ctx, text, LIST_KIND))


def _find_epic(ctx: ReadContext, text: str | None) -> Epic | None:
    epic = ctx.world.epics.get(parse_id(ctx, text, "Epic")) if text is not None else None
    return epic if epic is not None and epic_access.is_visible(ctx, epic) else None


def _require_epic(ctx: WriteContext, text: str) -> Epic:
    epic = _find_epic(ctx, text)
    if epic is None or not _may(ctx, Ability.ADMIN_EPIC_BOARD, epic_access.group_of(ctx.world, epic)):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} does not administer it")
    return epic
