"""Issue boards of projects and groups. Source: docs/platform/graphql.md, docs/platform/boards.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

from graphql import GraphQLError

from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import boards
from fakeplat.domain.planning.boards import HiddenLists
from fakeplat.domain.purging import purge
from fakeplat.entities import urls
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace, require_project
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.people import Group
from fakeplat.model.planning import Board
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

_CHANGES: Final = "<=13.6"
_IDS: Final = "<=14.9"
_TIMES: Final = "<=14.0"
_PAGE: Final = "<=13.9"
Scalar("BoardID", "The global ID of a record of the type Board.", since=_CHANGES)
BOARD = Type("Board", "A board of a project or group.", gid="Board")
BOARD.attributes(
    {
        "name: String": "The name.",
        "hideBacklogList: Boolean": "Whether the list of open issues is hidden.",
        "hideClosedList: Boolean": "Whether the list of closed issues is hidden.",
    }
)
BOARD.attributes(
    {"createdAt: Time!": "Timestamp of creation.", "updatedAt: Time!": "Timestamp of the last update."}, since=_TIMES
)
_GIVES: Final = '"""The board."""\nboard: Board'
_ONE_PARENT: Final = "Exactly one of group_path or project_path arguments is required"
_LAST_BOARD: Final = "The board could not be deleted, because the parent doesn't have any other boards."
_BOARDS: Final = f"""boards(id: ID @lifetime(until: "{_IDS}"),
    id: BoardID @lifetime(since: "{_IDS}")): BoardConnection"""


@PROJECT.field(_BOARDS)
@GROUP.field(_BOARDS)
def boards_of(ctx: ReadContext, container: Container, id: str | None = None) -> Sequence[Board]:  # the name on the wire
    """The boards by name, or that with a global ID."""
    if not can(ctx, Ability.READ_BOARD, container):
        return ()
    wanted = None if id is None else parse_id(ctx, id, "Board")
    return [board for board in boards.list_boards(ctx.world, container) if wanted in (None, board.id)]


@mutation(
    "createBoard",
    input_fields='''
"""The full path of the project."""
projectPath: ID
"""The full path of the group."""
groupPath: ID
"""The name."""
name: String
"""Whether the list of open issues is hidden."""
hideBacklogList: Boolean
"""Whether the list of closed issues is hidden."""
hideClosedList: Boolean
''',
    payload_fields=_GIVES,
    since=_CHANGES,
)
def create_board(
    ctx: WriteContext,
    project_path: str | None = None,
    group_path: str | None = None,
    name: str | None = None,
    **hidden: Unpack[HiddenLists],
) -> Mapping[str, Any]:
    """Create a board in a project or group."""
    if (project_path is None) is (group_path is None):
        raise GraphQLError(_ONE_PARENT)
    container = _require_container(ctx, project_path or group_path or "", is_project=project_path is not None)
    authorize(ctx, Ability.ADMIN_BOARD, container)
    lists: Any = {key: value for key, value in hidden.items() if value is not None}
    with collect_errors(board=None):
        return {"board": boards.create(ctx, container, name or "Development", **lists)}


def _require_container(ctx: WriteContext, full_path: str, *, is_project: bool) -> Project | Group:
    if is_project:
        return require_project(ctx, full_path)
    group = find_namespace(ctx, full_path)
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(lambda: f"{full_path!r} is no group that {caller_name(ctx)} sees")
    return group


def require_board(ctx: ReadContext, text: str, ability: Ability) -> Board:
    """Return the board with a global ID; an error unless the caller has an ability on its project or group."""
    board = ctx.world.boards.get(parse_id(ctx, text, "Board"))
    if board is None:
        raise ResourceNotAvailable(lambda: f"there is no board {text}")
    if not can(ctx, ability, container_of(ctx.world, board.source)):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} lacks {ability.value}")
    return board


@mutation(
    "destroyBoard",
    input_fields='"""The ID of the board."""\nid: BoardID!',
    payload_fields=_GIVES,
    since=_CHANGES,
)
def destroy_board(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a board, unless it is the only one."""
    board = require_board(ctx, id, Ability.ADMIN_BOARD)
    if len(boards.list_boards(ctx.world, container_of(ctx.world, board.source))) < 2:
        raise MutationFailed([_LAST_BOARD], {"board": board})
    purge(ctx, board)
    return {"board": None}


@BOARD.field("webUrl: String!", since=_PAGE)
def web_url(ctx: ReadContext, board: Board) -> str:
    """The URL of the board's page."""
    return f"{urls.container_url(ctx, container_of(ctx.world, board.source))}/-/boards/{board.id}"


@BOARD.field("webPath: String!", since=_PAGE)
def web_path(ctx: ReadContext, board: Board) -> str:
    """The path of the board's page."""
    return web_url(ctx, board).removeprefix(ctx.origin)
