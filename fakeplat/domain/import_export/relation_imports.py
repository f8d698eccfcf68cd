"""Imports of single relations into projects that exist, done by the clock.

Source: docs/platform/import-export.md ('Relations').
"""

from functools import partial
from typing import Final, get_args

from fakeplat.core.operations.errors import BadRequest, Conflict, Forbidden, NotFound
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.people import namespaces
from fakeplat.model.import_export import ImportedRelation, RelationImport, RelationImportStatus
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

RELATIONS: Final[tuple[ImportedRelation, ...]] = get_args(ImportedRelation)
_START: Final = "start_relation_import"
_FINISH: Final = "finish_relation_import"


def list_imports(world: World, project: Project) -> list[RelationImport]:
    """Return the imports of relations into a project."""
    return list(world.relation_imports.where("project", project.id))


def request_import(ctx: WriteContext, path: str, relation: str, archive: bytes) -> RelationImport:
    """Start the import of a relation into the project with a path."""
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None:
        refusal = NotFound(reason=f"there is no project {path}")
        refusal.payload = {"message": "Project not found"}
        raise refusal
    imported = next((name for name in RELATIONS if name == relation), None)
    if imported is None:
        raise BadRequest("Imported relation must be one of issues, merge_requests, milestones, or ci_pipelines")
    _authorize(ctx, project)
    table = ctx.world.relation_imports
    import_ = table.add(
        RelationImport(
            table.next_id(),
            project.id,
            ctx.signed_in_user.id,
            imported,
            "created",
            ctx.now_iso,
            ctx.now_iso,
            archive,
        )
    )
    schedule_steps(ctx, import_)
    return import_


def _authorize(ctx: ReadContext, project: Project) -> None:
    if not can(ctx, Ability.ADMIN_PROJECT, project):
        refusal = Forbidden(reason="only those who administer the project import relations")
        refusal.payload = {"message": "You are not authorized to perform this action"}
        raise refusal
    last = next(iter(reversed(list_imports(ctx.world, project))), None)
    if project.import_status == "started" or (last is not None and last.archive is not None):
        raise Conflict("A relation import is already in progress for this project")
    if project.import_status == "scheduled":
        text = "Relation import tracker cannot be created for project with ongoing import"
        raise BadRequest(f"Relation import could not be created: {text}")


def schedule_steps(ctx: WriteContext, import_: RelationImport) -> None:
    """Schedule what is left of an import: a second to start, and another one to finish."""
    at, subject = ctx.now() + SECOND, ("relation_imports", import_.id)
    if import_.status == "created":
        ctx.schedule(_START, subject, at, in_progress=True)
        at += SECOND
    ctx.schedule(_FINISH, subject, at, in_progress=True)


@task_handler(_START)
def _start(ctx: WriteContext, due: ScheduledTask) -> None:
    _set_status(ctx, ctx.world.relation_imports[due.subject[1]], "started")


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    # Imported here, as few worlds import anything.
    from fakeplat.domain.import_export.archive_files import BadArchiveError, read_archive
    from fakeplat.domain.import_export.project_import import ProjectImporter

    import_ = ctx.world.relation_imports[due.subject[1]]
    project = ctx.world.projects[import_.project_id]
    is_known = partial(_has_number, ctx.world, project, import_.relation)
    state = ctx.world.frozen()
    try:
        files = read_archive(import_.archive or b"")
        ProjectImporter(ctx, project, ctx.world.users[import_.user_id], files).run_relation(import_.relation, is_known)
    except BadArchiveError:
        ctx.world.roll_back(state)
        _set_status(ctx, import_, "failed")
        return
    _set_status(ctx, import_, "finished")


def _has_number(world: World, project: Project, relation: ImportedRelation, iid: int) -> bool:
    if relation == "milestones":
        return world.milestones.find("iid", (("project", project.id), iid)) is not None
    if relation == "ci_pipelines":
        return world.pipelines.find("iid", (project.id, iid)) is not None
    table = world.issues if relation == "issues" else world.merge_requests
    return table.find("iid", (project.id, iid)) is not None


def _set_status(ctx: WriteContext, import_: RelationImport, status: RelationImportStatus) -> None:
    archive = import_.archive if status == "started" else None
    ctx.world.relation_imports.change(import_, status=status, updated_at=ctx.now_iso, archive=archive)
