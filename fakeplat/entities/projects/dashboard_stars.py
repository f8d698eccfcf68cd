"""The view of a star for a dashboard of metrics. Source: docs/platform/metrics-dashboards.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.projects import DashboardStar


class DashboardStarView(Entity[DashboardStar]):
    """A user's star for a dashboard."""

    id = attr()
    dashboard_path = attr()
    user_id = attr()
    project_id = attr()
