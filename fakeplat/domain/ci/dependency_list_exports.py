"""Exports of dependencies, made by the clock. Source: docs/platform/dependencies.md."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import Forbidden, NotFound
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, SECOND, to_iso
from fakeplat.domain.ci import dependencies
from fakeplat.domain.ci.dependencies import Dependency
from fakeplat.domain.issues.issue_search import visible_in_group
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.domain.purging import purge
from fakeplat.model.ci import DependencyExportType, DependencyListExport, Pipeline
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_FINISH: Final = "finish_dependency_list_export"
_EXPIRE: Final = "expire_dependency_list_export"
_KEPT_FOR: Final = 7 * DAY
_SPEC_VERSIONS: Final = {"sbom": "1.4", "cyclonedx_1_6_json": "1.6"}
_COLUMNS: Final = ("Name", "Version", "Packager", "Location")


def get_export(ctx: ReadContext, id_: int) -> DependencyListExport:
    """Return the export with an id; 404 if there is none, 403 if another user asked for it."""
    export = ctx.world.dependency_list_exports.get(id_)
    if export is None:
        raise NotFound(reason=f"there is no export {id_}; one is deleted a week after it was made")
    if ctx.viewer is None or export.user_id != ctx.viewer.id:
        raise Forbidden(reason=f"export {id_} belongs to another user")
    return export


def create(
    ctx: WriteContext, source: tuple[str, int], user: User, export_type: DependencyExportType, *, send_email: bool
) -> DependencyListExport:
    """Start an export, which is finished a second later."""
    table = ctx.world.dependency_list_exports
    export = table.add(
        DependencyListExport(table.next_id(), source, user.id, export_type, ctx.now_iso, send_email=send_email)
    )
    schedule_end(ctx, export)
    return export


def schedule_end(ctx: WriteContext, export: DependencyListExport) -> None:
    """Schedule what is left of an export: its end, or its deletion."""
    subject = ("dependency_list_exports", export.id)
    if export.content is None:
        ctx.schedule(_FINISH, subject, ctx.now() + SECOND, in_progress=True)
    else:
        ctx.schedule(_EXPIRE, subject, ctx.now() + _KEPT_FOR)


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    finish(ctx, ctx.world.dependency_list_exports[due.subject[1]])


def finish(ctx: WriteContext, export: DependencyListExport) -> DependencyListExport:
    """Make the file of an export."""
    content, expires_at = _build(ctx, export), to_iso(ctx.now() + _KEPT_FOR)
    finished = ctx.world.dependency_list_exports.change(export, content=content, expires_at=expires_at)
    schedule_end(ctx, finished)
    return finished


@task_handler(_EXPIRE)
def _expire(ctx: WriteContext, due: ScheduledTask) -> None:
    purge(ctx, ctx.world.dependency_list_exports[due.subject[1]])


def get_source(world: World, export: DependencyListExport) -> Pipeline | Project | Group:
    """Return the pipeline, project or group whose dependencies are exported."""
    kind, id_ = export.source
    if kind == "pipeline":
        return world.pipelines[id_]
    container = container_of(world, export.source)
    if isinstance(container, Project | Group):
        return container
    raise LookupError(f"no export is of a {kind}")


def filename_of(export: DependencyListExport) -> str:
    """Return the name of the file."""
    kind, id_ = export.source
    extension = "csv" if export.export_type == "csv" else "json"
    return f"{kind}_{id_}_dependencies_{export.created_at[:10].replace('-', '')}.{extension}"


def _build(ctx: WriteContext, export: DependencyListExport) -> bytes:
    source = get_source(ctx.world, export)
    if isinstance(source, Pipeline):
        found = [(ctx.world.projects[source.project_id], dependencies.list_of_pipeline(ctx, source))]
    else:
        projects = [source] if isinstance(source, Project) else visible_in_group(ctx.world, source)
        found = [(project, dependencies.list_of_project(ctx, project)) for project in projects]
    rows = [dependency for _, listed in found for dependency in listed]
    match export.export_type:
        case "sbom" | "cyclonedx_1_6_json":
            return orjson.dumps(_build_materials(ctx, _SPEC_VERSIONS[export.export_type], rows))
        case "csv":
            return _build_table(ctx.world, found)
        case "json_array":
            return orjson.dumps([_describe_component(project, row) for project, listed in found for row in listed])
        case _:
            return orjson.dumps(_build_list(rows))


def _build_materials(ctx: WriteContext, version: str, rows: Sequence[Dependency]) -> dict[str, Any]:
    paths = dict.fromkeys(row.path for row in rows if row.path)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": version,
        "serialNumber": f"urn:uuid:{ctx.random_uuid('dependency list export')}",
        "version": 1,
        "metadata": {
            "tools": [{"vendor": "Gitlab", "name": "Gemnasium", "version": "2.34.0"}],
            "authors": [{"name": "Gitlab", "email": "support@gitlab.com"}],
            "properties": [{"name": "gitlab:dependency_scanning:input_file", "value": path} for path in paths],
        },
        "components": [_build_component(row) for row in rows],
    }


def _build_component(row: Dependency) -> dict[str, Any]:
    licenses = [{"license": {"id": known["name"], "url": known["url"]}} for known in row.licenses]
    component = {"name": row.name, "purl": row.purl, "version": row.version, "type": "library"}
    return {key: value for key, value in component.items() if value is not None} | (
        {"licenses": licenses} if licenses else {}
    )


def _build_list(rows: Sequence[Dependency]) -> dict[str, Any]:
    listed = [
        {
            "name": row.name,
            "packager": row.package_manager,
            "package_manager": row.package_manager,
            "version": row.version,
            "licenses": list(row.licenses),
            "location": {"path": row.path},
            "vulnerabilities": list(row.vulnerabilities),
        }
        for row in rows
    ]
    return {"report": {"status": "ok" if rows else "no_dependencies"}, "dependencies": listed}


def _describe_component(project: Project, row: Dependency) -> dict[str, Any]:
    return {
        "name": row.name,
        "packager": row.package_manager,
        "version": row.version,
        "licenses": list(row.licenses),
        "location": {"path": row.path},
        "project": project.name,
    }


def _build_table(world: World, found: Sequence[tuple[Project, Sequence[Dependency]]]) -> bytes:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*_COLUMNS, "Project"))
    for project, listed in found:
        for row in listed:
            place = (row.name, row.version, row.package_manager, row.path)
            writer.writerow((*place, namespaces.project_path(world, project)))
    return text.getvalue().encode()
