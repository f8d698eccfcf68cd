"""Views of exports and imports of projects. Source: docs/platform/import-export.md."""

from typing import Any, Final

from attrs import asdict

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.import_export import exports, imports, relation_exports
from fakeplat.entities import urls
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.model.import_export import RelationExport, RelationImport
from fakeplat.policy.behaviours import RELATION_EXPORTS_HAVE_BATCHES
from fakeplat.policy.context import ReadContext

_STATUS_NUMBERS: Final = {"started": 0, "finished": 1}


class ProjectExportStatus(ProjectIdentity):
    """A project with the status of its export."""

    @computed
    def export_status(self) -> str:
        return exports.status_of(self.ctx, self.record)

    @computed_if(when=lambda view: exports.status_of(view.ctx, view.record) == "finished")
    def _links(self) -> dict[str, str]:
        return {
            "api_url": urls.api_url(self.ctx, f"projects/{self.record.id}/export/download"),
            "web_url": f"{urls.project_url(self.ctx, self.record)}/download_export",
        }


class ProjectImportStatus(ProjectIdentity):
    """A project with the status of its import."""

    @computed
    def import_status(self) -> str:
        return self.record.import_status

    @computed_if(since="<=14.10")
    def import_type(self) -> str | None:
        return None if imports.find_import(self.ctx.world, self.record) is None else "gitlab_project"

    @computed
    def correlation_id(self) -> str | None:
        import_ = imports.find_import(self.ctx.world, self.record)
        return None if import_ is None else import_.correlation_id

    @computed
    def failed_relations(self) -> list[dict[str, Any]]:
        import_ = imports.find_import(self.ctx.world, self.record)
        failures = () if import_ is None else import_.failures
        return [{"id": number, **asdict(failure)} for number, failure in enumerate(failures, 1)]

    @computed_if(when=lambda view: view.record.import_error is not None)
    def import_error(self) -> str | None:
        return self.record.import_error


def _has_batches(view: "RelationExportStatus") -> bool:
    has_batches: bool = view.ctx.profile.has(RELATION_EXPORTS_HAVE_BATCHES)
    return has_batches


class RelationExportStatus(Entity[RelationExport]):
    """The status of the export of a relation."""

    relation = attr()

    @computed
    def status(self) -> int:
        return _STATUS_NUMBERS[self.record.status]

    @computed
    def error(self) -> str | None:
        # An export is made of what the world has, which never fails.
        return None

    updated_at = attr()
    batched = attr(when=_has_batches)

    @computed_if(when=_has_batches)
    def batches_count(self) -> int:
        return len(self._batches())

    @computed_if(when=_has_batches)
    def total_objects_count(self) -> int:
        return self.record.objects_count

    @computed_if(when=lambda view: view.record.batched and _has_batches(view))
    def batches(self) -> list[dict[str, Any]]:
        return [
            {
                "status": _STATUS_NUMBERS["finished"],
                "batch_number": number,
                "objects_count": count,
                "error": None,
                "updated_at": self.record.updated_at,
            }
            for number, (count, _content) in enumerate(self._batches(), 1)
        ]

    def _batches(self) -> list[tuple[int, bytes]]:
        return relation_exports.batches_of(self.record, self.ctx.world.settings.relation_export_batch_size)


class RelationImportStatus(Entity[RelationImport]):
    """The status of the import of a relation."""

    ctx: ReadContext

    id = attr()

    @computed
    def project_path(self) -> str:
        return urls.project_path(self.ctx, self.ctx.world.projects[self.record.project_id])

    relation = attr()
    status = attr()
    created_at = attr()
    updated_at = attr()
