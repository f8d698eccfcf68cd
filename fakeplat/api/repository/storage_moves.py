"""Moves of repositories to other storages. Source: docs/platform/storage-moves.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import storage_moves
from fakeplat.entities.repository.storage_moves import GroupMoveView, ProjectMoveView, SnippetMoveView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, StorageMove
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Repository storage moves", login=Login.ALWAYS)
_ACCEPTED: Final = {"message": "202 Accepted"}


def _get_snippet(ctx: ReadContext, id_: int) -> Snippet:
    snippet = ctx.world.snippets.get(id_)
    if snippet is None:
        raise NotFound("Snippet", reason=f"there is no snippet {id_}")
    return snippet


SNIPPET: Final = NO_SCOPE / Segment("snippets/:id", kind="integer", locate=_get_snippet, word="snippet")


class Move(Params):
    """The storage to move to; without one, the default storage."""

    destination_storage_name: str | None = None


class MoveAll(Move):
    """The storage to move from, too."""

    source_storage_name: str


@area.operation(
    "GET",
    "project_repository_storage_moves",
    name="list_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=ProjectMoveView,
    many=True,
)
def list_every_project_move(ctx: ReadContext) -> Sequence[StorageMove]:
    """List the storage moves of all projects. Administrators only."""
    return storage_moves.list_moves(ctx.world, "project")


@area.operation(
    "GET",
    "project_repository_storage_moves/:repository_storage_move_id",
    name="get_repository_storage_move",
    ability=Ability.MOVE_REPOSITORY,
    view=ProjectMoveView,
    refusals=(404,),
)
def get_any_project_move(ctx: ReadContext, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of any project. Administrators only."""
    return storage_moves.get_move(ctx.world, "project", repository_storage_move_id)


@area.operation(
    "POST",
    "project_repository_storage_moves",
    name="create_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=MoveAll,
    status=202,
    refusals=(400,),
    since="13.7",
)
def move_every_project(ctx: WriteContext, p: MoveAll) -> dict[str, str]:
    """Move all projects on a storage to another one. Administrators only."""
    storage_moves.schedule_all(ctx, "project", p.source_storage_name, p.destination_storage_name)
    return _ACCEPTED


@area.operation(
    "GET",
    "repository_storage_moves",
    name="list_project_repository_storage_moves",
    scope=PROJECT,
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=ProjectMoveView,
    many=True,
)
def list_project_moves(ctx: ReadContext, project: Project) -> Sequence[StorageMove]:
    """List the storage moves of a project. Administrators only."""
    return storage_moves.list_moves(ctx.world, "project", project)


@area.operation(
    "GET",
    "repository_storage_moves/:repository_storage_move_id",
    name="get_project_repository_storage_move",
    scope=PROJECT,
    ability=Ability.MOVE_REPOSITORY,
    view=ProjectMoveView,
    refusals=(404,),
)
def get_project_move(ctx: ReadContext, project: Project, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of a project. Administrators only."""
    return storage_moves.get_move(ctx.world, "project", repository_storage_move_id, project)


@area.operation(
    "POST",
    "repository_storage_moves",
    name="create_project_repository_storage_move",
    scope=PROJECT,
    ability=Ability.MOVE_REPOSITORY,
    params=Move,
    view=ProjectMoveView,
    refusals=(400,),
)
def move_project(ctx: WriteContext, project: Project, p: Move) -> StorageMove:
    """Move a project to another storage. Administrators only."""
    return storage_moves.schedule_move(ctx, project, p.destination_storage_name)


@area.operation(
    "GET",
    "group_repository_storage_moves",
    name="list_all_group_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=GroupMoveView,
    many=True,
    since="13.9",
    tier="premium",
)
def list_every_group_move(ctx: ReadContext) -> Sequence[StorageMove]:
    """List the storage moves of all groups. Administrators only."""
    return storage_moves.list_moves(ctx.world, "group")


@area.operation(
    "GET",
    "group_repository_storage_moves/:repository_storage_move_id",
    name="get_any_group_repository_storage_move",
    ability=Ability.MOVE_REPOSITORY,
    view=GroupMoveView,
    refusals=(404,),
    since="13.9",
    tier="premium",
)
def get_any_group_move(ctx: ReadContext, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of any group. Administrators only."""
    return storage_moves.get_move(ctx.world, "group", repository_storage_move_id)


@area.operation(
    "POST",
    "group_repository_storage_moves",
    name="create_all_group_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=MoveAll,
    status=202,
    refusals=(400,),
    since="13.9",
    tier="premium",
)
def move_every_group(ctx: WriteContext, p: MoveAll) -> dict[str, str]:
    """Move all groups on a storage to another one. Administrators only."""
    storage_moves.schedule_all(ctx, "group", p.source_storage_name, p.destination_storage_name)
    return _ACCEPTED


@area.operation(
    "GET",
    "repository_storage_moves",
    name="list_group_repository_storage_moves",
    scope=GROUP,
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=GroupMoveView,
    many=True,
    since="13.9",
    tier="premium",
)
def list_group_moves(ctx: ReadContext, group: Group) -> Sequence[StorageMove]:
    """List the storage moves of a group. Administrators only."""
    return storage_moves.list_moves(ctx.world, "group", group)


@area.operation(
    "GET",
    "repository_storage_moves/:repository_storage_move_id",
    name="get_group_repository_storage_move",
    scope=GROUP,
    ability=Ability.MOVE_REPOSITORY,
    view=GroupMoveView,
    refusals=(404,),
    since="13.9",
    tier="premium",
)
def get_group_move(ctx: ReadContext, group: Group, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of a group. Administrators only."""
    return storage_moves.get_move(ctx.world, "group", repository_storage_move_id, group)


@area.operation(
    "POST",
    "repository_storage_moves",
    name="create_group_repository_storage_move",
    scope=GROUP,
    ability=Ability.MOVE_REPOSITORY,
    params=Move,
    view=GroupMoveView,
    refusals=(400,),
    since="13.9",
    tier="premium",
)
def move_group(ctx: WriteContext, group: Group, p: Move) -> StorageMove:
    """Move a group to another storage. Administrators only."""
    return storage_moves.schedule_move(ctx, group, p.destination_storage_name)


@area.operation(
    "GET",
    "snippet_repository_storage_moves",
    name="list_all_snippet_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=SnippetMoveView,
    many=True,
    since="13.8",
)
def list_every_snippet_move(ctx: ReadContext) -> Sequence[StorageMove]:
    """List the storage moves of all snippets. Administrators only."""
    return storage_moves.list_moves(ctx.world, "snippet")


@area.operation(
    "GET",
    "snippet_repository_storage_moves/:repository_storage_move_id",
    name="get_any_snippet_repository_storage_move",
    ability=Ability.MOVE_REPOSITORY,
    view=SnippetMoveView,
    refusals=(404,),
    since="13.8",
)
def get_any_snippet_move(ctx: ReadContext, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of any snippet. Administrators only."""
    return storage_moves.get_move(ctx.world, "snippet", repository_storage_move_id)


@area.operation(
    "POST",
    "snippet_repository_storage_moves",
    name="create_all_snippet_repository_storage_moves",
    ability=Ability.MOVE_REPOSITORY,
    params=MoveAll,
    status=202,
    refusals=(400,),
    since="13.8",
)
def move_every_snippet(ctx: WriteContext, p: MoveAll) -> dict[str, str]:
    """Move all snippets on a storage to another one. Administrators only."""
    storage_moves.schedule_all(ctx, "snippet", p.source_storage_name, p.destination_storage_name)
    return _ACCEPTED


@area.operation(
    "GET",
    "repository_storage_moves",
    name="list_snippet_repository_storage_moves",
    scope=SNIPPET,
    ability=Ability.MOVE_REPOSITORY,
    params=Paged,
    view=SnippetMoveView,
    many=True,
    since="13.8",
)
def list_snippet_moves(ctx: ReadContext, snippet: Snippet) -> Sequence[StorageMove]:
    """List the storage moves of a snippet. Administrators only."""
    return storage_moves.list_moves(ctx.world, "snippet", snippet)


@area.operation(
    "GET",
    "repository_storage_moves/:repository_storage_move_id",
    name="get_snippet_repository_storage_move",
    scope=SNIPPET,
    ability=Ability.MOVE_REPOSITORY,
    view=SnippetMoveView,
    refusals=(404,),
    since="13.8",
)
def get_snippet_move(ctx: ReadContext, snippet: Snippet, repository_storage_move_id: int) -> StorageMove:
    """Get a storage move of a snippet. Administrators only."""
    return storage_moves.get_move(ctx.world, "snippet", repository_storage_move_id, snippet)


@area.operation(
    "POST",
    "repository_storage_moves",
    name="create_snippet_repository_storage_move",
    scope=SNIPPET,
    ability=Ability.MOVE_REPOSITORY,
    params=Move,
    view=SnippetMoveView,
    refusals=(400,),
    since="13.8",
)
def move_snippet(ctx: WriteContext, snippet: Snippet, p: Move) -> StorageMove:
    """Move a snippet to another storage. Administrators only."""
    return storage_moves.schedule_move(ctx, snippet, p.destination_storage_name)
