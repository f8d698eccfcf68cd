"""Exports of the relations of projects and groups, for a transfer to another instance.

Source: docs/platform/import-export.md ('Relations').
"""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import GROUP, get_project
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import (
    BadRequest,
    InvalidParams,
    NotFound,
    NotFoundWithMessage,
    RecordNotFound,
    Refusal,
)
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params, all_or_none_of
from fakeplat.domain.import_export import relation_exports
from fakeplat.domain.people.members import source_of
from fakeplat.entities.import_export import RelationExportStatus
from fakeplat.model.import_export import RelationExport
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import DIRECT_TRANSFER_IS_A_SETTING, RELATION_EXPORTS_HAVE_BATCHES
from fakeplat.policy.context import ReadContext, WriteContext

# The project is looked up before the parameters are checked.
area: Final = Area("Import/export", login=Login.NEVER, located_first=True)
_ACCEPTED: Final = {"message": "202 Accepted"}


def get_transferable_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project as `get_project` does; 404 for every one if direct transfer or export is disabled."""
    if ctx.profile.has(DIRECT_TRANSFER_IS_A_SETTING):
        check_transfer_is_enabled(ctx)
    elif not ctx.world.settings.project_export_enabled:
        raise NotFound(reason="the setting project_export_enabled is off")
    return get_project(ctx, reference)


def check_transfer_is_enabled(ctx: ReadContext) -> None:
    """Raise 404 if direct transfer is disabled, as it is by default."""
    if ctx.profile.has(DIRECT_TRANSFER_IS_A_SETTING) and not ctx.world.settings.bulk_import_enabled:
        raise NotFound(reason="the setting bulk_import_enabled is off")


TRANSFERABLE: Final = NO_SCOPE / Segment("projects/:id", locate=get_transferable_project, word="project")


def _list_exports(world: World, records: Sequence[Project | Group]) -> list[RelationExport]:
    return list(world.relation_exports.where("source", source_of(records[-1])))


class StartExport(Params):
    """Whether relations are exported in batches."""

    batched: Annotated[bool, RELATION_EXPORTS_HAVE_BATCHES] = False


class DownloadRelation(Params):
    """The relation, and which of its batches."""

    relation: str
    batched: Annotated[bool | None, RELATION_EXPORTS_HAVE_BATCHES] = None
    batch_number: Annotated[int | None, RELATION_EXPORTS_HAVE_BATCHES] = None

    rules = (all_or_none_of("batched", "batch_number"),)


class SelectRelation(Params):
    """The only relation to show."""

    relation: Annotated[str | None, RELATION_EXPORTS_HAVE_BATCHES] = None


@area.operation(
    "POST",
    "export_relations",
    scope=TRANSFERABLE,
    ability=Ability.ADMIN_PROJECT,
    params=StartExport,
    status=202,
    refusals=(404,),
    since="14.4",
)
def start_project_relations_export(ctx: WriteContext, project: Project, p: StartExport) -> dict[str, str]:
    """Start the export of each relation of a project."""
    relation_exports.request_exports(ctx, project, batched=p.batched)
    return _ACCEPTED


@area.operation(
    "GET",
    "export_relations/download",
    scope=TRANSFERABLE,
    ability=Ability.ADMIN_PROJECT,
    params=DownloadRelation,
    refusals=(400, 404),
    reading=Reading(advances=_list_exports),
    since="14.4",
)
def download_project_export_relation(ctx: ReadContext, project: Project, p: DownloadRelation) -> RawBody:
    """Download an exported relation of a project."""
    if p.relation not in relation_exports.list_relations(ctx, "project"):
        raise InvalidParams("relation is not portable")
    return _render(ctx, project, p)


@area.operation(
    "GET",
    "export_relations/status",
    scope=TRANSFERABLE,
    ability=Ability.ADMIN_PROJECT,
    params=SelectRelation,
    view=RelationExportStatus,
    refusals=(404,),
    reading=Reading(advances=_list_exports),
    since="14.4",
)
def get_project_export_relations_status(
    ctx: ReadContext, project: Project, p: SelectRelation
) -> RelationExport | list[RelationExport]:
    """Get the status of the exports of the relations of a project."""
    return _select(ctx, project, p.relation)


@area.operation(
    "POST",
    "export_relations",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=StartExport,
    status=202,
    refusals=(404,),
    since="13.12",
)
def start_group_relations_export(ctx: WriteContext, group: Group, p: StartExport) -> dict[str, str]:
    """Start the export of each relation of a group."""
    check_transfer_is_enabled(ctx)
    relation_exports.request_exports(ctx, group, batched=p.batched)
    return _ACCEPTED


@area.operation(
    "GET",
    "export_relations/download",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=DownloadRelation,
    refusals=(400, 404),
    reading=Reading(advances=_list_exports),
    since="13.12",
)
def download_group_export_relation(ctx: ReadContext, group: Group, p: DownloadRelation) -> RawBody:
    """Download an exported relation of a group."""
    check_transfer_is_enabled(ctx)
    return _render(ctx, group, p)


@area.operation(
    "GET",
    "export_relations/status",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=SelectRelation,
    view=RelationExportStatus,
    refusals=(404,),
    reading=Reading(advances=_list_exports),
    since="13.12",
)
def get_group_export_relations_status(
    ctx: ReadContext, group: Group, p: SelectRelation
) -> RelationExport | list[RelationExport]:
    """Get the status of the exports of the relations of a group."""
    check_transfer_is_enabled(ctx)
    return _select(ctx, group, p.relation)


def _select(
    ctx: ReadContext, container: Project | Group, relation: str | None
) -> RelationExport | list[RelationExport]:
    """Return what a status is asked for: all exports or, as a single object, the one of a relation."""
    if relation is None:
        return relation_exports.list_exports(ctx, container)
    export = relation_exports.find_export(ctx, container, relation)
    if export is None:
        raise _missing(ctx, "Export not found")
    return export


def _render(ctx: ReadContext, container: Project | Group, p: DownloadRelation) -> RawBody:
    export = relation_exports.find_export(ctx, container, p.relation)
    if export is None:
        raise _missing(ctx, "Export not found")
    content = _get_batch(ctx, export, p.batch_number) if p.batched else _get_content(ctx, export)
    headers = (("Content-Disposition", content_disposition("attachment", relation_exports.filename_of(export))),)
    return RawBody(relation_exports.compress(content), "application/octet-stream", headers)


def _get_batch(ctx: ReadContext, export: RelationExport, number: int | None) -> bytes:
    if not export.batched:
        raise BadRequest("Export is not batched")
    batches = relation_exports.batches_of(export, ctx.world.settings.relation_export_batch_size)
    if number is None or not 0 < number <= len(batches):
        raise _missing(ctx, "Batch not found")
    return batches[number - 1][1]


def _get_content(ctx: ReadContext, export: RelationExport) -> bytes:
    if export.batched:
        raise BadRequest("Export is batched")
    if export.content is None:
        raise _missing(ctx, "Export file not found")
    return export.content


def _missing(ctx: ReadContext, message: str) -> Refusal:
    """Return the refusal for something that is not there, which tells what it is in later releases."""
    if ctx.profile.has(RELATION_EXPORTS_HAVE_BATCHES):
        return NotFoundWithMessage(message)
    return RecordNotFound(reason=message)
