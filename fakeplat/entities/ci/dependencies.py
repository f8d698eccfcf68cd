"""Views of dependencies and their exports. Source: docs/platform/dependencies.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.ci.dependencies import Dependency
from fakeplat.model.ci import DependencyListExport
from fakeplat.policy.context import ReadContext

WITH_VULNERABILITIES = "with_vulnerabilities"
"""The option of a view for those who may see vulnerabilities."""


class DependencyView(Entity[Dependency]):
    """A package that a project uses."""

    # Dependencies are read from reports, and have no ids.
    cached_by_id = False

    name = attr()
    version = attr()
    package_manager = attr()
    dependency_file_path = attr("path")

    @computed_if(when=lambda view: WITH_VULNERABILITIES in view.options)
    def vulnerabilities(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.record.vulnerabilities]

    @computed
    def licenses(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.record.licenses]


class DependencyListExportView(Entity[DependencyListExport]):
    """An export of dependencies."""

    ctx: ReadContext

    id = attr()
    status = attr(since="<=18.0")

    @computed
    def has_finished(self) -> bool:
        return self.record.content is not None

    export_type = attr(since="<=18.0")
    send_email = attr(since="<=18.0")
    expires_at = attr(since="<=18.0")

    @computed
    def self(self) -> str:
        return f"{self.ctx.origin}/api/v4/dependency_list_exports/{self.record.id}"

    @computed
    def download(self) -> str:
        return f"{self.ctx.origin}/api/v4/dependency_list_exports/{self.record.id}/download"
