"""Direct transfers of groups and projects. Source: docs/platform/import-export.md ('Direct transfer')."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, cast

from fakeplat.api.relation_exports import check_transfer_is_enabled
from fakeplat.core.operations.errors import Forbidden, NotFound
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.import_export import bulk_imports
from fakeplat.domain.import_export.bulk_imports import NewEntity
from fakeplat.entities.bulk_imports import BulkImportEntityView, BulkImportFailureView, BulkImportView
from fakeplat.model.import_export import (
    BulkImport,
    BulkImportEntity,
    BulkImportFailure,
    BulkImportSource,
    BulkImportStatus,
)
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Import/export", login=Login.ALWAYS)


def _list_imports(world: World, _records: object) -> list[BulkImport]:
    return list(world.bulk_imports.all())


_PROGRESS: Final = Reading(advances=_list_imports)


class Source(Params):
    """The instance that has the groups and projects, and a token of it."""

    url: str
    access_token: str


class Entity(Params):
    """A group or project, and where it goes."""

    source_type: BulkImportSource
    source_full_path: str
    destination_namespace: str
    destination_slug: Annotated[str | None, Lifetime(since="<=15.4")] = None
    destination_name: str | None = None
    migrate_projects: Annotated[bool | None, Lifetime(since="<=15.10")] = None
    migrate_memberships: Annotated[bool | None, Lifetime(since="<=18.0")] = None

    rules = (
        mutually_exclusive("destination_slug", "destination_name"),
        at_least_one_of("destination_slug", "destination_name"),
    )


class StartBulkImport(Params):
    """The source, and what is to be imported."""

    configuration: Source
    entities: list[Entity]


@area.operation("POST", "bulk_imports", params=StartBulkImport, view=BulkImportView, refusals=(404, 422), since="14.2")
def create_bulk_import(ctx: WriteContext, p: StartBulkImport) -> BulkImport:
    """Start a direct transfer of groups and projects from an instance."""
    check_transfer_is_enabled(ctx)
    entities = [_read_entity(entity) for entity in p.entities]
    return bulk_imports.create(ctx, p.configuration.url, p.configuration.access_token, entities)


def _read_entity(entity: Entity) -> NewEntity:
    given = {name: value for name, value in entity.given().items() if value is not None}
    slug = given.pop("destination_name", None) or given.get("destination_slug")
    return cast(NewEntity, {**given, "destination_slug": slug})


class ListBulkImports(Paged):
    """The status, and the order by creation."""

    status: BulkImportStatus | None = None
    sort: Annotated[Literal["asc", "desc"], Lifetime(since="<=15.4")] = "desc"


@area.operation(
    "GET",
    "bulk_imports",
    params=ListBulkImports,
    view=BulkImportView,
    many=True,
    refusals=(404,),
    reading=_PROGRESS,
    since="14.1",
)
def list_bulk_imports(ctx: ReadContext, p: ListBulkImports) -> Sequence[BulkImport]:
    """List the caller's direct transfers."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.list_imports(ctx, p.status, ascending=p.sort == "asc")


@area.operation(
    "GET",
    "bulk_imports/entities",
    params=ListBulkImports,
    view=BulkImportEntityView,
    many=True,
    refusals=(404,),
    reading=_PROGRESS,
    since="14.1",
)
def list_all_bulk_import_entities(ctx: ReadContext, p: ListBulkImports) -> Sequence[BulkImportEntity]:
    """List the groups and projects of all of the caller's direct transfers."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.list_all_entities(ctx, p.status, ascending=p.sort == "asc")


@area.operation(
    "GET",
    "bulk_imports/:import_id",
    view=BulkImportView,
    refusals=(404,),
    reading=_PROGRESS,
    since="14.1",
)
def get_bulk_import(ctx: ReadContext, import_id: int) -> BulkImport:
    """Get a direct transfer."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.get_import(ctx, import_id)


class ListEntities(Paged):
    """The status of the entities."""

    status: BulkImportStatus | None = None


@area.operation(
    "GET",
    "bulk_imports/:import_id/entities",
    params=ListEntities,
    view=BulkImportEntityView,
    many=True,
    refusals=(404,),
    reading=_PROGRESS,
    since="14.1",
)
def list_bulk_import_entities(ctx: ReadContext, import_id: int, p: ListEntities) -> Sequence[BulkImportEntity]:
    """List the groups and projects of a direct transfer."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.list_entities(ctx.world, bulk_imports.get_import(ctx, import_id), p.status)


@area.operation(
    "GET",
    "bulk_imports/:import_id/entities/:entity_id",
    view=BulkImportEntityView,
    refusals=(404,),
    reading=_PROGRESS,
    since="14.1",
)
def get_bulk_import_entity(ctx: ReadContext, import_id: int, entity_id: int) -> BulkImportEntity:
    """Get a group or project of a direct transfer."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.get_entity(ctx.world, bulk_imports.get_import(ctx, import_id), entity_id)


@area.operation(
    "GET",
    "bulk_imports/:import_id/entities/:entity_id/failures",
    params=Paged,
    view=BulkImportFailureView,
    many=True,
    refusals=(404,),
    reading=_PROGRESS,
    since="16.6",
)
def list_bulk_import_entity_failures(ctx: ReadContext, import_id: int, entity_id: int) -> Sequence[BulkImportFailure]:
    """List why parts of a group or project could not be imported."""
    check_transfer_is_enabled(ctx)
    return bulk_imports.get_entity(ctx.world, bulk_imports.get_import(ctx, import_id), entity_id).failures


@area.operation(
    "POST",
    "bulk_imports/:import_id/cancel",
    view=BulkImportView,
    status=200,
    refusals=(403, 404),
    since="17.1",
)
def cancel_bulk_import(ctx: WriteContext, import_id: int) -> BulkImport:
    """Cancel a direct transfer, one's own or as an administrator."""
    check_transfer_is_enabled(ctx)
    found = ctx.world.bulk_imports.get(import_id)
    if found is None:
        raise NotFound(reason=f"there is no direct transfer {import_id}")
    if found.user_id != ctx.signed_in_user.id and not ctx.admin:
        raise Forbidden(reason=f"direct transfer {import_id} belongs to another user")
    return bulk_imports.cancel(ctx, found)
