"""Imports of archives into new projects and groups, done by the clock. Source: docs/platform/import-export.md."""

from collections.abc import Mapping
from typing import Final, cast

from fakeplat.core.operations.errors import (
    BadRequest,
    ContentTooLarge,
    InvalidRecord,
    LimitReached,
    Refusal,
    Unprocessable,
    inspect_errors,
)
from fakeplat.core.params.body import Upload
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.groups import groups
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import projects
from fakeplat.domain.projects.project_fields import NewProject
from fakeplat.domain.purging import purge
from fakeplat.model.import_export import Import
from fakeplat.model.people import Group, Level, Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, level_on
from fakeplat.policy.behaviours import DEVELOPERS_IMPORT_PROJECTS
from fakeplat.policy.context import ReadContext, WriteContext

SCHEDULED: Final = "scheduled"
STARTED: Final = "started"
_START: Final = "start_import"
_FINISH: Final = "finish_import"
_MEBIBYTE: Final = 1 << 20


def find_import(world: World, container: Project | Group) -> Import | None:
    """Return the import that a project or group comes from; None for any other one."""
    return world.imports.find("source", source_of(container))


def check_archive(ctx: ReadContext, upload: Upload) -> None:
    """Raise 413 for a file over `max_import_size`, and 422 for one whose name is not that of an archive."""
    limit = ctx.world.settings.max_import_size
    if limit and len(upload.data) > limit * _MEBIBYTE:
        raise ContentTooLarge(reason=f"the file has {len(upload.data)} bytes; max_import_size is {limit} MB")
    if not upload.filename.lower().endswith(".gz"):
        product = ctx.instance.product_name
        text = f"You need to upload a {product} project export archive (ending in .gz)."
        raise Unprocessable({"error": text}, reason=f"the file's name is {upload.filename!r}")


def import_project(
    ctx: WriteContext,
    namespace: Namespace,
    upload: Upload,
    path: str,
    name: str | None,
    *,
    overwrite: bool,
    overrides: Mapping[str, object],
) -> Project:
    """Create the project that an archive is imported into; 400 with the first error of an invalid one."""
    importer = ctx.signed_in_user
    if not can(ctx, Ability.CREATE_PROJECTS, namespace):
        raise BadRequest("Namespace is not valid", reason=f"{importer.username} may not create projects there")
    if not (ctx.profile.has(DEVELOPERS_IMPORT_PROJECTS) or level_on(ctx, namespace) >= Level.MAINTAINER):
        raise BadRequest("Namespace is not valid", reason=f"{importer.username} may not import projects there")
    replaced = ctx.world.projects.find("place", (namespace.id, path.lower())) if overwrite else None
    if replaced is not None and not can(ctx, Ability.REMOVE_PROJECT, replaced):
        raise BadRequest("Path has already been taken", reason="only its owner may overwrite a project")
    # The new project takes the place of the old one once it is complete.
    free_path = f"{path}-{ctx.random_hex('import')}" if replaced else path
    fields: NewProject = {
        "path": free_path,
        "name": free_path if replaced else name or path,
        "import_status": SCHEDULED,
        "visibility": "private",
    }
    try:
        project = projects.create(ctx, namespace, importer, **fields)
    except InvalidRecord as refusal:
        raise BadRequest(refusal.full_messages()[0], reason=refusal.why) from None
    except LimitReached as refusal:
        raise BadRequest(refusal.texts[0], reason=refusal.why) from None
    final = {"path": path, "name": name or path} if replaced else {}
    fill_project(ctx, project, importer, upload.data, {**overrides, **final}, replaced)
    return project


def fill_project(
    ctx: WriteContext,
    project: Project,
    importer: User,
    archive: bytes,
    overrides: Mapping[str, object],
    replaced: Project | None = None,
) -> None:
    """Import an archive into a new project in the background; ``overrides`` replace what it says of the project."""
    import_ = _insert(ctx, project, importer, archive, replaced)
    schedule_steps(ctx, import_, project.import_status, overrides)


def import_group(ctx: WriteContext, parent: Group | None, upload: Upload, path: str, name: str) -> Group:
    """Create the group that an archive is imported into; 400 for an invalid one."""
    visibility = parent.visibility if parent else "private"
    try:
        group = groups.create(ctx, path=path, name=name, parent=parent, visibility=visibility)
    except InvalidRecord as refusal:
        raise BadRequest(f"Failed to save group {inspect_errors(refusal.fields)}", reason=refusal.why) from None
    import_ = _insert(ctx, group, ctx.signed_in_user, upload.data, None)
    ctx.schedule(_FINISH, ("imports", import_.id), ctx.now() + SECOND, in_progress=True, overrides={})
    return group


def _insert(
    ctx: WriteContext, container: Project | Group, importer: User, archive: bytes, replaced: Project | None
) -> Import:
    table = ctx.world.imports
    return table.add(
        Import(
            table.next_id(),
            source_of(container),
            importer.id,
            ctx.now_iso,
            ctx.random_hex("correlation id"),
            archive,
            replaces_id=replaced.id if replaced else None,
        )
    )


def schedule_steps(ctx: WriteContext, import_: Import, status: str, overrides: Mapping[str, object]) -> None:
    """Schedule what is left of the import of a project: a second to start, and another one to finish."""
    at, subject = ctx.now() + SECOND, ("imports", import_.id)
    if status == SCHEDULED:
        ctx.schedule(_START, subject, at, in_progress=True)
        at += SECOND
    ctx.schedule(_FINISH, subject, at, in_progress=True, overrides=dict(overrides))


@task_handler(_START)
def _start(ctx: WriteContext, due: ScheduledTask) -> None:
    project = ctx.world.projects[ctx.world.imports[due.subject[1]].source[1]]
    ctx.world.projects.change(project, import_status=STARTED)


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    import_ = ctx.world.imports[due.subject[1]]
    container = members.container_of(ctx.world, import_.source)
    if isinstance(container, Project):
        _finish_project(ctx, import_, container, due.args["overrides"])
    else:
        _finish_group(ctx, import_, cast(Group, container))
    ctx.world.imports.change(ctx.world.imports[import_.id], archive=None)


def _finish_project(ctx: WriteContext, import_: Import, project: Project, overrides: Mapping[str, object]) -> None:
    # Imported here, as few worlds import anything.
    from fakeplat.domain.import_export.archive_files import BadArchiveError, read_archive
    from fakeplat.domain.import_export.project_import import ProjectImporter

    state = ctx.world.frozen()
    try:
        files = read_archive(import_.archive or b"")
        importer = ProjectImporter(ctx, project, ctx.world.users[import_.user_id], files)
        importer.run()
    except BadArchiveError as error:
        ctx.world.roll_back(state)
        path = namespaces.project_path(ctx.world, project)
        text = f"Error importing repository into {path} - {error}"
        ctx.world.projects.change(project, import_status="failed", import_error=text)
        return
    if import_.replaces_id is not None:
        purge(ctx, ctx.world.projects[import_.replaces_id])
    ctx.world.projects.change(ctx.world.projects[project.id], **overrides, import_status="finished")
    ctx.world.imports.change(ctx.world.imports[import_.id], failures=tuple(importer.failures))


def _finish_group(ctx: WriteContext, import_: Import, group: Group) -> None:
    from fakeplat.domain.import_export import group_import
    from fakeplat.domain.import_export.archive_files import BadArchiveError, read_archive

    state = ctx.world.frozen()
    try:
        files = read_archive(import_.archive or b"")
        group_import.import_groups(ctx, group, ctx.world.users[import_.user_id], files)
    except (BadArchiveError, Refusal):
        # As on the platform, the group stays as it was created, and nobody is told.
        ctx.world.roll_back(state)
