"""Views of exports and imports of projects. Source: docs/platform/import-export.md."""

from typing import Any

from attrs import asdict

from fakeplat.core.operations.entity import computed, computed_if
from fakeplat.domain.import_export import exports, imports
from fakeplat.entities import urls
from fakeplat.entities.projects.projects import ProjectIdentity


class ProjectExportStatus(ProjectIdentity):
    """A project with the status of its export."""

    @computed
    def export_status(self) -> str:
        return exports.status_of(self.ctx.world, self.record)

    @computed_if(when=lambda view: exports.status_of(view.ctx.world, view.record) == "finished")
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
