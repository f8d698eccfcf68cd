"""Direct transfers of groups and projects from an instance, done by the clock.

The source can be this instance itself, or another one, which is read by HTTP where requests may be sent to it.
Source: docs/platform/import-export.md.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypedDict
from urllib.parse import urlsplit

from fakeplat.core.operations.errors import RecordNotFound, Refusal, Unprocessable
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.groups import groups
from fakeplat.domain.import_export.archive_files import BadArchiveError, Files, read_archive
from fakeplat.domain.import_export.transfer_sources import Source, UnreadSource
from fakeplat.domain.people import namespaces, tokens
from fakeplat.domain.projects import projects
from fakeplat.model.import_export import (
    BulkImport,
    BulkImportEntity,
    BulkImportFailure,
    BulkImportSource,
    BulkImportStatus,
)
from fakeplat.model.outgoing import OutgoingTransfer, WantedSource
from fakeplat.model.people import Group, User, Visibility
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import DESTINATIONS_OF_TRANSFERS_ARE_CHECKED
from fakeplat.policy.context import ReadContext, WriteContext

_START: Final = "start_bulk_import"
_FINISH: Final = "finish_bulk_import"
_ENDED: Final = ("finished", "timeout", "failed", "canceled")
_NO_TOKEN: Final = "Personal access token does not have the required 'api' scope or is no longer valid."
_INVALID_URL: Final = "Invalid source URL. Enter only the base URL of the source GitLab instance."
_PIPELINES: Final[dict[BulkImportSource, str]] = {
    "group_entity": "BulkImports::Groups::Pipelines::GroupPipeline",
    "project_entity": "BulkImports::Projects::Pipelines::ProjectPipeline",
}
_RELATIONS: Final[dict[BulkImportSource, str]] = {"group_entity": "group", "project_entity": "project"}


class NewEntity(TypedDict, total=False):
    """What is to be imported, and where to."""

    source_type: BulkImportSource
    source_full_path: str
    destination_namespace: str
    destination_slug: str
    migrate_projects: bool
    migrate_memberships: bool


# Lookup


def list_imports(ctx: ReadContext, status: str | None, *, ascending: bool) -> Sequence[BulkImport]:
    """Return the caller's own direct transfers."""
    rows = ctx.world.bulk_imports.where("user", ctx.viewer.id) if ctx.viewer is not None else ()
    chosen = [row for row in rows if status is None or row.status == status]
    return chosen if ascending else chosen[::-1]


def list_all_entities(ctx: ReadContext, status: str | None, *, ascending: bool) -> Sequence[BulkImportEntity]:
    """Return the entities of the caller's direct transfers."""
    own = {row.id for row in list_imports(ctx, None, ascending=True)}
    rows = [row for row in ctx.world.bulk_import_entities.all() if row.bulk_import_id in own]
    chosen = [row for row in rows if status is None or row.status == status]
    return chosen if ascending else chosen[::-1]


def get_import(ctx: ReadContext, id_: int) -> BulkImport:
    """Return the caller's direct transfer with an id, or refuse with 404."""
    found = ctx.world.bulk_imports.get(id_)
    if found is None or ctx.viewer is None or found.user_id != ctx.viewer.id:
        raise RecordNotFound(reason=f"the caller has no direct transfer {id_}")
    return found


def list_entities(world: World, bulk_import: BulkImport, status: str | None = None) -> list[BulkImportEntity]:
    """Return the entities of a direct transfer."""
    rows = world.bulk_import_entities.where("bulk_import", bulk_import.id)
    return [row for row in rows if status is None or row.status == status]


def get_entity(world: World, bulk_import: BulkImport, id_: int) -> BulkImportEntity:
    """Return an entity of a direct transfer, or refuse with 404."""
    entity = world.bulk_import_entities.get(id_)
    if entity is None or entity.bulk_import_id != bulk_import.id:
        raise RecordNotFound(reason=f"direct transfer {bulk_import.id} has no entity {id_}")
    return entity


def has_failures(world: World, bulk_import: BulkImport) -> bool:
    """Return whether a part of a direct transfer could not be imported."""
    return any(entity.failures for entity in list_entities(world, bulk_import))


# Creation


def create(ctx: WriteContext, url: str, access_token: str, entities: Iterable[NewEntity]) -> BulkImport:
    """Start a direct transfer. 422 for a source or a destination that is invalid."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise Unprocessable(_INVALID_URL)
    source_user = _get_source_user(ctx, access_token) if _is_own(ctx, url) else None
    new = list(entities)
    for entity in new:
        _check_source(ctx, source_user, entity)
        if ctx.profile.has(DESTINATIONS_OF_TRANSFERS_ARE_CHECKED):
            _check_destination(ctx, entity)
    table, now = ctx.world.bulk_imports, ctx.now_iso
    source_user_id = None if source_user is None else source_user.id
    created = table.add(
        BulkImport(table.next_id(), ctx.signed_in_user.id, url, now, now, source_user_id=source_user_id)
    )
    added = [_add_entity(ctx, created, entity) for entity in new]
    schedule_steps(ctx, created)
    if source_user is None:
        wanted = [
            WantedSource(entity.source_type, entity.source_full_path, entity.migrate_projects) for entity in added
        ]
        ctx.send(OutgoingTransfer(created.id, url, access_token, wanted))
    return created


def _add_entity(ctx: WriteContext, bulk_import: BulkImport, entity: NewEntity) -> BulkImportEntity:
    table, now = ctx.world.bulk_import_entities, ctx.now_iso
    return table.add(BulkImportEntity(table.next_id(), bulk_import.id, created_at=now, updated_at=now, **entity))


def schedule_steps(ctx: WriteContext, bulk_import: BulkImport) -> None:
    """Schedule what is left of a direct transfer: a second to start, and another one to finish."""
    at, subject = ctx.now() + SECOND, ("bulk_imports", bulk_import.id)
    if bulk_import.status == "created":
        ctx.schedule(_START, subject, at, in_progress=True)
        at += SECOND
    if bulk_import.status in ("created", "started"):
        ctx.schedule(_FINISH, subject, at, in_progress=True)


def _is_own(ctx: ReadContext, url: str) -> bool:
    return urlsplit(url).netloc == urlsplit(ctx.origin).netloc


def _get_source_user(ctx: ReadContext, access_token: str) -> User:
    token = tokens.find(ctx.world, "personal", access_token)
    user = None if token is None or token.revoked or "api" not in token.scopes else tokens.owner_of(ctx.world, token)
    if user is None:
        raise Unprocessable(_NO_TOKEN)
    return user


def _check_source(ctx: ReadContext, source_user: User | None, entity: NewEntity) -> None:
    """Refuse a path that the source does not have; an instance that cannot be reached is not asked."""
    if source_user is not None and _find_source(ctx.world, entity["source_type"], entity["source_full_path"]) is None:
        raise Unprocessable(f"Import failed. '{entity['source_full_path']}' not found.")


def _check_destination(ctx: ReadContext, entity: NewEntity) -> None:
    parent, slug = entity["destination_namespace"], entity["destination_slug"]
    is_project = entity["source_type"] == "project_entity"
    namespace = namespaces.find_by_path(ctx.world, parent) if parent else None
    ability = Ability.CREATE_PROJECTS if is_project else Ability.CREATE_SUBGROUP
    is_valid = (
        can(ctx, Ability.CREATE_GROUP)
        if not parent and not is_project
        else namespace is not None and (is_project or isinstance(namespace, Group)) and can(ctx, ability, namespace)
    )
    if not is_valid:
        text = f"Import failed. Destination '{parent}' is invalid, or you don't have permission."
        raise Unprocessable(text)
    full_path = f"{parent}/{slug}" if parent else slug
    find = namespaces.find_project_by_path if is_project else namespaces.find_by_path
    if find(ctx.world, full_path) is not None:
        raise Unprocessable(f"Import failed. '{full_path}' already exists. Change the destination and try again.")


def _find_source(world: World, source_type: BulkImportSource, path: str) -> Group | Project | None:
    if source_type == "project_entity":
        return namespaces.find_project_by_path(world, path)
    namespace = namespaces.find_by_path(world, path)
    return namespace if isinstance(namespace, Group) else None


def cancel(ctx: WriteContext, bulk_import: BulkImport) -> BulkImport:
    """Cancel a direct transfer, with its entities that have not ended."""
    for entity in list_entities(ctx.world, bulk_import):
        if entity.status not in _ENDED:
            _set_entity(ctx, entity, "canceled")
    return ctx.world.bulk_imports.change(bulk_import, status="canceled", updated_at=ctx.now_iso)


# Progress


@task_handler(_START)
def _start(ctx: WriteContext, due: ScheduledTask) -> None:
    bulk_import = ctx.world.bulk_imports[due.subject[1]]
    if bulk_import.status != "created":
        return
    ctx.world.bulk_imports.change(bulk_import, status="started", updated_at=ctx.now_iso)
    for entity in list_entities(ctx.world, bulk_import):
        _set_entity(ctx, entity, "started")


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    bulk_import = ctx.world.bulk_imports[due.subject[1]]
    if bulk_import.status in _ENDED or bulk_import.is_reading:
        return
    ctx.act_as(ctx.world.users[bulk_import.user_id])
    for entity in list_entities(ctx.world, bulk_import):
        _run(ctx, bulk_import, entity)
    _end(ctx, bulk_import)


def _end(ctx: WriteContext, bulk_import: BulkImport) -> None:
    ended = list_entities(ctx.world, bulk_import)
    status: BulkImportStatus = "failed" if all(entity.status == "failed" for entity in ended) else "finished"
    ctx.world.bulk_imports.change(bulk_import, status=status, is_reading=False, updated_at=ctx.now_iso)


# From another instance


def begin_reading(ctx: WriteContext, import_id: int) -> None:
    """Note that another instance is being read, so that the transfer waits for what it answers."""
    bulk_import = ctx.world.bulk_imports[import_id]
    ctx.world.bulk_imports.change(bulk_import, is_reading=True)


def receive(ctx: WriteContext, import_id: int, read: Sequence[Source | UnreadSource]) -> None:
    """Import what another instance has answered for each entity, unless the transfer was canceled meanwhile."""
    bulk_import = ctx.world.bulk_imports.get(import_id)
    if bulk_import is None or bulk_import.status in _ENDED:
        return
    ctx.act_as(ctx.world.users[bulk_import.user_id])
    for entity, source in zip(list_entities(ctx.world, bulk_import), read, strict=True):
        if isinstance(source, UnreadSource):
            _fail(ctx, entity, source.exception_class, source.message)
        else:
            _receive_source(ctx, bulk_import, entity, source)
    _end(ctx, ctx.world.bulk_imports[bulk_import.id])


def _receive_source(ctx: WriteContext, bulk_import: BulkImport, entity: BulkImportEntity, source: Source) -> None:
    """Import a group or project, and what belongs to it, each as an entity of its own."""
    importer = ctx.world.users[bulk_import.user_id]
    state = ctx.world.frozen()
    try:
        _import_source(ctx, entity, source, importer)
    except (Refusal, BadArchiveError) as error:
        ctx.world.roll_back(state)
        text = error.explain() if isinstance(error, Refusal) else str(error)
        _fail(ctx, ctx.world.bulk_import_entities[entity.id], "ActiveRecord::RecordInvalid", text)
        return
    parent = ctx.world.bulk_import_entities[entity.id]
    destination = "/".join(filter(None, (entity.destination_namespace, entity.destination_slug)))
    for child in source.children:
        added = _add_child(ctx, bulk_import, parent, (child.kind, child.full_path, child.path), destination)
        _receive_source(ctx, bulk_import, added, child)


def _import_source(ctx: WriteContext, entity: BulkImportEntity, source: Source, importer: User) -> None:
    if source.kind == "project_entity":
        names = entity.destination_namespace, entity.destination_slug, source.name
        _set_entity(ctx, entity, "finished", project_id=_import_project(ctx, source.files, names, importer).id)
    else:
        named = source.name, source.visibility
        _set_entity(ctx, entity, "finished", namespace_id=_import_group(ctx, source.files, named, entity, importer).id)


def _run(ctx: WriteContext, bulk_import: BulkImport, entity: BulkImportEntity) -> None:
    source_user = ctx.world.users.get(bulk_import.source_user_id or 0)
    if source_user is None:
        host = urlsplit(bulk_import.source_url).hostname
        text = f"Failed to open TCP connection to {host} (getaddrinfo: Name or service not known)"
        _fail(ctx, entity, "BulkImports::NetworkError", text)
        return
    source = _find_source(ctx.world, entity.source_type, entity.source_full_path)
    if source is None:
        _fail(ctx, entity, "BulkImports::Error", f"Import failed. '{entity.source_full_path}' not found.")
        return
    importer = ctx.world.users[bulk_import.user_id]
    ctx.act_as(source_user)
    ability = Ability.ADMIN_PROJECT if isinstance(source, Project) else Ability.ADMIN_GROUP
    allowed = can(ctx, ability, source)
    ctx.act_as(importer)
    if not allowed:
        text = f"Import failed. You don't have permission to export '{entity.source_full_path}'."
        _fail(ctx, entity, "BulkImports::Error", text)
        return
    state = ctx.world.frozen()
    try:
        _copy(ctx, bulk_import, entity, source, importer)
    except Refusal as refusal:
        ctx.world.roll_back(state)
        _fail(ctx, ctx.world.bulk_import_entities[entity.id], "ActiveRecord::RecordInvalid", refusal.explain())


def _copy(
    ctx: WriteContext, bulk_import: BulkImport, entity: BulkImportEntity, source: Group | Project, importer: User
) -> None:
    if isinstance(source, Project):
        project = _copy_project(ctx, source, entity.destination_namespace, entity.destination_slug, importer)
        _set_entity(ctx, entity, "finished", project_id=project.id)
        return
    group = _copy_group(ctx, source, entity, importer)
    _set_entity(ctx, entity, "finished", namespace_id=group.id)
    if entity.migrate_projects:
        _copy_contents(ctx, bulk_import, entity, source, group, importer)


def _copy_group(ctx: WriteContext, source: Group, entity: BulkImportEntity, importer: User) -> Group:
    # Imported here, as few worlds import anything.
    from fakeplat.domain.import_export.group_export import build_group_archive

    files = read_archive(build_group_archive(ctx, source))
    return _import_group(ctx, files, (source.name, source.visibility), entity, importer)


def _import_group(
    ctx: WriteContext, files: Files, named: tuple[str, Visibility], entity: BulkImportEntity, importer: User
) -> Group:
    from fakeplat.domain.import_export.group_import import import_groups

    name, wanted = named
    found = namespaces.find_by_path(ctx.world, entity.destination_namespace) if entity.destination_namespace else None
    parent = found if isinstance(found, Group) else None
    visibility = wanted if parent is None or wanted == "private" else parent.visibility
    group = groups.create(
        ctx, path=entity.destination_slug, name=name, parent=parent, visibility=visibility, any_name=True
    )
    import_groups(ctx, group, importer, files)
    return group


def _copy_contents(
    ctx: WriteContext,
    bulk_import: BulkImport,
    entity: BulkImportEntity,
    source: Group,
    group: Group,
    importer: User,
) -> None:
    """Copy the projects of a group and of its subgroups, each as an entity of its own."""
    destination = namespaces.full_path(ctx.world, group)
    for project in list(ctx.world.projects.where("namespace", source.id)):
        place = namespaces.project_path(ctx.world, project)
        child = _add_child(ctx, bulk_import, entity, ("project_entity", place, project.path), destination)
        copied = _copy_project(ctx, project, destination, project.path, importer)
        _set_entity(ctx, child, "finished", project_id=copied.id)
    for subgroup in list(ctx.world.namespaces.where("parent", source.id)):
        copied_group = namespaces.find_by_path(ctx.world, f"{destination}/{subgroup.path}")
        if isinstance(subgroup, Group) and isinstance(copied_group, Group):
            place = namespaces.full_path(ctx.world, subgroup)
            child = _add_child(ctx, bulk_import, entity, ("group_entity", place, subgroup.path), destination)
            _set_entity(ctx, child, "finished", namespace_id=copied_group.id)
            _copy_contents(ctx, bulk_import, child, subgroup, copied_group, importer)


def _add_child(
    ctx: WriteContext,
    bulk_import: BulkImport,
    parent: BulkImportEntity,
    source: tuple[BulkImportSource, str, str],
    destination: str,
) -> BulkImportEntity:
    """Add an entity that belongs to a group; ``source`` are its kind, its full path and its path."""
    kind, full_path, path = source
    child: NewEntity = {
        "source_type": kind,
        "source_full_path": full_path,
        "destination_namespace": destination,
        "destination_slug": path,
        "migrate_projects": parent.migrate_projects,
        "migrate_memberships": parent.migrate_memberships,
    }
    return ctx.world.bulk_import_entities.change(_add_entity(ctx, bulk_import, child), parent_id=parent.id)


def _copy_project(ctx: WriteContext, source: Project, destination: str, path: str, importer: User) -> Project:
    from fakeplat.domain.import_export.project_export import build_project_archive

    files = read_archive(build_project_archive(ctx, source, None))
    return _import_project(ctx, files, (destination, path, source.name), importer)


def _import_project(ctx: WriteContext, files: Files, named: tuple[str, str, str], importer: User) -> Project:
    """Create a project from the files of an archive; ``named`` are its namespace, its path and its name."""
    from fakeplat.domain.import_export.project_import import ProjectImporter

    destination, path, name = named
    namespace = namespaces.find_by_path(ctx.world, destination)
    if namespace is None:
        raise Unprocessable(f"Import failed. Destination '{destination}' is invalid, or you don't have permission.")
    project = projects.create(ctx, namespace, importer, path=path, name=name, visibility="private")
    ProjectImporter(ctx, project, importer, files).run()
    return ctx.world.projects.change(ctx.world.projects[project.id], import_status="finished")


class _Outcome(TypedDict, total=False):
    """What an entity became."""

    namespace_id: int
    project_id: int
    failures: tuple[BulkImportFailure, ...]


def _set_entity(
    ctx: WriteContext, entity: BulkImportEntity, status: BulkImportStatus, outcome: _Outcome | None = None, **ids: int
) -> BulkImportEntity:
    changes = {**(outcome or {}), **ids}
    return ctx.world.bulk_import_entities.change(entity, status=status, updated_at=ctx.now_iso, **changes)


def _fail(ctx: WriteContext, entity: BulkImportEntity, exception_class: str, text: str) -> None:
    failure = BulkImportFailure(
        ctx.now_iso,
        _RELATIONS[entity.source_type],
        exception_class,
        text,
        ctx.random_hex("correlation id"),
        _PIPELINES[entity.source_type],
    )
    _set_entity(ctx, entity, "failed", {"failures": (failure,)})
