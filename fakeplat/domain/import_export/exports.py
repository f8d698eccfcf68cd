"""Exports of projects and groups: requested, and made by the clock. Source: docs/platform/import-export.md.

Nothing is sent anywhere: an export that is to be uploaded stays here, to be downloaded.
"""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack, cast

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain import signals, statistics
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors, check_url
from fakeplat.model.import_export import Export
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import EXPORTS_HAVE_USERS, PROJECT_EXPORTS_RUN_ALONE
from fakeplat.policy.context import ReadContext, WriteContext

_START: Final = "start_export"
_FINISH: Final = "finish_export"
_METHODS: Final = ("PUT", "POST")
_WRONG_METHOD: Final = "invalid. Only PUT and POST methods allowed."
_MEBIBYTE: Final = 1024 * 1024
_TOO_LARGE: Final = "The project size exceeds the export limit."
_ALREADY_RUNNING: Final = "An export is already running or queued for this project."


def list_exports(world: World, container: Project | Group) -> Sequence[Export]:
    """Return the exports of a project or group: one of each user, and everybody's."""
    return world.exports.where("source", source_of(container))


def find_export(ctx: ReadContext, container: Project | Group) -> Export | None:
    """Return the export of a project or group that the caller sees; None if there is none."""
    table, source = ctx.world.exports, source_of(container)
    return table.find("owner", (source, _owner_id(ctx))) or table.find("owner", (source, None))


def _owner_id(ctx: ReadContext) -> int | None:
    return ctx.viewer.id if ctx.viewer is not None and ctx.profile.has(EXPORTS_HAVE_USERS) else None


def status_of(ctx: ReadContext, project: Project) -> str:
    """Return the platform's word for the status of the export of a project that the caller sees."""
    export = find_export(ctx, project)
    return "none" if export is None else export.status


def check_upload(url: str | None, http_method: str) -> None:
    """Raise 400 for an upload to an address or with a method that the platform refuses."""
    if not url:
        return
    errors = ValidationErrors()
    check_url(errors, "url", url)
    errors.when(http_method not in _METHODS, "http_method", _WRONG_METHOD)
    errors.refuse()


class ExportOptions(TypedDict, total=False):
    """What an archive of a project has in place of the project's own description, and what it does not have."""

    description: str | None
    excluded_relations: tuple[str, ...]


def request_export(ctx: WriteContext, container: Project | Group, **options: Unpack[ExportOptions]) -> Export:
    """Start an export in place of an older one; 400 if later releases wait for that to end, or above the limit."""
    older = find_export(ctx, container)
    if older is not None:
        if isinstance(container, Project) and older.archive is None and ctx.profile.has(PROJECT_EXPORTS_RUN_ALONE):
            raise BadRequest(_ALREADY_RUNNING, reason=f"the export of {older.created_at} is {older.status}")
        purge(ctx, older)
    if isinstance(container, Project):
        _check_size(ctx, container)
    table = ctx.world.exports
    new = Export(table.next_id(), source_of(container), "queued", ctx.now_iso, user_id=_owner_id(ctx), **options)
    export = table.add(new)
    schedule_steps(ctx, export, ctx.user.id if ctx.user else None)
    return export


def _check_size(ctx: WriteContext, project: Project) -> None:
    """Raise 400 for a project that is larger than the setting allows; artifacts and packages are not exported."""
    limit = ctx.world.settings.max_export_size * _MEBIBYTE
    if not limit:
        return
    sizes = statistics.project_statistics(ctx, project)
    size = sizes["storage_size"] - sizes["job_artifacts_size"] - sizes["packages_size"]
    if size > limit:
        raise BadRequest(_TOO_LARGE, reason=f"{size} bytes are more than the setting max_export_size allows")


def schedule_steps(ctx: WriteContext, export: Export, user_id: int | None = None) -> None:
    """Schedule what is left of an export: a second to start, and another one to finish and to tell the user."""
    at, subject = ctx.now() + SECOND, ("exports", export.id)
    if export.status == "queued":
        ctx.schedule(_START, subject, at, in_progress=True)
        at += SECOND
    ctx.schedule(_FINISH, subject, at, in_progress=True, user_id=user_id)


@task_handler(_START)
def _start(ctx: WriteContext, due: ScheduledTask) -> None:
    ctx.world.exports.change(ctx.world.exports[due.subject[1]], status="started")


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    finished = finish(ctx, ctx.world.exports[due.subject[1]])
    user_id = due.args.get("user_id")
    if user_id is not None:
        signals.export_finished.send(ctx, finished, user_id)


def finish(ctx: WriteContext, export: Export) -> Export:
    """Make the archive of an export."""
    path, archive = _build_archive(ctx, export)
    filename = f"{_time_for_names(ctx)}_{path.replace('/', '_')}_export.tar.gz"
    return ctx.world.exports.change(export, status="finished", filename=filename, archive=archive)


def _build_archive(ctx: WriteContext, export: Export) -> tuple[str, bytes]:
    """Return the full path of an export's project or group, and its archive."""
    # Imported here, as few worlds export anything.
    from fakeplat.domain.import_export.group_export import build_group_archive
    from fakeplat.domain.import_export.project_export import build_project_archive

    container = members.container_of(ctx.world, export.source)
    if isinstance(container, Project):
        archive = build_project_archive(ctx, container, export.description, export.excluded_relations)
        return namespaces.project_path(ctx.world, container), archive
    group = cast(Group, container)
    return namespaces.full_path(ctx.world, group), build_group_archive(ctx, group)


def _time_for_names(ctx: WriteContext) -> str:
    """Return the time for the name of a file: ``2020-11-20_09-00-000``, with hours, minutes and milliseconds."""
    day, _, time = ctx.now_iso.partition("T")
    return f"{day}_{time[:2]}-{time[3:5]}-{time[-4:-1]}"
