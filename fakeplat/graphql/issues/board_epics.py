"""Epics on boards of issues, and new epics on boards of epics. Source: docs/platform/boards.md ('Epics')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access, epic_boards, epic_issues, epics
from fakeplat.domain.epics.epics import EpicFilter
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import boards
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.epic_boards import BOARD_KIND, LIST_KIND
from fakeplat.graphql.issues.epics import EPIC
from fakeplat.graphql.issues.issue_boards import Filters, list_issues
from fakeplat.graphql.lookups import require_group
from fakeplat.graphql.planning.boards import BOARD, require_board
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.model.planning import Board, BoardEpicPreference
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

_SINCE: Final = "<=13.6"


@frozen
class EpicOfBoard:
    """An epic of which a board shows issues."""

    board: Board
    epic: Epic

    @property
    def id(self) -> int:
        """The id of the epic."""
        return self.epic.id


def _epic_of(row: EpicOfBoard) -> Epic:
    return row.epic


PREFERENCES: Final = Type("BoardEpicUserPreferences", "How the caller sees an epic on a board.", since=_SINCE)
PREFERENCES.attributes({"collapsed: Boolean!": "Whether its issues are not shown."})
BOARD_EPIC: Final = Type(
    "BoardEpic",
    "An epic on a board of issues.",
    gid="Epic",
    since=_SINCE,
    base=EPIC,
    to_base=_epic_of,
    implements=EPIC.implements,
)


@BOARD_EPIC.field("userPreferences: BoardEpicUserPreferences")
def preferences_of(ctx: ReadContext, row: EpicOfBoard) -> BoardEpicPreference | None:
    """How the caller sees it, if they ever chose that."""
    return None if ctx.viewer is None else boards.find_preference(ctx.world, row.board, row.epic, ctx.viewer)


@BOARD.field("epics(issueFilters: BoardIssueInput): BoardEpicConnection", since=_SINCE)
def epics_of(ctx: ReadContext, board: Board, issue_filters: Filters | None = None) -> Sequence[EpicOfBoard]:
    """The open epics of the issues on the board that the caller sees, the newest first."""
    group = _group_of(ctx, board)
    if group is None or not has_feature(ctx.world, "premium", group):
        return ()
    links = (epic_issues.find_link(ctx.world, issue) for issue in list_issues(ctx, board, issue_filters or {}))
    shown = {link.epic_id for link in links if link is not None}
    is_of_group = isinstance(container_of(ctx.world, board.source), Group)
    criteria = EpicFilter(
        state="opened", include_ancestor_groups=True, include_descendant_groups=is_of_group, order_by="id"
    )
    return [EpicOfBoard(board, epic) for epic in epics.list_epics(ctx, group, criteria) if epic.id in shown]


def _group_of(ctx: ReadContext, board: Board) -> Group | None:
    container = container_of(ctx.world, board.source)
    namespace = ctx.world.namespaces[container.namespace_id] if isinstance(container, Project) else container
    return namespace if isinstance(namespace, Group) else None


@mutation(
    "updateBoardEpicUserPreferences",
    input_fields='''
"""The global ID of the board."""
boardId: BoardID!
"""The global ID of the epic."""
epicId: EpicID!
"""Whether its issues are not shown."""
collapsed: Boolean!
''',
    payload_fields='"""How the caller sees the epic."""\nepicUserPreferences: BoardEpicUserPreferences',
    since=_SINCE,
)
def update_preferences(ctx: WriteContext, board_id: str, epic_id: str, collapsed: bool) -> Mapping[str, Any]:
    """Set how the caller sees an epic on a board."""
    board = require_board(ctx, board_id, Ability.READ_BOARD)
    epic = ctx.world.epics.get(parse_id(ctx, epic_id, "Epic"))
    if epic is None or not epic_access.is_visible(ctx, epic):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no epic {epic_id}")
    return {"epic_user_preferences": boards.prefer(ctx, board, epic, ctx.signed_in_user, collapsed=collapsed)}


# New epics on boards of epics

_NO_BOARD: Final = "Board not found"
_NO_LIST: Final = "List not found"


@mutation(
    "boardEpicCreate",
    input_fields='''
"""The full path of the group."""
groupPath: ID!
"""The global ID of the board, of the group or of one above it."""
boardId: BoardsEpicBoardID!
"""The global ID of the list."""
listId: BoardsEpicListID!
"""The title."""
title: String!
''',
    payload_fields='"""The epic."""\nepic: Epic',
    since="<=14.1",
)
def create_epic(ctx: WriteContext, group_path: str, board_id: str, list_id: str, title: str) -> Mapping[str, Any]:
    """Create an epic in a list of a board, with its label."""
    group = require_group(ctx, group_path)
    if not has_feature(ctx.world, "premium", group) or not can(ctx, Ability.ADMIN_EPIC, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not create epics in {group_path}")
    board = ctx.world.epic_boards.get(parse_id(ctx, board_id, BOARD_KIND))
    if board is None or all(above.id != board.group_id for above in ancestors(ctx.world, group.id)):
        raise MutationFailed([_NO_BOARD], {"epic": None})
    column = epic_boards.find_column(ctx.world, board, parse_id(ctx, list_id, LIST_KIND))
    if column is None:
        raise MutationFailed([_NO_LIST], {"epic": None})
    titles = [ctx.world.labels[column.label_id].title] if column.label_id is not None else []
    with collect_errors(epic=None):
        return {"epic": epics.create(ctx, group, ctx.signed_in_user, title=title, labels=titles)}
