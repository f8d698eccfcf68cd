"""Lists of issue boards, the issues in them, and how these are moved.

Source: docs/platform/boards.md, docs/platform/graphql.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import board_columns, boards
from fakeplat.domain.planning.board_columns import Column
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import LABEL_KINDS, global_id, parse_id, parse_number_or_id
from fakeplat.graphql.issues.issue_lists import issues_of_group, issues_of_project
from fakeplat.graphql.lookups import require_issue
from fakeplat.graphql.planning.boards import BOARD, require_board
from fakeplat.graphql.schema_builder import QUERY, Input, Scalar, Type, mutation, to_snake_case
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, User
from fakeplat.model.planning import MILESTONE_FILTERS, Board, Iteration, Label, ListKind, Milestone
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Filters = Mapping[str, Any]
_NO_FILTERS: Final[Filters] = {}
_KIND: Final = "List"
_LAST: Final = -1
_EPIC_ID: Final = "<=13.11"
Scalar("ListID", "The global ID of a list of a board.")
_INPUT_FIELDS: Final = f'''
"""The names of labels that the issues have."""
labelName: [String]
"""The username of the author."""
authorUsername: String
"""The usernames of assignees."""
assigneeUsername: [String]
"""The title of the milestone."""
milestoneTitle: String
"""The reaction of the caller."""
myReactionEmoji: String
"""The tag of a release of the milestone."""
releaseTag: String
"""The epic."""
epicId: String @lifetime(until: "{_EPIC_ID}")
"""The epic."""
epicId: EpicID @lifetime(since: "{_EPIC_ID}")
"""The title of the iteration."""
iterationTitle: String
"""The weight."""
weight: String
"""The numbers."""
iids: [String!] @lifetime(since: "<=14.0")
"""The types."""
types: [IssueType!] @lifetime(since: "<=14.3")
'''
Input(
    "NegatedBoardIssueInput",
    "What the issues must not have.",
    f'''{_INPUT_FIELDS}
"""The kind of milestone."""
milestoneWildcardId: NegatedMilestoneWildcardId @lifetime(since: "<=14.3")
"""The health status."""
healthStatusFilter: HealthStatus @lifetime(since: "<=15.8")
''',
)
Input(
    "BoardIssueInput",
    "Which issues of a list are shown.",
    f'''{_INPUT_FIELDS}
"""What they must not have."""
not: NegatedBoardIssueInput
"""Filters of which at least one value has to match."""
or: UnionedIssueFilterInput @lifetime(since: "<=15.8")
"""A text in the title or the description."""
search: String
"""Whether there is an epic."""
epicWildcardId: EpicWildcardId @lifetime(since: "<=16.2")
"""Whether there is an assignee."""
assigneeWildcardId: AssigneeWildcardId @lifetime(since: "<=14.0")
"""Whether they are confidential."""
confidential: Boolean @lifetime(since: "<=14.9")
"""The health status."""
healthStatusFilter: HealthStatusFilter @lifetime(since: "<=15.8")
"""The kind of milestone."""
milestoneWildcardId: MilestoneWildcardId @lifetime(since: "<=14.3")
"""Whether there is a weight."""
weightWildcardId: WeightWildcardId @lifetime(since: "<=14.0")
''',
)
_NAMES: Final = {"assignee_username": "assignee_usernames"}
_LISTED: Final = ("milestone_title", "release_tag")
"""Filters that take several values elsewhere, and one here."""
_INCOMPATIBLE: Final = (("assigneeUsername", "assigneeWildcardId"), ("milestoneTitle", "milestoneWildcardId"))


@frozen
class ShownList:
    """A list of a board, and the filters of what it counts."""

    column: Column
    filters: Filters = _NO_FILTERS

    @property
    def id(self) -> int:
        """The number of the list."""
        return self.column.id


LIST: Final = Type("BoardList", "A list of a board.")


@BOARD.field("lists(id: ListID, issueFilters: BoardIssueInput): BoardListConnection")
def lists_of(
    ctx: ReadContext, board: Board, id: str | None = None, issue_filters: Filters | None = None
) -> Sequence[ShownList]:
    """The lists that are not hidden; filters concern what they count."""
    wanted = None if id is None else parse_id(ctx, id, _KIND)
    columns = board_columns.list_columns(ctx.world, board)
    return [ShownList(column, issue_filters or _NO_FILTERS) for column in columns if wanted in (None, column.id)]


@QUERY.field("boardList(id: ListID!, issueFilters: BoardIssueInput): BoardList", since="<=14.9")
def list_with_id(ctx: ReadContext, id: str, issue_filters: Filters | None = None) -> ShownList | None:
    """The list of a board with a global ID, if the caller sees it."""
    column = board_columns.find_column(ctx.world, parse_id(ctx, id, _KIND))
    if column is None or not _may(ctx, Ability.READ_BOARD, column.board):
        return None
    return ShownList(column, issue_filters or _NO_FILTERS)


def _may(ctx: ReadContext, ability: Ability, board: Board) -> bool:
    return can(ctx, ability, container_of(ctx.world, board.source))


@LIST.field("id: ID!")
def id_of(ctx: ReadContext, row: ShownList) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, row.column.id)


@LIST.field("title: String!")
def title(ctx: ReadContext, row: ShownList) -> str:
    """The title."""
    return board_columns.title_of(ctx.world, row.column)


@LIST.field("listType: String!")
def list_type(_ctx: ReadContext, row: ShownList) -> str:
    """What the list is for."""
    return row.column.kind


@LIST.field("position: Int")
def position(_ctx: ReadContext, row: ShownList) -> int | None:
    """The place among the lists that can be moved."""
    return row.column.position


@LIST.field("label: Label")
def label(ctx: ReadContext, row: ShownList) -> Label | None:
    """The label that all of its issues have."""
    return ctx.world.labels.get(row.column.subject_id("label") or 0)


@LIST.field("milestone: Milestone")
def milestone(ctx: ReadContext, row: ShownList) -> Milestone | None:
    """The milestone of all of its issues."""
    return ctx.world.milestones.get(row.column.subject_id("milestone") or 0)


@LIST.field("assignee: User")
def assignee(ctx: ReadContext, row: ShownList) -> User | None:
    """The user to whom all of its issues are assigned."""
    return ctx.world.users.get(row.column.subject_id("assignee") or 0)


@LIST.field("iteration: Iteration")
def iteration(ctx: ReadContext, row: ShownList) -> Iteration | None:
    """The iteration of all of its issues."""
    return ctx.world.iterations.get(row.column.subject_id("iteration") or 0)


@LIST.field("issues(filters: BoardIssueInput): IssueConnection")
def issues_of_list(ctx: ReadContext, row: ShownList, filters: Filters | None = None) -> Sequence[Issue]:
    """The issues in the list that the caller sees, in their order by hand; closed ones with the last one first."""
    return _list_issues(ctx, row.column, filters or _NO_FILTERS)


@LIST.field("issuesCount: Int")
def issues_count(ctx: ReadContext, row: ShownList) -> int:
    """The number of issues."""
    return len(_list_issues(ctx, row.column, row.filters))


@LIST.field("totalIssueWeight: BigInt", since="<=16.2")
def total_weight(ctx: ReadContext, row: ShownList) -> int:
    """The weight of all issues."""
    return sum(issue.weight or 0 for issue in _list_issues(ctx, row.column, row.filters))


def _list_issues(ctx: ReadContext, column: Column, filters: Filters) -> Sequence[Issue]:
    return board_columns.select(ctx.world, column, list_issues(ctx, column.board, filters))


def list_issues(ctx: ReadContext, board: Board, filters: Filters) -> Sequence[Issue]:
    """Return the issues in all lists of a board that the caller sees, in their order by hand."""
    container = container_of(ctx.world, board.source)
    given: Any = {"sort": ("relative_position", "asc"), **_read_filters(filters)}
    found: Sequence[Issue] = ()
    titled, in_epic = given.pop("iteration_title", None), given.get("not", {}).pop("epic_id", None)
    given = _add_scope(ctx, board, given)
    if isinstance(container, Project):
        found = issues_of_project(ctx, container, **given)
    elif isinstance(container, Group):
        found = issues_of_group(ctx, container, include_subgroups=True, include_archived=False, **given)
    excluded = _list_in_epic(ctx, in_epic) if in_epic else frozenset()
    shown = [issue for issue in found if issue.id not in excluded and _is_in_iteration(ctx, issue, titled)]
    return board_columns.keep_shown(shown)


def _list_in_epic(ctx: ReadContext, text: str) -> frozenset[int]:
    epic_id = parse_number_or_id(ctx, text, "Epic")
    return frozenset(link.issue_id for link in ctx.world.epic_issues.where("epic", epic_id))


def _is_in_iteration(ctx: ReadContext, issue: Issue, title: str | None) -> bool:
    """Return whether an issue is in an iteration of a title; any issue is if there is no title."""
    if title is None:
        return True
    iteration = ctx.world.iterations.get(issue.iteration_id or 0)
    return iteration is not None and iteration.title == title


def _read_filters(filters: Filters) -> dict[str, Any]:
    """Return the arguments of lists of issues that the filters of a board stand for."""
    given = {name: value for name, value in filters.items() if value is not None}
    for names in _INCOMPATIBLE:
        if all(to_snake_case(name) in given for name in names):
            raise GraphQLError(f"Incompatible arguments: {', '.join(names)}.")
    read: dict[str, Any] = {
        _NAMES.get(name, name): [value] if name in _LISTED else value for name, value in given.items()
    }
    if "not" in read:
        read["not"] = {name: value for name, value in _read_filters(read["not"]).items() if name != "iteration_title"}
    return read


def _add_scope(ctx: ReadContext, board: Board, given: dict[str, Any]) -> dict[str, Any]:
    """Return filters with what the board is limited to; paid tiers only."""
    if not has_feature(ctx.world, "premium", container_of(ctx.world, board.source)):
        return given
    scope: dict[str, Any] = {}
    if board.milestone_id is not None:
        special = MILESTONE_FILTERS.get(board.milestone_id)
        if special is not None:
            scope["milestone_wildcard_id"] = special.word
        else:
            scope["milestone_title"] = [ctx.world.milestones[board.milestone_id].title]
    if board.assignee_id is not None:
        scope["assignee_usernames"] = [ctx.world.users[board.assignee_id].username]
    if board.weight is not None and board.weight >= 0:
        scope["weight"] = str(board.weight)
    titles = [ctx.world.labels[id_].title for id_ in board.label_ids]
    return {**given, **scope, "label_name": [*(given.get("label_name") or ()), *titles]}


# Changes of lists

_GIVES: Final = '"""The list."""\nlist: BoardList'
_LIST_ID: Final = '"""The global ID of the list."""\nlistId: ListID!\n'
_TARGETS: Final = ("backlog", "labelId", "milestoneId", "iterationId", "assigneeId")
_PAID_KINDS: Final[Mapping[str, ListKind]] = {
    "milestone_id": "milestone",
    "iteration_id": "iteration",
    "assignee_id": "assignee",
}


class ListTarget(TypedDict, total=False):
    """What a new list is for: one of these."""

    backlog: bool | None
    label_id: str | None
    milestone_id: str | None
    iteration_id: str | None
    assignee_id: str | None


@mutation(
    "boardListCreate",
    input_fields='''
"""The global ID of the board."""
boardId: BoardID!
"""Whether the list is that of open issues."""
backlog: Boolean
"""The global ID of the label."""
labelId: LabelID
"""The global ID of the milestone; paid tiers only."""
milestoneId: MilestoneID
"""The global ID of the iteration; paid tiers only."""
iterationId: IterationID
"""The global ID of the assignee; paid tiers only."""
assigneeId: UserID
"""The place of the list."""
position: Int @lifetime(since: "<=18.5")
''',
    payload_fields=_GIVES,
    since="<=13.6",
)
def create_list(
    ctx: WriteContext, board_id: str, position: int | None = None, **target: Unpack[ListTarget]
) -> Mapping[str, Any]:
    """Add a list to a board."""
    if len(target) != 1:
        raise GraphQLError(f"one and only one of {' or '.join(_TARGETS)} is required")
    board = require_board(ctx, board_id, Ability.ADMIN_BOARD_LIST)
    if "backlog" in target:
        return {"list": ShownList(board_columns.get_backlog(board))}
    kind, id_ = _read_target(ctx, board, target)
    container = container_of(ctx.world, board.source)
    with collect_errors(list=None):
        added = boards.add_list(ctx, container, board, kind, id_)
        if position is not None and position != added.position:
            added = boards.move_list(ctx, board, added, position)
    return {"list": ShownList(Column(board, kind, added))}


def _read_target(ctx: ReadContext, board: Board, target: ListTarget) -> tuple[ListKind, int]:
    """Return what a list is for; free tiers have lists of labels only."""
    is_paid = has_feature(ctx.world, "premium", container_of(ctx.world, board.source))
    for name, kind in _PAID_KINDS.items():
        text = target.get(name)
        if isinstance(text, str) and is_paid:
            return kind, parse_id(ctx, text, "User" if kind == "assignee" else kind.title())
    label = target.get("label_id")
    return "label", parse_id(ctx, label, *LABEL_KINDS) if label else 0


def _require_list(ctx: WriteContext, text: str, ability: Ability) -> Column:
    column = board_columns.find_column(ctx.world, parse_id(ctx, text, _KIND))
    if column is None or not _may(ctx, ability, column.board):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} lacks {ability.value}")
    return column


@mutation(
    "updateBoardList",
    input_fields=f'{_LIST_ID}\n"""The place among the lists that can be moved."""\nposition: Int',
    payload_fields=_GIVES,
)
def update_list(ctx: WriteContext, list_id: str, position: int | None = None) -> Mapping[str, Any]:
    """Move a list of a board; who does not administer the board moves none."""
    column = _require_list(ctx, list_id, Ability.READ_BOARD)
    is_moved = position is not None and position != column.position
    if column.listed is None or not _may(ctx, Ability.ADMIN_BOARD_LIST, column.board):
        return {"list": ShownList(column), "errors": ["The update was not successful."]}
    if not is_moved or position is None:
        return {"list": ShownList(column)}
    with collect_errors(list=ShownList(column)):
        moved = boards.move_list(ctx, column.board, column.listed, position)
    return {"list": ShownList(Column(column.board, column.kind, moved))}


@mutation("destroyBoardList", input_fields=_LIST_ID, payload_fields=_GIVES, since="<=13.6")
def destroy_list(ctx: WriteContext, list_id: str) -> Mapping[str, Any]:
    """Delete a list of a board, but not that of open or closed issues."""
    column = _require_list(ctx, list_id, Ability.ADMIN_BOARD_LIST)
    with collect_errors(list=ShownList(column)):
        purge(ctx, board_columns.get_record(column))
    return {"list": None}


# Moves of issues

_NO_MOVE: Final = (
    "At least one of the arguments fromListId, toListId, positionInList, moveAfterId, or moveBeforeId is required"
)
_HALF_MOVE: Final = "Both fromListId and toListId must be present"
_NO_LISTS: Final = "Both fromListId and toListId are required when positionInList is given"
_TWO_PLACES: Final = "positionInList is mutually exclusive with any of moveBeforeId or moveAfterId"
_NO_EPIC: Final = "Resource not found"
_NOT_ALLOWED: Final = "You are not allowed to move the issue"
_WRONG_PLACE: Final = f"positionInList must be >= 0 or {_LAST}"


class Move(TypedDict, total=False):
    """Where an issue is moved."""

    from_list_id: str | None
    to_list_id: str | None
    move_before_id: str | None
    move_after_id: str | None
    position_in_list: int | None
    epic_id: str | None


@mutation(
    "issueMoveList",
    input_fields=f'''
"""The global ID of the board."""
boardId: BoardID!
"""The full path of the project."""
projectPath: ID!
"""The number of the issue."""
iid: String!
"""The number of the list in which the issue is."""
fromListId: ID
"""The number of the list to which it is moved."""
toListId: ID
"""The number of the issue that comes before it."""
moveBeforeId: ID
"""The number of the issue that comes after it."""
moveAfterId: ID
"""The place in the list; {_LAST} is the end."""
positionInList: Int @lifetime(since: "<=15.8")
"""The global ID of the epic; null takes it out of its epic."""
epicId: EpicID
''',
    payload_fields='"""The issue."""\nissue: Issue',
    since="<=13.6",
)
def move_issue(
    ctx: WriteContext, board_id: str, project_path: str, iid: str, **move: Unpack[Move]
) -> Mapping[str, Any]:
    """Move an issue to another list of a board, or to another place."""
    _check(move)
    board = require_board(ctx, board_id, Ability.READ_BOARD)
    _, issue = require_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    source, target = (_find_list(ctx, board, text) for text in (move.get("from_list_id"), move.get("to_list_id")))
    before_id, after_id = (parse_number(text or "") for text in (move.get("move_before_id"), move.get("move_after_id")))
    place = move.get("position_in_list")
    with collect_errors(issue=issue):
        if target is not None and place is not None:
            before_id, after_id = _find_neighbours(ctx, target, place)
        moved = issue
        if "epic_id" in move:
            moved = _change_epic(ctx, moved, move["epic_id"])
        if source is not None and target is not None:
            moved = board_columns.move_issue(ctx, moved, source, target)
        return {"issue": board_columns.place_issue(ctx, moved, before_id, after_id)}


def _change_epic(ctx: WriteContext, issue: Issue, text: str | None) -> Issue:
    epic_id = None if text is None else parse_id(ctx, text, "Epic")
    try:
        return issues.update(ctx, ctx.world.projects[issue.project_id], issue, epic_id=epic_id)
    except NotFound as refusal:
        raise MutationFailed([_NO_EPIC], {"issue": issue}) from refusal
    except Forbidden as refusal:
        raise MutationFailed([_NOT_ALLOWED], {"issue": issue}) from refusal


def _check(move: Move) -> None:
    place = move.get("position_in_list")
    lists = [name for name in ("from_list_id", "to_list_id") if name in move]
    if not move:
        raise GraphQLError(_NO_MOVE)
    if len(lists) == 1:
        raise GraphQLError(_HALF_MOVE)
    if place is None:
        return
    if not lists:
        raise GraphQLError(_NO_LISTS)
    check_place(place, has_neighbours=bool(move.get("move_before_id") or move.get("move_after_id")))


def check_place(place: int, *, has_neighbours: bool) -> None:
    """Refuse a place in a list that does not exist, or that is given beside other issues or epics."""
    if has_neighbours:
        raise GraphQLError(_TWO_PLACES)
    if place < _LAST:
        raise GraphQLError(_WRONG_PLACE)


def _find_list(ctx: ReadContext, board: Board, text: str | None) -> Column | None:
    column = board_columns.find_column(ctx.world, parse_number(text or "") or 0)
    return column if column is not None and column.board.id == board.id else None


def _find_neighbours(ctx: ReadContext, column: Column, place: int) -> tuple[int | None, int | None]:
    """Return the issue before a place in a list and the one after it, of which one is enough."""
    found = _list_issues(ctx, column, _NO_FILTERS)
    if 0 <= place < len(found):
        return None, found[place].id
    return (found[-1].id if found else None), None
