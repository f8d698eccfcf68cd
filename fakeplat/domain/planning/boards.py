"""Issue boards and their lists. Source: docs/platform/boards.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidRecord, RecordNotFound, inspect_errors
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import iterations, labels, milestones
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group, User
from fakeplat.model.planning import MILESTONE_FILTERS, Board, BoardEpicPreference, BoardList, ListKind
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import ERRORS_OF_BOARD_LISTS_ARE_SENTENCES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, group_level, project_level

PAID: Final = ("milestone_id", "assignee_id", "label_ids", "weight")


class BoardScope(TypedDict, total=False):
    """What the issues of a board are limited to."""

    milestone_id: int | None
    assignee_id: int | None
    label_ids: tuple[int, ...]
    weight: int | None


class HiddenLists(TypedDict, total=False):
    """Which lists a board does not show."""

    hide_backlog_list: bool
    hide_closed_list: bool


class BoardFields(BoardScope, HiddenLists, total=False):
    """The fields of a new board besides its name."""

    created_at: str
    updated_at: str


class BoardChanges(BoardScope, HiddenLists, total=False):
    """The changes of a board."""

    name: str


def list_boards(world: World, container: Routable) -> Sequence[Board]:
    """Return the boards of a project or group, by name."""
    return sorted(world.boards.where("source", source_of(container)), key=lambda board: (board.name.lower(), board.id))


def get_board(world: World, container: Routable, id_: int) -> Board:
    """Return a board of a project or group, or raise 404."""
    board = world.boards.get(id_)
    if board is None or board.source != source_of(container):
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no board {id_}")
    return board


def create(ctx: WriteContext, container: Routable, name: str, **fields: Unpack[BoardFields]) -> Board:
    """Create a board; a group on the free tier has at most one."""
    if list_boards(ctx.world, container):
        _require_multiple_boards(ctx, container)
    _check_name(name)
    table, now = ctx.world.boards, ctx.now_iso
    values: dict[str, Any] = {"created_at": now, "updated_at": now, **fields}
    return table.add(Board(table.next_id(), source_of(container), name, **values))


def _require_multiple_boards(ctx: ReadContext, container: Routable) -> None:
    if isinstance(container, Group) and not has_feature(ctx.world, "premium", container):
        raise Forbidden(
            reason=lambda: (
                f"{describe(ctx.world, container)} may have only one board; multiple boards are a paid feature"
            )
        )


def _check_name(name: str) -> None:
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    if errors:
        texts = {field: errors.texts(field) for field in errors}
        raise BadRequest(f"400 Bad request - Failed to save board {inspect_errors(texts)}")


def update(ctx: WriteContext, board: Board, **fields: Unpack[BoardChanges]) -> Board:
    """Edit a board."""
    _check_name(fields.get("name", board.name))
    changed = ctx.world.boards.change(board, **fields)
    # A change to the same values returns the record itself and leaves updated_at as it is.
    return changed if changed is board else ctx.world.boards.change(changed, updated_at=ctx.now_iso)


def find_scope_milestone(world: World, container: Routable, id_: int | None) -> int | None:
    """Return a board's milestone scope: a filter id, or a milestone of the container or of a project's own group."""
    if id_ in MILESTONE_FILTERS:
        return id_
    milestone = world.milestones.get(id_) if id_ is not None else None
    return milestone.id if milestone is not None and milestone.source in _scope_sources(container) else None


def _scope_sources(container: Routable) -> tuple[Source, ...]:
    if isinstance(container, Project):
        return source_of(container), ("group", container.namespace_id)
    return (source_of(container),)


def delete_board(ctx: WriteContext, container: Routable, board: Board) -> None:
    """Delete a board with its lists; 403 where only one board is allowed."""
    _require_multiple_boards(ctx, container)
    purge(ctx, board)


def list_columns(world: World, board: Board) -> list[BoardList]:
    """Return the lists of a board by position."""
    return sorted(world.board_lists.where("board", board.id), key=lambda board_list: board_list.position)


def get_list(world: World, board: Board, id_: int) -> BoardList:
    """Return a list of a board, or raise 404."""
    board_list = world.board_lists.get(id_)
    if board_list is None or board_list.board_id != board.id:
        raise RecordNotFound(reason=f"board {board.name} has no list {id_}")
    return board_list


def add_list(ctx: WriteContext, container: Routable, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Append a list for an available label or milestone, or for a user with access to the project or group."""
    says_error = ctx.profile.has(ERRORS_OF_BOARD_LISTS_ARE_SENTENCES)
    if not _IS_AVAILABLE[kind](ctx.world, container, id_):
        text = f"{kind.capitalize()} not found" if says_error else _NOT_FOUND_TEXTS[kind]
        raise BadRequest({"error": text}, reason=f"{describe(ctx.world, container)} cannot use {kind} {id_}")
    if ctx.world.board_lists.find("thing", (board.id, kind, id_)):
        if says_error:
            name = "User" if kind == "assignee" else kind.capitalize()
            raise BadRequest({"error": f"{name} {TAKEN}"}, reason=f"the board has a list of {kind} {id_}")
        raise InvalidRecord({f"{kind}_id": [TAKEN]})
    return insert_list(ctx, board, kind, id_)


_NOT_FOUND_TEXTS: Final[Mapping[ListKind, str]] = {
    "label": "Label not found!",
    "assignee": "User not found!",
    "milestone": "Milestone not found!",
    "iteration": "Iteration not found!",
}
_IS_AVAILABLE: Final[Mapping[ListKind, Callable[[World, Routable, int], bool]]] = {
    "label": lambda world, container, id_: any(label.id == id_ for label in labels.list_available(world, container)),
    "assignee": lambda world, container, id_: world.users.get(id_) is not None and _has_access(world, container, id_),
    "milestone": lambda world, container, id_: any(
        milestone.id == id_ for milestone in milestones.list_available(world, container)
    ),
    "iteration": lambda world, container, id_: any(
        iteration.id == id_ for iteration in iterations.list_available(world, container)
    ),
}


def _has_access(world: World, container: Routable, user_id: int) -> bool:
    if isinstance(container, Project):
        return bool(project_level(world, container, user_id))
    return bool(group_level(world, container, user_id))


def insert_list(ctx: WriteContext, board: Board, kind: ListKind, id_: int) -> BoardList:
    """Append a list without permission checks."""
    table, now = ctx.world.board_lists, ctx.now_iso
    position = len(table.ids("board", board.id))
    return table.add(BoardList(table.next_id(), board.id, kind, id_, position, now, now))


def move_list(ctx: WriteContext, board: Board, board_list: BoardList, position: int) -> BoardList:
    """Move a list to another position; the other lists are renumbered."""
    order = [other for other in list_columns(ctx.world, board) if other.id != board_list.id]
    if position == board_list.position or not 0 <= position <= len(order):
        reason = f"the list is at {board_list.position}; the board has positions 0 to {len(order)}"
        raise BadRequest({"error": "List could not be moved!"}, reason=reason)
    order.insert(position, board_list)
    _renumber(ctx, order)
    return ctx.world.board_lists[board_list.id]


def close_gap(ctx: WriteContext, deleted: BoardList) -> None:
    """Renumber the lists after one was deleted."""
    board = ctx.world.boards.get(deleted.board_id)
    # Deleting a board deletes its lists as well, and then nothing is left to renumber.
    if board is not None:
        _renumber(ctx, list_columns(ctx.world, board))


def _renumber(ctx: WriteContext, ordered_lists: Sequence[BoardList]) -> None:
    for position, board_list in enumerate(ordered_lists):
        if board_list.position != position:
            ctx.world.board_lists.change(board_list, position=position, updated_at=ctx.now_iso)


def adopt_labels(ctx: WriteContext, project: Project) -> None:
    """After a transfer, replace labels and milestones of former groups by the project's own with the same titles."""
    world = ctx.world
    for board in list(world.boards.where("source", source_of(project))):
        for board_list in list_columns(world, board):
            _adopt_list_record(ctx, project, board_list)
        label_ids = (labels.project_copy(ctx, project, world.labels[id_]).id for id_ in board.label_ids)
        milestone_id = board.milestone_id
        if milestone_id is not None and (milestone := world.milestones.get(milestone_id)) is not None:
            milestone_id = milestones.project_copy(ctx, project, milestone).id
        # Two labels of different groups may become the same label of the project.
        world.boards.change(board, label_ids=tuple(dict.fromkeys(label_ids)), milestone_id=milestone_id)


def _adopt_list_record(ctx: WriteContext, project: Project, board_list: BoardList) -> None:
    world = ctx.world
    if board_list.kind == "label":
        _set_list_record(ctx, board_list, labels.project_copy(ctx, project, world.labels[board_list.thing_id]).id)
    elif board_list.kind == "milestone":
        _set_list_record(
            ctx, board_list, milestones.project_copy(ctx, project, world.milestones[board_list.thing_id]).id
        )


def _set_list_record(ctx: WriteContext, board_list: BoardList, record_id: int) -> None:
    """Change the label or milestone of a list, or delete the list if the board has one for it."""
    if board_list.thing_id == record_id:
        return
    if ctx.world.board_lists.find("thing", (board_list.board_id, board_list.kind, record_id)) is None:
        ctx.world.board_lists.change(board_list, thing_id=record_id)
    else:
        purge(ctx, board_list)


def find_preference(world: World, board: Board, epic: Epic, user: User) -> BoardEpicPreference | None:
    """Return how a user wants to see an epic on a board."""
    return world.board_epic_preferences.find("own", (user.id, board.id, epic.id))


def prefer(ctx: WriteContext, board: Board, epic: Epic, user: User, *, collapsed: bool) -> BoardEpicPreference:
    """Set whether a user sees an epic on a board without its issues."""
    table, known = ctx.world.board_epic_preferences, find_preference(ctx.world, board, epic, user)
    if known is not None:
        return table.change(known, collapsed=collapsed)
    return table.add(BoardEpicPreference(table.next_id(), user.id, board.id, epic.id, collapsed))
