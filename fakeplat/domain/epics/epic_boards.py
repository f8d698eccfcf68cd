"""Boards of epics and their lists. Source: docs/platform/epics.md ('Boards')."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.domain.epics import epic_access, epics
from fakeplat.domain.epics.epics import EpicParams
from fakeplat.domain.planning import labels
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.epics import Epic, EpicBoard, EpicBoardList, ListKind
from fakeplat.model.people import Group, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_KINDS: Final[tuple[ListKind, ...]] = ("backlog", "label", "closed")
"""The kinds of lists in their order."""
_TITLES: Final = {"backlog": "Open", "closed": "Closed"}
_NOT_SAVED: Final = "There was an error when creating a board."
_LAST_BOARD: Final = "The board could not be deleted, because the parent doesn't have any other boards."
_FIXED: Final = "Open and closed lists on a board cannot be destroyed."
_NOT_UPDATED: Final = "The update was not successful."


class BoardChanges(TypedDict, total=False):
    """The changes of a board."""

    name: str
    hide_backlog_list: bool
    hide_closed_list: bool
    display_colors: bool
    label_ids: tuple[int, ...]


# Boards


def list_boards(world: World, group: Group) -> Sequence[EpicBoard]:
    """Return the epic boards of a group by their names."""
    return sorted(world.epic_boards.where("group", group.id), key=lambda board: (board.name.lower(), board.id))


def get_board(world: World, group: Group, id_: int) -> EpicBoard:
    """Return an epic board of a group, or raise 404."""
    board = world.epic_boards.get(id_)
    if board is None or board.group_id != group.id:
        raise RecordNotFound(reason=f"group {group.path} has no epic board {id_}")
    return board


def create(ctx: WriteContext, group: Group, name: str, **fields: Any) -> EpicBoard:
    """Create an epic board with its two fixed lists, or refuse with 400."""
    errors = _list_errors(name)
    if errors:
        raise BadRequest(_NOT_SAVED, reason=lambda: "; ".join(errors.full_messages()))
    table, lists, now = ctx.world.epic_boards, ctx.world.epic_board_lists, ctx.now_iso
    values = {"created_at": now, "updated_at": fields.get("created_at", now), **fields}
    board = table.add(EpicBoard(id=table.next_id(), group_id=group.id, name=name, **values))
    lists.add(EpicBoardList(lists.next_id(), board.id, None, None, "backlog"))
    lists.add(EpicBoardList(lists.next_id(), board.id, None, None, "closed"))
    return board


def update(ctx: WriteContext, board: EpicBoard, **changes: Unpack[BoardChanges]) -> EpicBoard:
    """Change a board, or refuse with 400."""
    _list_errors(changes.get("name", board.name)).refuse()
    changed = ctx.world.epic_boards.change(board, **changes)
    return changed if changed is board else ctx.world.epic_boards.change(changed, updated_at=ctx.now_iso)


def delete(ctx: WriteContext, board: EpicBoard) -> None:
    """Delete a board, unless it is the only one of its group."""
    if len(ctx.world.epic_boards.ids("group", board.group_id)) < 2:
        raise BadRequest(_LAST_BOARD)
    purge(ctx, board)


def _list_errors(name: str | None) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not (name or "").strip(), "name", BLANK)
    too_long(errors, "name", name)
    return errors


# Lists


def list_columns(world: World, board: EpicBoard) -> Sequence[EpicBoardList]:
    """Return the lists of labels of a board, in their order."""
    columns = (column for column in world.epic_board_lists.where("board", board.id) if column.kind == "label")
    return sorted(columns, key=lambda column: column.position or 0)


def list_shown(world: World, board: EpicBoard) -> Sequence[EpicBoardList]:
    """Return all lists of a board that it does not hide, in their order."""
    hidden = {"backlog": board.hide_backlog_list, "closed": board.hide_closed_list}
    columns = (each for each in world.epic_board_lists.where("board", board.id) if not hidden.get(each.kind, False))
    return sorted(columns, key=lambda column: (_KINDS.index(column.kind), column.position or 0))


def get_column(world: World, board: EpicBoard, id_: int) -> EpicBoardList:
    """Return a list of labels of a board, or raise 404."""
    column = find_column(world, board, id_)
    if column is None or column.kind != "label":
        raise RecordNotFound(reason=f"epic board {board.id} has no list {id_}")
    return column


def find_column(world: World, board: EpicBoard, id_: int) -> EpicBoardList | None:
    """Return a list of a board, if it has one with an id."""
    column = world.epic_board_lists.get(id_)
    return column if column is not None and column.board_id == board.id else None


def get_backlog(world: World, board: EpicBoard) -> EpicBoardList:
    """Return the list of open epics without a list."""
    return next(column for column in world.epic_board_lists.where("board", board.id) if column.kind == "backlog")


def title_of(world: World, column: EpicBoardList) -> str:
    """Return the title of a list."""
    return _TITLES[column.kind] if column.label_id is None else world.labels[column.label_id].title


def add_column(ctx: WriteContext, board: EpicBoard, label_id: int) -> EpicBoardList:
    """Add a list of a label at the end of a board."""
    table = ctx.world.epic_board_lists
    position = len(list_columns(ctx.world, board))
    return table.add(EpicBoardList(table.next_id(), board.id, label_id, position))


def add_label(ctx: WriteContext, group: Group, board: EpicBoard, label_id: int) -> EpicBoardList:
    """Add a list of a label that the group can use and that has none, or refuse with 400."""
    if all(label.id != label_id for label in labels.list_available(ctx.world, group)):
        raise BadRequest("Label not found")
    if any(column.label_id == label_id for column in list_columns(ctx.world, board)):
        raise BadRequest(f"Label {TAKEN}")
    return add_column(ctx, board, label_id)


def move_column(ctx: WriteContext, board: EpicBoard, column: EpicBoardList, position: int) -> EpicBoardList:
    """Move a list of a label to another position, or refuse with 400."""
    order = [other for other in list_columns(ctx.world, board) if other.id != column.id]
    if column.kind != "label" or position == column.position or not 0 <= position <= len(order):
        raise BadRequest(_NOT_UPDATED)
    order.insert(position, column)
    _renumber(ctx, order)
    return ctx.world.epic_board_lists[column.id]


def refuse_update() -> None:
    """Refuse a change of a list that changes nothing."""
    raise BadRequest(_NOT_UPDATED)


def _renumber(ctx: WriteContext, ordered: Sequence[EpicBoardList]) -> None:
    for position, column in enumerate(ordered):
        ctx.world.epic_board_lists.change(column, position=position)


def collapse(ctx: WriteContext, column: EpicBoardList, user: User, *, collapsed: bool) -> EpicBoardList:
    """Fold up a list for a user, or unfold it."""
    others = tuple(id_ for id_ in column.collapsed_by_ids if id_ != user.id)
    return ctx.world.epic_board_lists.change(column, collapsed_by_ids=(*others, user.id) if collapsed else others)


def delete_column(ctx: WriteContext, column: EpicBoardList) -> None:
    """Delete a list of a label."""
    if column.kind != "label":
        raise BadRequest(_FIXED)
    purge(ctx, column)


def close_gap(ctx: WriteContext, deleted: EpicBoardList) -> None:
    """Renumber the lists after one was deleted."""
    board = ctx.world.epic_boards.get(deleted.board_id)
    # Deleting a board deletes its lists as well, and then nothing is left to renumber.
    if board is not None:
        _renumber(ctx, list_columns(ctx.world, board))


# Epics


def state_of(column: EpicBoardList) -> str:
    """Return the state of the epics in a list."""
    return "closed" if column.kind == "closed" else "opened"


def select(world: World, board: EpicBoard, column: EpicBoardList, rows: Iterable[Epic]) -> list[Epic]:
    """Return the epics of a list, out of those in its state: by hand, but closed ones by the time of closing."""
    if column.kind == "closed":
        return sorted(rows, key=lambda epic: (epic.closed_at or "", epic.id), reverse=True)
    with_lists = _label_ids(world, board)
    if column.label_id is None:
        return _sort(board, (epic for epic in rows if with_lists.isdisjoint(epic.label_ids)))
    return _sort(board, (epic for epic in rows if column.label_id in epic.label_ids))


def _label_ids(world: World, board: EpicBoard) -> set[int]:
    return {column.label_id for column in list_columns(world, board) if column.label_id is not None}


def _sort(board: EpicBoard, rows: Iterable[Epic]) -> list[Epic]:
    places = {id_: place for place, id_ in enumerate(board.epic_ids)}
    return sorted(rows, key=lambda epic: (places.get(epic.id, len(places)), -epic.id))


def move_epic(ctx: WriteContext, board: EpicBoard, epic: Epic, source: EpicBoardList, target: EpicBoardList) -> Epic:
    """Move an epic from a list to another one: its labels and its state change, if the caller may administer it."""
    if source.id == target.id or not epic_access.can_administer(ctx, epic):
        return epic
    world = ctx.world
    lost = {source.label_id} if target.kind == "label" else _label_ids(world, board)
    changes: EpicParams = {
        "add_labels": [world.labels[target.label_id].title] if target.label_id is not None else [],
        "remove_labels": [world.labels[id_].title for id_ in lost if id_ is not None],
    }
    if "closed" in (source.kind, target.kind):
        changes["state_event"] = "reopen" if source.kind == "closed" else "close"
    return epics.update(ctx, epic, **changes)


def place_epic(ctx: WriteContext, board: EpicBoard, epic: Epic, before: Epic | None, after: Epic | None) -> EpicBoard:
    """Put an epic between others on a board: ``before`` comes before it, ``after`` after it."""
    neighbour = before or after
    if neighbour is None or neighbour.id == epic.id or not epic_access.can_administer(ctx, epic):
        return board
    group_ids = {each.group_id for each in (epic, neighbour)}
    # Everything down to the neighbour gets a place, as far as it had none.
    known = [each for id_ in group_ids for each in ctx.world.epics.where("group", id_)]
    known += [ctx.world.epics[id_] for id_ in board.epic_ids if ctx.world.epics[id_].group_id not in group_ids]
    order = [each.id for each in _sort(board, known) if each.id != epic.id]
    place = order.index(neighbour.id) + (before is not None)
    order.insert(place, epic.id)
    last = max(place, order.index(neighbour.id), *(order.index(id_) for id_ in board.epic_ids if id_ in order))
    return ctx.world.epic_boards.replace(board, evolve(board, epic_ids=tuple(order[: last + 1])))
