"""Boards of issues and the lists on them. Source: docs/platform/boards.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params, at_least_one_of, exactly_one_of
from fakeplat.domain.planning import boards
from fakeplat.domain.planning import issuable_fields as planning
from fakeplat.domain.purging import purge
from fakeplat.entities.boards import BoardListView, BoardView
from fakeplat.model.boards import Board, BoardList, ListKind
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Boards", login=Login.ALWAYS)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group
KINDS: Final[tuple[ListKind, ...]] = ("label", "milestone", "assignee")
_ONE_OF: Final = exactly_one_of(*(f"{kind}_id" for kind in KINDS))


@area.operation("GET", "boards", scope=PLACES, ability=Ability.READ_BOARD, params=Paged, view=BoardView, many=True)
def list_boards(ctx: ReadContext, container: Place, p: Paged) -> Sequence[Board]:
    """List boards."""
    del p
    return boards.list_boards(ctx.world, container)


@area.operation("GET", "boards/:board_id", scope=PLACES, ability=Ability.READ_BOARD, view=BoardView, refusals=(404,))
def get_board(ctx: ReadContext, container: Place, board_id: int) -> Board:
    """Get a board."""
    return boards.find_board(ctx.world, container, board_id)


class CreateBoard(Params):
    """A new board."""

    name: str


@area.operation(
    "POST",
    "boards",
    scope=PLACES,
    ability=Ability.ADMIN_BOARD,
    params=CreateBoard,
    view=BoardView,
    refusals=(400, 403),
)
def create_board(ctx: WriteContext, container: Place, p: CreateBoard) -> Board:
    """Create a board."""
    return boards.create(ctx, container, p.name)


class UpdateBoard(Params):
    """Another name; on paid tiers also what the board is narrowed down to."""

    name: str | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None
    labels: CommaList[str] | None = None
    weight: int | None = None

    rules = (at_least_one_of("name", "assignee_id", "milestone_id", "labels", "weight"),)


@area.operation(
    "PUT",
    "boards/:board_id",
    scope=PLACES,
    ability=Ability.ADMIN_BOARD,
    params=UpdateBoard,
    view=BoardView,
    refusals=(400, 404),
)
def update_board(ctx: WriteContext, container: Place, board_id: int, p: UpdateBoard) -> Board:
    """Update a board."""
    return boards.update(ctx, boards.find_board(ctx.world, container, board_id), _fields(ctx, container, p))


def _fields(ctx: WriteContext, container: Place, p: UpdateBoard) -> dict[str, Any]:
    """What of the parameters the place may have; people and milestones that it does not have are nothing."""
    given = p.given()
    fields = {"name": given["name"] or ""} if "name" in given else {}
    if not has_feature(ctx.world, "premium", container):
        return fields
    if "assignee_id" in given:
        fields["assignee_id"] = given["assignee_id"] if ctx.world.users.get(given["assignee_id"] or 0) else None
    if "milestone_id" in given:
        fields["milestone_id"] = boards.find_scope_milestone(ctx.world, container, given["milestone_id"])
    if "labels" in given:
        fields["label_ids"] = tuple(
            dict.fromkeys(planning.find_or_create_labels(ctx, container, given["labels"] or ()))
        )
    if "weight" in given:
        fields["weight"] = given["weight"]
    return fields


@area.operation("DELETE", "boards/:board_id", scope=PLACES, ability=Ability.ADMIN_BOARD, refusals=(403, 404, 412))
def delete_board(ctx: WriteContext, container: Place, board_id: int) -> None:
    """Delete a board."""
    board = boards.find_board(ctx.world, container, board_id)
    ctx.check_unmodified_since(board.updated_at)
    boards.delete_board(ctx, container, board)


@area.operation(
    "GET",
    "boards/:board_id/lists",
    scope=PLACES,
    ability=Ability.READ_BOARD,
    params=Paged,
    view=BoardListView,
    many=True,
    name="list_{scope}_board_lists",
    refusals=(404,),
)
def list_board_lists(ctx: ReadContext, container: Place, board_id: int, p: Paged) -> Sequence[BoardList]:
    """List the lists of a board."""
    del p
    return boards.list_columns(ctx.world, boards.find_board(ctx.world, container, board_id))


@area.operation(
    "GET",
    "boards/:board_id/lists/:list_id",
    scope=PLACES,
    ability=Ability.READ_BOARD,
    view=BoardListView,
    refusals=(404,),
)
def get_board_list(ctx: ReadContext, container: Place, board_id: int, list_id: int) -> BoardList:
    """Get a board list."""
    return boards.find_list(ctx.world, boards.find_board(ctx.world, container, board_id), list_id)


class CreateBoardList(Params):
    """Whose issues it lists; those of a person or milestone on paid tiers only."""

    label_id: int | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None


@area.operation(
    "POST",
    "boards/:board_id/lists",
    scope=PLACES,
    ability=Ability.ADMIN_BOARD_LIST,
    params=CreateBoardList,
    view=BoardListView,
    refusals=(400, 404),
)
def create_board_list(ctx: WriteContext, container: Place, board_id: int, p: CreateBoardList) -> BoardList:
    """Create a board list for a label; on paid tiers also for an assignee or a milestone."""
    kind, id_ = _listed(ctx, container, p)
    return boards.add_list(ctx, container, boards.find_board(ctx.world, container, board_id), kind, id_)


def _listed(ctx: ReadContext, container: Place, p: CreateBoardList) -> tuple[ListKind, int]:
    """What it is to be a list of: exactly one thing; only labels are looked at where nothing is paid."""
    if not has_feature(ctx.world, "premium", container):
        if p.label_id is None:
            raise InvalidParams("label_id is missing")
        return "label", p.label_id
    given = p.given()
    if failures := _ONE_OF.broken(given):
        raise InvalidParams(*map(str, failures))
    kind = next(kind for kind in KINDS if f"{kind}_id" in given)
    return kind, given[f"{kind}_id"] or 0


class MoveBoardList(Params):
    """Where to."""

    position: int


@area.operation(
    "PUT",
    "boards/:board_id/lists/:list_id",
    scope=PLACES,
    ability=Ability.ADMIN_BOARD_LIST,
    params=MoveBoardList,
    view=BoardListView,
    refusals=(400, 404),
)
def update_board_list(ctx: WriteContext, container: Place, board_id: int, list_id: int, p: MoveBoardList) -> BoardList:
    """Move a board list to another position."""
    board = boards.find_board(ctx.world, container, board_id)
    return boards.move_list(ctx, board, boards.find_list(ctx.world, board, list_id), p.position)


@area.operation(
    "DELETE", "boards/:board_id/lists/:list_id", scope=PLACES, ability=Ability.ADMIN_BOARD_LIST, refusals=(404, 412)
)
def delete_board_list(ctx: WriteContext, container: Place, board_id: int, list_id: int) -> None:
    """Delete a board list."""
    found = boards.find_list(ctx.world, boards.find_board(ctx.world, container, board_id), list_id)
    ctx.check_unmodified_since(found.updated_at)
    purge(ctx, found)
