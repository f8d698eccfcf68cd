"""Issue boards and their lists. Source: docs/platform/boards.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params, at_least_one_of, exactly_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.issuables import issuable_fields
from fakeplat.domain.planning import boards
from fakeplat.domain.planning.boards import BoardChanges
from fakeplat.domain.purging import purge
from fakeplat.entities.planning.boards import BoardListView, BoardView
from fakeplat.model.planning import Board, BoardList, ListKind
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import ERRORS_OF_BOARD_LISTS_ARE_SENTENCES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Boards", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)
KINDS: Final[tuple[ListKind, ...]] = ("label", "milestone", "assignee")
LATER_KINDS: Final[tuple[ListKind, ...]] = ("label", "milestone", "iteration", "assignee")
_ITERATION_LISTS: Final = Lifetime(since="<=15.2")


@area.operation("GET", "boards", scope=CONTAINERS, ability=Ability.READ_BOARD, params=Paged, view=BoardView, many=True)
def list_boards(ctx: ReadContext, container: Container) -> Sequence[Board]:
    """List boards."""
    return boards.list_boards(ctx.world, container)


@area.operation(
    "GET", "boards/:board_id", scope=CONTAINERS, ability=Ability.READ_BOARD, view=BoardView, refusals=(404,)
)
def get_board(ctx: ReadContext, container: Container, board_id: int) -> Board:
    """Get a board."""
    return boards.get_board(ctx.world, container, board_id)


class CreateBoard(Params):
    """A new board."""

    name: str


@area.operation(
    "POST",
    "boards",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BOARD,
    params=CreateBoard,
    view=BoardView,
    refusals=(400, 403),
)
def create_board(ctx: WriteContext, container: Container, p: CreateBoard) -> Board:
    """Create a board."""
    return boards.create(ctx, container, p.name)


_HIDDEN_LISTS: Final = Lifetime(since="<=16.0")


class UpdateBoard(Params):
    """A new name and, on paid tiers, the filters of the board."""

    name: str | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None
    labels: CommaList[str] | None = None
    weight: int | None = None
    hide_backlog_list: Annotated[bool, _HIDDEN_LISTS] = False
    hide_closed_list: Annotated[bool, _HIDDEN_LISTS] = False

    rules = (
        at_least_one_of(
            "name", "hide_backlog_list", "hide_closed_list", "assignee_id", "milestone_id", "labels", "weight"
        ),
    )


@area.operation(
    "PUT",
    "boards/:board_id",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BOARD,
    params=UpdateBoard,
    view=BoardView,
    refusals=(400, 404),
)
def update_board(ctx: WriteContext, container: Container, board_id: int, p: UpdateBoard) -> Board:
    """Update a board."""
    return boards.update(
        ctx, boards.get_board(ctx.world, container, board_id), **_collect_board_fields(ctx, container, p)
    )


def _collect_board_fields(ctx: WriteContext, container: Container, p: UpdateBoard) -> BoardChanges:
    """Return the changes that the tier allows; unknown users and milestones count as none."""
    changes = p.given()
    fields: BoardChanges = {"name": changes["name"] or ""} if "name" in changes else {}
    if "hide_backlog_list" in changes:
        fields["hide_backlog_list"] = changes["hide_backlog_list"]
    if "hide_closed_list" in changes:
        fields["hide_closed_list"] = changes["hide_closed_list"]
    # Free tiers ignore the filters of a board; they do not refuse them.
    if not has_feature(ctx.world, "premium", container):
        return fields
    if "assignee_id" in changes:
        fields["assignee_id"] = changes["assignee_id"] if ctx.world.users.get(changes["assignee_id"] or 0) else None
    if "milestone_id" in changes:
        fields["milestone_id"] = boards.find_scope_milestone(ctx.world, container, changes["milestone_id"])
    if "labels" in changes:
        # Repeated titles yield the same label; each id is stored once, in the order of the titles.
        fields["label_ids"] = tuple(
            dict.fromkeys(issuable_fields.get_or_create_labels(ctx, container, changes["labels"] or ()))
        )
    if "weight" in changes:
        fields["weight"] = changes["weight"]
    return fields


@area.operation("DELETE", "boards/:board_id", scope=CONTAINERS, ability=Ability.ADMIN_BOARD, refusals=(403, 404, 412))
def delete_board(ctx: WriteContext, container: Container, board_id: int) -> None:
    """Delete a board."""
    board = boards.get_board(ctx.world, container, board_id)
    ctx.check_unmodified_since(board.updated_at)
    boards.delete_board(ctx, container, board)


@area.operation(
    "GET",
    "boards/:board_id/lists",
    scope=CONTAINERS,
    ability=Ability.READ_BOARD,
    params=Paged,
    view=BoardListView,
    many=True,
    name="list_{scope}_board_lists",
    refusals=(404,),
)
def list_board_lists(ctx: ReadContext, container: Container, board_id: int) -> Sequence[BoardList]:
    """List the lists of a board."""
    return boards.list_columns(ctx.world, boards.get_board(ctx.world, container, board_id))


@area.operation(
    "GET",
    "boards/:board_id/lists/:list_id",
    scope=CONTAINERS,
    ability=Ability.READ_BOARD,
    view=BoardListView,
    refusals=(404,),
)
def get_board_list(ctx: ReadContext, container: Container, board_id: int, list_id: int) -> BoardList:
    """Get a board list."""
    return boards.get_list(ctx.world, boards.get_board(ctx.world, container, board_id), list_id)


class CreateBoardList(Params):
    """The label, assignee, milestone or iteration to list; all but the label on paid tiers only."""

    label_id: int | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None
    iteration_id: Annotated[int | None, _ITERATION_LISTS] = None


@area.operation(
    "POST",
    "boards/:board_id/lists",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BOARD_LIST,
    params=CreateBoardList,
    view=BoardListView,
    refusals=(400, 404),
)
def create_board_list(ctx: WriteContext, container: Container, board_id: int, p: CreateBoardList) -> BoardList:
    """Create a board list for a label; on paid tiers also for an assignee, a milestone or an iteration."""
    kind, id_ = _require_list_subject(ctx, container, p)
    return boards.add_list(ctx, container, boards.get_board(ctx.world, container, board_id), kind, id_)


def _require_list_subject(ctx: ReadContext, container: Container, p: CreateBoardList) -> tuple[ListKind, int]:
    """Return the kind and id that the list is for: exactly one; free tiers read the label only."""
    # Free tiers know lists of labels only: they ignore the other ids, so the rule of exactly one does not apply.
    if not has_feature(ctx.world, "premium", container):
        if p.label_id is None:
            raise InvalidParams("label_id is missing")
        return "label", p.label_id
    params, kinds = p.given(), LATER_KINDS if ctx.profile.has(_ITERATION_LISTS) else KINDS
    if failures := exactly_one_of(*(f"{kind}_id" for kind in kinds)).find_failures(params):
        raise InvalidParams(*map(str, failures))
    kind = next(kind for kind in kinds if f"{kind}_id" in params)
    if params[f"{kind}_id"] is None and ctx.profile.has(ERRORS_OF_BOARD_LISTS_ARE_SENTENCES):
        # Without any id the list is one for a label.
        return "label", 0
    # A null counts as sent. 0 is no id, so the lookup refuses it like an unknown one.
    return kind, params[f"{kind}_id"] or 0


class MoveBoardList(Params):
    """The new position."""

    position: int


@area.operation(
    "PUT",
    "boards/:board_id/lists/:list_id",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BOARD_LIST,
    params=MoveBoardList,
    view=BoardListView,
    refusals=(400, 404),
)
def update_board_list(
    ctx: WriteContext, container: Container, board_id: int, list_id: int, p: MoveBoardList
) -> BoardList:
    """Move a board list to another position."""
    board = boards.get_board(ctx.world, container, board_id)
    return boards.move_list(ctx, board, boards.get_list(ctx.world, board, list_id), p.position)


@area.operation(
    "DELETE", "boards/:board_id/lists/:list_id", scope=CONTAINERS, ability=Ability.ADMIN_BOARD_LIST, refusals=(404, 412)
)
def delete_board_list(ctx: WriteContext, container: Container, board_id: int, list_id: int) -> None:
    """Delete a board list."""
    board_list = boards.get_list(ctx.world, boards.get_board(ctx.world, container, board_id), list_id)
    ctx.check_unmodified_since(board_list.updated_at)
    purge(ctx, board_list)
