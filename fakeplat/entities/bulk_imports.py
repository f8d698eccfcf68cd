"""Views of direct transfers. Source: docs/platform/import-export.md ('Direct transfer')."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.import_export import bulk_imports
from fakeplat.model.import_export import BulkImport, BulkImportEntity, BulkImportFailure
from fakeplat.policy.context import ReadContext


class BulkImportView(Entity[BulkImport]):
    """A direct transfer."""

    ctx: ReadContext

    id = attr()
    status = attr()
    source_type = constant("gitlab", str)
    source_url = attr(since="<=18.0")
    created_at = attr()
    updated_at = attr()

    @computed_if(since="<=18.0")
    def has_failures(self) -> bool:
        return bulk_imports.has_failures(self.ctx.world, self.record)


class BulkImportFailureView(Entity[BulkImportFailure]):
    """Why a part of an entity could not be imported."""

    # Failures are parts of an entity, and have no ids.
    cached_by_id = False

    relation = attr(since="<=15.10")
    exception_message = attr(since="<=15.10")
    exception_class = attr()
    correlation_id_value = attr()
    source_url = attr(since="<=18.0")
    source_title = attr(since="<=18.0")
    pipeline_class = attr(until="<=18.0")
    pipeline_step = attr(until="<=18.0")
    created_at = attr(until="<=18.0")


class BulkImportEntityView(Entity[BulkImportEntity]):
    """A group or project that a direct transfer brings."""

    ctx: ReadContext

    id = attr()
    bulk_import_id = attr()
    status = attr()

    @computed_if(since="<=15.10")
    def entity_type(self) -> str:
        return self.record.source_type.removesuffix("_entity")

    source_full_path = attr()

    @computed_if(since="<=15.10")
    def destination_full_path(self) -> str:
        parts = (self.record.destination_namespace, self.record.destination_slug)
        return "/".join(part for part in parts if part)

    destination_name = attr("destination_slug")
    destination_slug = attr(since="<=15.4")
    destination_namespace = attr()
    parent_id = attr()
    namespace_id = attr()
    project_id = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def failures(self) -> list[dict[str, Any]]:
        return [self.ctx.render(BulkImportFailureView, failure) for failure in self.record.failures]

    migrate_projects = attr(since="<=15.10")
    migrate_memberships = attr(since="<=18.0")

    @computed_if(since="<=18.0")
    def has_failures(self) -> bool:
        return bool(self.record.failures)

    @computed_if(since="<=18.0")
    def stats(self) -> dict[str, Any]:
        return {}
