"""Boards of issues and the lists on them. Source: docs/platform/boards.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidRecord, RecordNotFound
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, ruby_inspect, too_long
from fakeplat.model.boards import MILESTONE_FILTERS, Board, BoardList, ListKind
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, group_level, project_level

PAID: Final = ("milestone_id", "assignee_id", "label_ids", "weight")


def list_boards(world: World, container: Place) -> Sequence[Board]:
    """The boards of a place, by name."""
    return sorted(world.boards.where("source", source_of(container)), key=lambda board: (board.name.lower(), board.id))


def find_board(world: World, container: Place, id_: int) -> Board:
    """A board of a place, or 404."""
    found = world.boards.get(id_)
    if found is None or found.source != source_of(container):
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no board {id_}")
    return found


def create(ctx: WriteContext, container: Place, name: str, **fields: Any) -> Board:
    """Make a board; a group on the free tier has one at most."""
    if list_boards(ctx.world, container):
        _demand_several(ctx, container)
    _refuse(name)
    table, now = ctx.world.boards, ctx.now_iso
    return table.add(
        Board(table.next_id(), source_of(container), name, **{"created_at": now, "updated_at": now, **fields})
    )


def _demand_several(ctx: ReadContext, container: Place) -> None:
    if isinstance(container, Group) and not has_feature(ctx.world, "premium", container):
        raise Forbidden(
            reason=lambda: f"{describe(ctx.world, container)} may have one board only; several are a paid feature"
        )


def _refuse(name: str) -> None:
    faults = ValidationErrors()
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)
    if faults:
        texts = {field: faults.texts(field) for field in faults}
        raise BadRequest(f"400 Bad request - Failed to save board {ruby_inspect(texts)}")


def update(ctx: WriteContext, board: Board, fields: Mapping[str, Any]) -> Board:
    """Change a board."""
    _refuse(fields.get("name", board.name))
    changed = ctx.world.boards.change(board, **fields)
    return changed if changed is board else ctx.world.boards.change(changed, updated_at=ctx.now_iso)


def find_scope_milestone(world: World, container: Place, id_: int | None) -> int | None:
    """Return the id of what narrows a board down: a filter, or a milestone of the place or of a project's own group."""
    if id_ in MILESTONE_FILTERS:
        return id_
    milestone = world.milestones.get(id_) if id_ is not None else None
    return milestone.id if milestone is not None and milestone.source in _scope_sources(container) else None


def _scope_sources(container: Place) -> tuple[Source, ...]:
    if isinstance(container, Project):
        return source_of(container), ("group", container.namespace_id)
    return (source_of(container),)


def delete_board(ctx: WriteContext, container: Place, board: Board) -> None:
    """Remove a board with its lists, where there may be several."""
    _demand_several(ctx, container)
    purge(ctx, board)


def list_columns(world: World, board: Board) -> list[BoardList]:
    """The lists of a board in their order."""
    return sorted(world.board_lists.where("board", board.id), key=lambda one: one.position)


def find_list(world: World, board: Board, id_: int) -> BoardList:
    """A list of a board, or 404."""
    found = world.board_lists.get(id_)
    if found is None or found.board_id != board.id:
        raise RecordNotFound(reason=f"board {board.name} has no list {id_}")
    return found


def add_list(ctx: WriteContext, container: Place, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Make a list of a label or milestone that the place can use, or of somebody who is let in, behind the others."""
    if not _USABLE[kind](ctx.world, container, id_):
        text, word = _UNKNOWN[kind], describe(ctx.world, container)
        raise BadRequest({"error": text}, reason=f"{word} cannot use {kind} {id_}")
    if ctx.world.board_lists.find("thing", (board.id, kind, id_)):
        raise InvalidRecord({f"{kind}_id": [TAKEN]})
    return insert_list(ctx, board, kind, id_)


_UNKNOWN: Final[Mapping[ListKind, str]] = {
    "label": "Label not found!",
    "assignee": "User not found!",
    "milestone": "Milestone not found!",
}
_USABLE: Final[Mapping[ListKind, Callable[[World, Place, int], bool]]] = {
    "label": lambda world, container, id_: any(one.id == id_ for one in labels.list_available(world, container)),
    "assignee": lambda world, container, id_: world.users.get(id_) is not None and _is_let_in(world, container, id_),
    "milestone": lambda world, container, id_: any(
        one.id == id_ for one in milestones.list_available(world, container)
    ),
}


def _is_let_in(world: World, container: Place, user_id: int) -> bool:
    if isinstance(container, Project):
        return bool(project_level(world, container, user_id))
    return bool(group_level(world, container, user_id))


def insert_list(ctx: WriteContext, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Make a list, behind the others; nobody's rights are asked."""
    table, now = ctx.world.board_lists, ctx.now_iso
    position = len(table.ids("board", board.id))
    return table.add(BoardList(table.next_id(), board.id, kind, id_, position, now, now))


def move_list(ctx: WriteContext, board: Board, one: BoardList, position: int) -> BoardList:
    """Put a list at another of the board's positions; the others make room."""
    order = [other for other in list_columns(ctx.world, board) if other.id != one.id]
    if position == one.position or not 0 <= position <= len(order):
        reason = f"the list is at {one.position}; the board has positions 0 to {len(order)}"
        raise BadRequest({"error": "List could not be moved!"}, reason=reason)
    order.insert(position, one)
    _number(ctx, order)
    return ctx.world.board_lists[one.id]


def close_gap(ctx: WriteContext, deleted: BoardList) -> None:
    """Move up the lists behind one that was deleted."""
    board = ctx.world.boards.get(deleted.board_id)
    if board is not None:
        _number(ctx, list_columns(ctx.world, board))


def _number(ctx: WriteContext, order: Sequence[BoardList]) -> None:
    for position, one in enumerate(order):
        if one.position != position:
            ctx.world.board_lists.change(one, position=position, updated_at=ctx.now_iso)


def adopt_labels(ctx: WriteContext, project: Project) -> None:
    """After a project moved: lists of labels that it left are lists of its own labels of the same titles."""
    world = ctx.world
    for board in list(world.boards.where("source", source_of(project))):
        for one in list_columns(world, board):
            _settle_list(ctx, project, one)
        narrowed = (labels.project_copy(ctx, project, world.labels[id_]).id for id_ in board.label_ids)
        milestone_id = board.milestone_id
        if milestone_id is not None and (milestone := world.milestones.get(milestone_id)) is not None:
            milestone_id = milestones.project_copy(ctx, project, milestone).id
        world.boards.change(board, label_ids=tuple(dict.fromkeys(narrowed)), milestone_id=milestone_id)


def _settle_list(ctx: WriteContext, project: Project, one: BoardList) -> None:
    world = ctx.world
    if one.kind == "label":
        _give(ctx, one, labels.project_copy(ctx, project, world.labels[one.thing_id]).id)
    elif one.kind == "milestone":
        _give(ctx, one, milestones.project_copy(ctx, project, world.milestones[one.thing_id]).id)


def _give(ctx: WriteContext, one: BoardList, id_: int) -> None:
    """Make a list that of another label or milestone, or remove it where the board has that one."""
    if one.thing_id == id_:
        return
    if ctx.world.board_lists.find("thing", (one.board_id, one.kind, id_)) is None:
        ctx.world.board_lists.change(one, thing_id=id_)
    else:
        purge(ctx, one)
