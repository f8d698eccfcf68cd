"""The view of a remark on a dashboard of metrics. Source: docs/platform/metrics-dashboards.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.deployments import DashboardAnnotation


class DashboardAnnotationView(Entity[DashboardAnnotation]):
    """A remark on the dashboard of an environment or a cluster."""

    id = attr()
    starting_at = attr()
    ending_at = attr()
    dashboard_path = attr()
    description = attr()

    @computed
    def environment_id(self) -> int | None:
        kind, id_ = self.record.subject
        return id_ if kind == "environment" else None

    @computed
    def cluster_id(self) -> int | None:
        kind, id_ = self.record.subject
        return id_ if kind == "cluster" else None
