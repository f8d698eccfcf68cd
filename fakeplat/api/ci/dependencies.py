"""Dependencies of projects, and their exports. Source: docs/platform/dependencies.md."""

from collections.abc import Sequence
from typing import Final, Literal

import orjson

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.ci import dependencies, dependency_list_exports
from fakeplat.domain.ci.dependencies import Dependency
from fakeplat.domain.people.members import source_of
from fakeplat.entities.ci.dependencies import WITH_VULNERABILITIES, DependencyListExportView, DependencyView
from fakeplat.model.ci import DependencyListExport, Pipeline
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, decide
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Dependencies", login=Login.ALWAYS)
_POLL: Final = (("Poll-Interval", "5000"),)
PackageManager = Literal[
    "bundler",
    "composer",
    "conan",
    "go",
    "gradle",
    "maven",
    "npm",
    "nuget",
    "pip",
    "pipenv",
    "sbt",
    "setuptools",
    "yarn",
]


class ListDependencies(Params):
    """The package managers whose dependencies are listed."""

    package_manager: CommaList[PackageManager] | None = None


def _options_of_list(ctx: ReadContext, _p: ListDependencies, _rows: object) -> tuple[str, ...]:
    project = ctx.container
    return (WITH_VULNERABILITIES,) if project is not None and can(ctx, Ability.READ_DEPENDENCY, project) else ()


@area.operation(
    "GET",
    "dependencies",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=ListDependencies,
    view=DependencyView,
    many=True,
    paging=None,
    options=_options_of_list,
    tier="ultimate",
)
def list_dependencies(ctx: ReadContext, project: Project, p: ListDependencies) -> Sequence[Dependency]:
    """List the dependencies that the newest scans of the default branch found."""
    found = dependencies.list_of_project(ctx, project)
    wanted = p.package_manager
    return [row for row in found if row.package_manager in wanted] if wanted else found


def _get_pipeline(ctx: ReadContext, id_: int) -> Pipeline:
    pipeline = ctx.world.pipelines.get(id_)
    if pipeline is None:
        raise NotFound("Pipeline", reason=f"there is no pipeline {id_}")
    decision = decide(ctx, Ability.READ_PIPELINE, ctx.world.projects[pipeline.project_id])
    if not decision.allowed:
        raise NotFound("Pipeline", reason=decision.why)
    return pipeline


PIPELINE: Final = NO_SCOPE / Segment("pipelines/:id", kind="integer", locate=_get_pipeline, word="pipeline")


class ExportOfPipeline(Params):
    """The form of an export, and whether an e-mail tells of its end."""

    export_type: Literal["sbom"] = "sbom"
    send_email: bool = False


@area.operation(
    "POST",
    "dependency_list_exports",
    scope=PIPELINE,
    params=ExportOfPipeline,
    view=DependencyListExportView,
    refusals=(403,),
    tier="ultimate",
    since="16.4",
)
def create_pipeline_dependency_list_export(
    ctx: WriteContext, pipeline: Pipeline, p: ExportOfPipeline
) -> DependencyListExport:
    """Start an export of the dependencies that the jobs of a pipeline found."""
    authorize(ctx, Ability.READ_DEPENDENCY, ctx.world.projects[pipeline.project_id])
    source = ("pipeline", pipeline.id)
    return dependency_list_exports.create(
        ctx, source, ctx.signed_in_user, p.export_type, send_email=p.send_email is True
    )


class ExportOfProject(Params):
    """The form of an export, and whether an e-mail tells of its end."""

    export_type: Literal["dependency_list", "csv", "cyclonedx_1_6_json"] = "dependency_list"
    send_email: bool = False


@area.operation(
    "POST",
    "dependency_list_exports",
    scope=PROJECT,
    ability=Ability.READ_DEPENDENCY,
    params=ExportOfProject,
    view=DependencyListExportView,
    tier="ultimate",
    since="16.4",
)
def create_dependency_list_export(ctx: WriteContext, project: Project, p: ExportOfProject) -> DependencyListExport:
    """Start an export of the dependencies of a project."""
    return dependency_list_exports.create(
        ctx, source_of(project), ctx.signed_in_user, p.export_type, send_email=p.send_email is True
    )


class ExportOfGroup(Params):
    """The form of an export, and whether an e-mail tells of its end."""

    export_type: Literal["json_array", "csv"] = "json_array"
    send_email: bool = False


@area.operation(
    "POST",
    "dependency_list_exports",
    scope=GROUP,
    ability=Ability.READ_DEPENDENCY,
    params=ExportOfGroup,
    view=DependencyListExportView,
    tier="ultimate",
    since="16.4",
)
def create_group_dependency_list_export(ctx: WriteContext, group: Group, p: ExportOfGroup) -> DependencyListExport:
    """Start an export of the dependencies of the projects of a group."""
    return dependency_list_exports.create(
        ctx, source_of(group), ctx.signed_in_user, p.export_type, send_email=p.send_email is True
    )


def _list_exports(world: World, _records: object) -> list[DependencyListExport]:
    return list(world.dependency_list_exports.all())


@area.operation(
    "GET",
    "dependency_list_exports/:export_id",
    view=DependencyListExportView,
    also=(202,),
    refusals=(403, 404),
    reading=Reading(advances=_list_exports),
    tier="ultimate",
    since="16.4",
)
def get_dependency_list_export(ctx: ReadContext, export_id: int) -> DependencyListExport | RawBody:
    """Get an export of dependencies; 202 until it is finished."""
    export = dependency_list_exports.get_export(ctx, export_id)
    if export.content is not None:
        return export
    return RawBody(orjson.dumps(ctx.render(DependencyListExportView, export)), JSON, _POLL, status=202)


@area.operation(
    "GET",
    "dependency_list_exports/:export_id/download",
    refusals=(403, 404),
    reading=Reading(advances=_list_exports),
    tier="ultimate",
    since="16.4",
)
def download_dependency_list_export(ctx: ReadContext, export_id: int) -> RawBody:
    """Download a finished export of dependencies."""
    export = dependency_list_exports.get_export(ctx, export_id)
    if export.content is None:
        raise NotFound("DependencyListExport", reason="the export is not finished")
    name = dependency_list_exports.filename_of(export)
    headers = (("Content-Disposition", content_disposition("attachment", name)),)
    return RawBody(export.content, "text/csv" if export.export_type == "csv" else JSON, headers)
