"""Boards of issues and the lists on them. Source: docs/platform/boards.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidRecord, RecordNotFound
from fakeplat.domain.checks import BLANK, TAKEN, Faults, ruby, too_long
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.boards import Board, BoardList, ListKind
from fakeplat.model.labels import Label, Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.levels import group_level, project_level
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


def add_list(cx: Doing, place: Place, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Make a list of a label or milestone that the place can use, or of somebody who is let in, behind the others."""
    if not _USABLE[kind](cx.world, place, id_):
        text, word = _UNKNOWN[kind], named(cx.world, place)
        raise BadRequest({"error": text}, reason=f"{word} cannot use {kind} {id_}")
    if cx.world.board_lists.find("thing", (board.id, kind, id_)):
        raise InvalidRecord({f"{kind}_id": [TAKEN]})
    return put_list(cx, board, kind, id_)


_UNKNOWN: Final[Mapping[ListKind, str]] = {
    "label": "Label not found!",
    "assignee": "User not found!",
    "milestone": "Milestone not found!",
}
_USABLE: Final[Mapping[ListKind, Callable[[World, Place, int], bool]]] = {
    "label": lambda world, place, id_: any(one.id == id_ for one in labels.usable(world, place)),
    "assignee": lambda world, place, id_: world.users.get(id_) is not None and _is_let_in(world, place, id_),
    "milestone": lambda world, place, id_: any(one.id == id_ for one in milestones.usable(world, place)),
}


def _is_let_in(world: World, place: Place, user_id: int) -> bool:
    if isinstance(place, Project):
        return bool(project_level(world, place, user_id))
    return bool(group_level(world, place, user_id))


def put_list(cx: Doing, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Make a list, behind the others; nobody's rights are asked."""
    table, now = cx.world.board_lists, cx.instant
    position = len(table.ids("board", board.id))
    return table.add(BoardList(table.next_id(), board.id, kind, id_, position, now, now))


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
            _settle_list(cx, project, one)
        narrowed = (labels.settled(cx, project, world.labels[id_]).id for id_ in board.label_ids)
        milestone_id = board.milestone_id
        if milestone_id is not None and (milestone := world.milestones.get(milestone_id)) is not None:
            milestone_id = milestones.settled(cx, project, milestone).id
        world.boards.change(board, label_ids=tuple(dict.fromkeys(narrowed)), milestone_id=milestone_id)


def _settle_list(cx: Doing, project: Project, one: BoardList) -> None:
    world = cx.world
    if one.kind == "label":
        _give(cx, one, labels.settled(cx, project, world.labels[one.thing_id]).id)
    elif one.kind == "milestone":
        _give(cx, one, milestones.settled(cx, project, world.milestones[one.thing_id]).id)


def _give(cx: Doing, one: BoardList, id_: int) -> None:
    """Make a list that of another label or milestone, or remove it where the board has that one."""
    if one.thing_id == id_:
        return
    if cx.world.board_lists.find("thing", (one.board_id, one.kind, id_)) is None:
        cx.world.board_lists.change(one, thing_id=id_)
    else:
        remove_list(cx, one)


def _lists_of(world: World, kind: ListKind, id_: int) -> list[BoardList]:
    return list(world.board_lists.where("of", (kind, id_)))


def forget(cx: Doing, user: User) -> None:
    """Remove the lists of somebody who goes, and what boards are narrowed down to."""
    for one in _lists_of(cx.world, "assignee", user.id):
        remove_list(cx, one)
    for board in list(cx.world.boards.all()):
        if board.assignee_id == user.id:
            cx.world.boards.change(board, assignee_id=None)


def _follow_replacement(cx: Doing, old: Label, new: Label) -> None:
    for one in _lists_of(cx.world, "label", old.id):
        _give(cx, one, new.id)
    for board in list(cx.world.boards.all()):
        if old.id in board.label_ids:
            ids = (new.id if id_ == old.id else id_ for id_ in board.label_ids)
            cx.world.boards.change(board, label_ids=tuple(dict.fromkeys(ids)))


def _follow_deletion(cx: Doing, label: Label) -> None:
    for one in _lists_of(cx.world, "label", label.id):
        remove_list(cx, one)
    for board in list(cx.world.boards.all()):
        if label.id in board.label_ids:
            cx.world.boards.change(board, label_ids=tuple(id_ for id_ in board.label_ids if id_ != label.id))


def _follow_heir(cx: Doing, old: Milestone, new: Milestone) -> None:
    for one in _lists_of(cx.world, "milestone", old.id):
        _give(cx, one, new.id)
    for board in list(cx.world.boards.all()):
        if board.milestone_id == old.id:
            cx.world.boards.change(board, milestone_id=new.id)


def _follow_milestone(cx: Doing, milestone: Milestone) -> None:
    for one in _lists_of(cx.world, "milestone", milestone.id):
        remove_list(cx, one)
    for board in list(cx.world.boards.all()):
        if board.milestone_id == milestone.id:
            cx.world.boards.change(board, milestone_id=None)


labels.ON_REPLACE.append(_follow_replacement)
labels.ON_DELETE.append(_follow_deletion)
milestones.ON_DELETE.append(_follow_milestone)
milestones.ON_REPLACE.append(_follow_heir)
