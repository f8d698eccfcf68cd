"""Moves of repositories to other storages: a second after its creation a move is finished.

Source: docs/platform/storage-moves.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidRecord, RecordNotFound
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, StorageMove
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_FINISH: Final = "finish_storage_move"
DEFAULT: Final = "default"
Owner = Project | Group | Snippet
KINDS: Final[dict[type[Owner], str]] = {Project: "project", Group: "group", Snippet: "snippet"}


def list_moves(world: World, kind: str, owner: Owner | None = None) -> Sequence[StorageMove]:
    """Return the moves of a kind of repository, or of one repository; the newest first."""
    if owner is not None:
        return list(world.storage_moves.where("source", (kind, owner.id)))[::-1]
    return [move for move in world.storage_moves.all() if move.source[0] == kind][::-1]


def get_move(world: World, kind: str, id_: int, owner: Owner | None = None) -> StorageMove:
    """Return a move, or refuse with 404."""
    move = world.storage_moves.get(id_)
    if move is None or move.source[0] != kind or (owner is not None and move.source[1] != owner.id):
        raise RecordNotFound(reason=f"there is no storage move {id_} here")
    return move


def list_storages(world: World) -> set[str]:
    """Return the storages of the instance: the default one, and those that projects use or moves lead to."""
    moves = (move.destination_storage_name for move in world.storage_moves.all())
    return {DEFAULT, *(project.repository_storage for project in world.projects.all()), *moves}


def schedule_move(ctx: WriteContext, owner: Owner, destination: str | None) -> StorageMove:
    """Schedule the move of a repository; 400 for an unknown storage, and while the repository is being moved."""
    kind = KINDS[type(owner)]
    errors: dict[str, list[str]] = {}
    if destination is not None and destination not in list_storages(ctx.world):
        errors["destination_storage_name"] = ["is not included in the list"]
    if any(move.state in ("scheduled", "started") for move in list_moves(ctx.world, kind, owner)):
        errors[kind] = ["is read-only"]
    if errors:
        raise InvalidRecord(errors)
    table, source = ctx.world.storage_moves, storage_of(ctx.world, owner)
    move = table.add(StorageMove(table.next_id(), (kind, owner.id), source, destination or DEFAULT, ctx.now_iso))
    ctx.schedule(_FINISH, ("storage_moves", move.id), ctx.now() + SECOND)
    return move


def storage_of(world: World, owner: Owner) -> str:
    """Return the storage of a repository: that of the last move, if it is not a project's."""
    if isinstance(owner, Project):
        return owner.repository_storage
    moves = list_moves(world, KINDS[type(owner)], owner)
    return next((move.destination_storage_name for move in moves if move.state == "finished"), DEFAULT)


def schedule_all(ctx: WriteContext, kind: str, source: str, destination: str | None) -> None:
    """Schedule the move of every repository of a kind on a storage; 400 for an unknown storage."""
    for name, storage in (("source_storage_name", source), ("destination_storage_name", destination)):
        if storage is not None and storage not in list_storages(ctx.world):
            raise InvalidRecord({name: ["is not included in the list"]})
    for owner in _list_owners(ctx.world, kind):
        is_moving = any(move.state in ("scheduled", "started") for move in list_moves(ctx.world, kind, owner))
        if storage_of(ctx.world, owner) == source and not is_moving:
            schedule_move(ctx, owner, destination)


def _list_owners(world: World, kind: str) -> list[Owner]:
    if kind == "project":
        return list(world.projects.all())
    if kind == "snippet":
        return list(world.snippets.all())
    return [namespace for namespace in world.namespaces.all() if isinstance(namespace, Group)]


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    move = ctx.world.storage_moves.get(due.subject[1])
    if move is None:
        return
    ctx.world.storage_moves.change(move, state="finished")
    if move.source[0] == "project":
        project = ctx.world.projects[move.source[1]]
        ctx.world.projects.change(project, repository_storage=move.destination_storage_name)
