"""Boards of issues and the lists on them. Source: more on boards."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.errors import BadRequest, Forbidden, InvalidParams, InvalidRecord, RecordNotFound
from fakeplat.domain import labels, milestones
from fakeplat.domain.checks import BLANK, TAKEN, Faults, ruby, too_long
from fakeplat.domain.members import Place, source_of
from fakeplat.model.boards import Board, BoardList
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.naming import named

PAID: Final = ("milestone_id", "assignee_id", "label_ids", "weight")


def of(world: World, place: Place) -> Sequence[Board]:
    """The boards of a place, by name."""
    return sorted(world.boards.where("source", source_of(place)), key=lambda board: (board.name.lower(), board.id))


def find(world: World, place: Place, id_: int) -> Board:
    """A board of a place, or 404."""
    found = world.boards.get(id_)
    if found is None or found.source != source_of(place):
        raise RecordNotFound(reason=lambda: f"{named(world, place)} has no board {id_}")
    return found


def create(cx: Doing, place: Place, name: str, **fields: Any) -> Board:
    """Make a board; a group on the free tier has one at most."""
    if of(cx.world, place):
        _demand_several(cx, place)
    _refuse(name)
    table, now = cx.world.boards, cx.instant
    return table.add(Board(table.next_id(), source_of(place), name, **{"created_at": now, "updated_at": now, **fields}))


def _demand_several(cx: Context, place: Place) -> None:
    if isinstance(place, Group) and not has(cx.world, "premium", place):
        raise Forbidden(reason=lambda: f"{named(cx.world, place)} may have one board only; several are a paid feature")


def _refuse(name: str) -> None:
    faults = Faults()
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)
    if faults:
        texts = {field: faults.texts(field) for field in faults}
        raise BadRequest(f"400 Bad request - Failed to save board {ruby(texts)}")


def update(cx: Doing, board: Board, fields: Mapping[str, Any]) -> Board:
    """Change a board."""
    _refuse(fields.get("name", board.name))
    changed = cx.world.boards.change(board, **fields)
    return changed if changed is board else cx.world.boards.change(changed, updated_at=cx.instant)


def delete(cx: Doing, place: Place, board: Board) -> None:
    """Remove a board with its lists, where there may be several."""
    _demand_several(cx, place)
    remove(cx, board)


def remove(cx: Doing, board: Board) -> None:
    """Remove a board with its lists."""
    for one in list(cx.world.board_lists.where("board", board.id)):
        cx.world.board_lists.remove(one)
    cx.world.boards.remove(board)


def drop(cx: Doing, place: Place) -> None:
    """Remove all boards of a place that goes."""
    for board in list(cx.world.boards.where("source", source_of(place))):
        remove(cx, board)


def lists_of(world: World, board: Board) -> list[BoardList]:
    """The lists of a board in their order."""
    return sorted(world.board_lists.where("board", board.id), key=lambda one: one.position)


def find_list(world: World, board: Board, id_: int) -> BoardList:
    """A list of a board, or 404."""
    found = world.board_lists.get(id_)
    if found is None or found.board_id != board.id:
        raise RecordNotFound(reason=f"board {board.name} has no list {id_}")
    return found


def add_list(cx: Doing, place: Place, board: Board, label_id: int) -> BoardList:
    """Make a list of a label that the place can use, behind the others."""
    label = next((one for one in labels.usable(cx.world, place) if one.id == label_id), None)
    if label is None:
        raise InvalidParams("Label not found!", reason=f"{named(cx.world, place)} cannot use a label {label_id}")
    if cx.world.board_lists.find("label", (board.id, label.id)):
        raise InvalidRecord({"label_id": [TAKEN]})
    return put_list(cx, board, label)


def put_list(cx: Doing, board: Board, label: Label) -> BoardList:
    """Make a list of a label, behind the others."""
    table, now = cx.world.board_lists, cx.instant
    position = len(table.ids("board", board.id))
    return table.add(BoardList(table.next_id(), board.id, label.id, position, now, now))


def move_list(cx: Doing, board: Board, one: BoardList, position: int) -> BoardList:
    """Put a list at another of the board's positions; the others make room."""
    order = [other for other in lists_of(cx.world, board) if other.id != one.id]
    if position == one.position or not 0 <= position <= len(order):
        reason = f"the list is at {one.position}; the board has positions 0 to {len(order)}"
        raise BadRequest({"error": "List could not be moved!"}, reason=reason)
    order.insert(position, one)
    _number(cx, order)
    return cx.world.board_lists[one.id]


def remove_list(cx: Doing, one: BoardList) -> None:
    """Remove a list; those behind it move up."""
    cx.world.board_lists.remove(one)
    _number(cx, lists_of(cx.world, cx.world.boards[one.board_id]))


def _number(cx: Doing, order: Sequence[BoardList]) -> None:
    for position, one in enumerate(order):
        if one.position != position:
            cx.world.board_lists.change(one, position=position, updated_at=cx.instant)


def settle_in(cx: Doing, project: Project) -> None:
    """After a project moved: lists of labels that it left are lists of its own labels of the same titles."""
    world = cx.world
    for board in list(world.boards.where("source", source_of(project))):
        for one in lists_of(world, board):
            label = labels.settled(cx, project, world.labels[one.label_id])
            if label.id != one.label_id:
                _relabel(cx, one, label)
        narrowed = (labels.settled(cx, project, world.labels[id_]).id for id_ in board.label_ids)
        milestone_id = board.milestone_id
        if milestone_id is not None and (milestone := world.milestones.get(milestone_id)) is not None:
            milestone_id = milestones.settled(cx, project, milestone).id
        world.boards.change(board, label_ids=tuple(dict.fromkeys(narrowed)), milestone_id=milestone_id)


def _relabel(cx: Doing, one: BoardList, label: Label) -> None:
    """Make a list that of another label, or remove it where the board has that one."""
    if cx.world.board_lists.find("label", (one.board_id, label.id)) is None:
        cx.world.board_lists.change(one, label_id=label.id)
    else:
        remove_list(cx, one)


def _lists_with(world: World, label: Label) -> Iterator[BoardList]:
    return iter(list(world.board_lists.where("of_label", label.id)))


def _follow_replacement(cx: Doing, old: Label, new: Label) -> None:
    for one in _lists_with(cx.world, old):
        _relabel(cx, one, new)


def _follow_deletion(cx: Doing, label: Label) -> None:
    for one in _lists_with(cx.world, label):
        remove_list(cx, one)
    for board in list(cx.world.boards.all()):
        if label.id in board.label_ids:
            cx.world.boards.change(board, label_ids=tuple(id_ for id_ in board.label_ids if id_ != label.id))


labels.ON_REPLACE.append(_follow_replacement)
labels.ON_DELETE.append(_follow_deletion)
