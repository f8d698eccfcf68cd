"""Boards of epics, which come from scenarios: the API only lists them."""

from collections.abc import Sequence
from typing import Any

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.model.epics import EpicBoard, EpicBoardList
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def list_boards(world: World, group: Group) -> Sequence[EpicBoard]:
    """Return the epic boards of a group by their names."""
    return sorted(world.epic_boards.where("group", group.id), key=lambda board: (board.name.lower(), board.id))


def get_board(world: World, group: Group, id_: int) -> EpicBoard:
    """Return an epic board of a group, or raise 404."""
    board = world.epic_boards.get(id_)
    if board is None or board.group_id != group.id:
        raise RecordNotFound(reason=f"group {group.path} has no epic board {id_}")
    return board


def list_columns(world: World, board: EpicBoard) -> Sequence[EpicBoardList]:
    """Return the lists of labels of a board, in their order."""
    return sorted(world.epic_board_lists.where("board", board.id), key=lambda column: column.position)


def get_column(world: World, board: EpicBoard, id_: int) -> EpicBoardList:
    """Return a list of a board, or raise 404."""
    column = world.epic_board_lists.get(id_)
    if column is None or column.board_id != board.id:
        raise RecordNotFound(reason=f"epic board {board.id} has no list {id_}")
    return column


def create(ctx: WriteContext, group: Group, name: str, **fields: Any) -> EpicBoard:
    """Create an epic board."""
    table, now = ctx.world.epic_boards, ctx.now_iso
    values = {"created_at": now, "updated_at": fields.get("created_at", now), **fields}
    return table.add(EpicBoard(id=table.next_id(), group_id=group.id, name=name, **values))


def add_column(ctx: WriteContext, board: EpicBoard, label_id: int) -> EpicBoardList:
    """Add a list of a label at the end of a board."""
    table = ctx.world.epic_board_lists
    position = len(list_columns(ctx.world, board))
    return table.add(EpicBoardList(table.next_id(), board.id, label_id, position))
