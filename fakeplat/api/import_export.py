"""Exports of projects and groups, and imports of their archives. Source: docs/platform/import-export.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.people.groups import authorize_create_group, check_organization
from fakeplat.api.people.namespaces import require_readable
from fakeplat.api.projects.projects import ProjectAttributes
from fakeplat.api.scopes import GROUP, PROJECT, get_group, get_project
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound, Refusal
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.import_export import exports, imports, relation_imports
from fakeplat.domain.import_export.project_export import RELATIONS, SETTINGS
from fakeplat.domain.people import namespaces
from fakeplat.entities.import_export import ProjectExportStatus, ProjectImportStatus, RelationImportStatus
from fakeplat.model.import_export import Export, RelationImport
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    EXPORT_DOWNLOADS_COUNT_IN_NAMESPACES,
    IMPORTS_NEED_LOGIN,
    PROJECT_EXPORTS_RUN_ALONE,
)
from fakeplat.policy.context import ReadContext, WriteContext

# The project is looked up before the parameters are checked.
export_area: Final = Area("Import/export", login=Login.NEVER, located_first=True)
area: Final = Area("Import/export", login=Login.ALWAYS)
_ACCEPTED: Final = {"message": "202 Accepted"}
_OVERRIDABLE: Final = {*SETTINGS, "visibility", *(f"{feature}_access_level" for feature in FEATURES)}


def get_exportable_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project as `get_project` does; 404 for every one if exports are disabled."""
    if not ctx.world.settings.project_export_enabled:
        raise NotFound(reason="the setting project_export_enabled is off")
    return get_project(ctx, reference)


EXPORTABLE: Final = NO_SCOPE / Segment("projects/:id", locate=get_exportable_project, word="project")


def _list_exports(world: World, records: Sequence[Project | Group]) -> Sequence[Export]:
    return exports.list_exports(world, records[-1])


class UploadExport(Params):
    """The address that the archive is sent to."""

    url: str | None = None
    http_method: str = "PUT"


class ExportProject(Params):
    """The description to export in place of the project's own, what to leave out, and where to send the archive."""

    description: str | None = None
    upload: UploadExport | None = None
    excluded_relations: Annotated[list[str] | None, Lifetime(since=PROJECT_EXPORTS_RUN_ALONE.since)] = None


@export_area.operation(
    "POST",
    "export",
    scope=EXPORTABLE,
    ability=Ability.ADMIN_PROJECT,
    params=ExportProject,
    status=202,
    refusals=(400, 404, 429),
)
def export_project(ctx: WriteContext, project: Project, p: ExportProject) -> dict[str, str]:
    """Start the export of a project. The archive is never sent anywhere."""
    ctx.count_action("project_export", _caller_id(ctx), ctx.world.settings.project_export_limit)
    excluded = p.excluded_relations or ()
    unknown = ", ".join(name for name in excluded if name not in RELATIONS)
    if unknown:
        raise BadRequest(f"Invalid excluded_relations: {unknown}", reason=f"the relations are {sorted(RELATIONS)}")
    if p.upload is not None:
        exports.check_upload(p.upload.url, p.upload.http_method)
    exports.request_export(ctx, project, description=p.description, excluded_relations=tuple(excluded))
    return _ACCEPTED


@export_area.operation(
    "GET",
    "export",
    scope=EXPORTABLE,
    ability=Ability.ADMIN_PROJECT,
    view=ProjectExportStatus,
    refusals=(404,),
    reading=Reading(advances=_list_exports),
)
def get_project_export(_ctx: ReadContext, project: Project) -> Project:
    """Get the status of a project's export."""
    return project


@export_area.operation("GET", "export/download", scope=EXPORTABLE, ability=Ability.ADMIN_PROJECT, refusals=(404, 429))
def download_project_export(ctx: ReadContext, project: Project) -> RawBody:
    """Download the archive of a finished export."""
    limit = ctx.world.settings.project_download_export_limit
    within = project.namespace_id if ctx.profile.has(EXPORT_DOWNLOADS_COUNT_IN_NAMESPACES) else project.id
    ctx.count_action("project_download_export", (_caller_id(ctx), within), limit)
    return _render_export(ctx, project)


@export_area.operation("POST", "export", scope=GROUP, ability=Ability.ADMIN_GROUP, status=202, refusals=(429,))
def export_group(ctx: WriteContext, group: Group) -> dict[str, str]:
    """Start the export of a group."""
    ctx.count_action("group_export", _caller_id(ctx), ctx.world.settings.group_export_limit)
    exports.request_export(ctx, group)
    return _ACCEPTED


@export_area.operation(
    "GET",
    "export/download",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    refusals=(404, 429),
    reading=Reading(advances=_list_exports),
)
def download_group_export(ctx: ReadContext, group: Group) -> RawBody:
    """Download the archive of a finished export of a group."""
    limit = ctx.world.settings.group_download_export_limit
    ctx.count_action("group_download_export", (_caller_id(ctx), group.id), limit)
    return _render_export(ctx, group)


def _render_export(ctx: ReadContext, container: Project | Group) -> RawBody:
    export = exports.find_export(ctx, container)
    if export is None or export.archive is None:
        status = "was never requested" if export is None else f"is {export.status}"
        raise _no_export(f"the export of {container.path} {status}")
    headers = (("Content-Disposition", content_disposition("attachment", export.filename)),)
    return RawBody(export.archive, "application/octet-stream", headers)


def _no_export(reason: str) -> Refusal:
    refusal = NotFound(reason=reason)
    refusal.payload = {"message": "404 Not found or has expired"}
    return refusal


def _caller_id(ctx: ReadContext) -> int | None:
    return ctx.viewer.id if ctx.viewer else None


class OverrideParams(ProjectAttributes):
    """Attributes that replace those in the archive."""


class ImportTarget(Params):
    """Where an imported project goes; ``overwrite`` replaces a project that is there."""

    name: str | None = None
    namespace: str | None = None
    namespace_id: Annotated[int | None, Lifetime(since="<=18.9")] = None
    namespace_path: Annotated[str | None, Lifetime(since="<=18.9")] = None
    overwrite: bool = False
    override_params: OverrideParams | None = None

    rules = (mutually_exclusive("namespace", "namespace_id", "namespace_path"),)


class ImportProject(ImportTarget):
    """The archive, and where its project goes."""

    path: str
    file: Upload


@area.operation(
    "POST", "projects/import", params=ImportProject, view=ProjectImportStatus, refusals=(400, 403, 404, 413, 422, 429)
)
def import_project(ctx: WriteContext, p: ImportProject) -> Project:
    """Import a project from an archive."""
    count_import(ctx)
    imports.check_archive(ctx, p.file)
    namespace = get_target_namespace(ctx, p)
    given = p.override_params.given() if p.override_params is not None else {}
    overrides = {name: value for name, value in given.items() if name in _OVERRIDABLE and value is not None}
    return imports.import_project(ctx, namespace, p.file, p.path, p.name, overwrite=p.overwrite, overrides=overrides)


def count_import(ctx: WriteContext) -> None:
    """Count an import of a project; 403 if projects are no source of imports, 429 above the limit."""
    _check_source(ctx)
    ctx.count_action("project_import", _caller_id(ctx), ctx.world.settings.project_import_limit)


def _check_source(ctx: ReadContext) -> None:
    if "gitlab_project" not in ctx.world.settings.import_sources:
        raise Forbidden(reason="the setting import_sources does not contain gitlab_project")


def get_target_namespace(ctx: ReadContext, p: ImportTarget) -> Namespace:
    """Return the namespace in which an imported project is to be, by default that of the caller."""
    reference = p.namespace or p.namespace_path or (str(p.namespace_id) if p.namespace_id is not None else None)
    if reference is not None:
        return require_readable(ctx, namespaces.find_by_reference(ctx.world, reference), reference)
    user = ctx.signed_in_user
    own = namespaces.find_user_namespace(ctx.world, user)
    if own is None:
        raise BadRequest("Namespace is not valid", reason=f"{user.username} has no namespace")
    return own


def _needs_login(world: World) -> Login:
    return Login.ALWAYS if world.profile.has(IMPORTS_NEED_LOGIN) else Login.NEVER


@export_area.operation(
    "GET",
    "import",
    scope=PROJECT,
    ability=Ability.READ_PROJECT,
    login=_needs_login,
    view=ProjectImportStatus,
    refusals=(403,),
    reading=Reading(
        advances=lambda world, records: [
            import_ for import_ in (imports.find_import(world, records[-1]),) if import_ is not None
        ]
    ),
)
def get_project_import(ctx: ReadContext, project: Project) -> Project:
    """Get the status of a project's import."""
    if not ctx.profile.has(IMPORTS_NEED_LOGIN):
        _check_source(ctx)
    return project


class ImportRelation(Params):
    """The path of the project, and the archive that has the relation."""

    path: str
    file: Upload
    relation: str


# It was behind a feature flag before it became generally available.
@area.operation(
    "POST",
    "projects/import-relation",
    params=ImportRelation,
    view=RelationImportStatus,
    refusals=(400, 403, 404, 409, 413, 422, 429),
    since="17.1",
)
def import_project_relation(ctx: WriteContext, p: ImportRelation) -> RelationImport:
    """Import those records of a relation that a project lacks, from the archive of a project."""
    count_import(ctx)
    imports.check_archive(ctx, p.file)
    return relation_imports.request_import(ctx, p.path, p.relation, p.file.data)


@export_area.operation(
    "GET",
    "relation-imports",
    scope=PROJECT,
    login=Login.ALWAYS,
    view=RelationImportStatus,
    many=True,
    paging=None,
    refusals=(403,),
    since="17.1",
    reading=Reading(advances=lambda world, records: relation_imports.list_imports(world, records[-1])),
)
def list_relation_imports(ctx: ReadContext, project: Project) -> Sequence[RelationImport]:
    """List the imports of relations into a project."""
    if not can(ctx, Ability.ADMIN_PROJECT, project):
        raise Forbidden("Project", reason="only those who administer the project see its imports")
    return relation_imports.list_imports(ctx.world, project)


class ImportGroup(Params):
    """The archive, and where its group goes."""

    path: str
    name: str
    file: Upload
    parent_id: int | None = None
    organization_id: Annotated[int | None, Lifetime(since="<=18.9")] = None


@area.operation("POST", "groups/import", params=ImportGroup, status=202, refusals=(400, 403, 404, 413, 422, 429))
def import_group(ctx: WriteContext, p: ImportGroup) -> dict[str, str]:
    """Import a group from an archive."""
    parent = get_group(ctx, str(p.parent_id)) if p.parent_id is not None else None
    authorize_create_group(ctx, parent)
    check_organization(p.organization_id)
    ctx.count_action("group_import", _caller_id(ctx), ctx.world.settings.group_import_limit)
    imports.check_archive(ctx, p.file)
    imports.import_group(ctx, parent, p.file, p.path, p.name)
    return _ACCEPTED
