"""Issue boards of projects and groups. Source: docs/platform/graphql.md, docs/platform/boards.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import boards
from fakeplat.entities import urls
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type
from fakeplat.model.planning import Board
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_IDS: Final = "<=14.9"
_TIMES: Final = "<=14.0"
_PAGE: Final = "<=13.9"
Scalar("BoardID", "The global ID of a record of the type Board.", since=_IDS)
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


@BOARD.field("webUrl: String!", since=_PAGE)
def web_url(ctx: ReadContext, board: Board) -> str:
    """The URL of the board's page."""
    return f"{urls.container_url(ctx, container_of(ctx.world, board.source))}/-/boards/{board.id}"


@BOARD.field("webPath: String!", since=_PAGE)
def web_path(ctx: ReadContext, board: Board) -> str:
    """The path of the board's page."""
    return web_url(ctx, board).removeprefix(ctx.origin)
