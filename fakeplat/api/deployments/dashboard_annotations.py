"""Remarks on dashboards of metrics, until 16.0. Source: docs/platform/metrics-dashboards.md."""

from typing import Final
from urllib.parse import unquote_plus

from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Moment, Params
from fakeplat.domain.clusters import clusters
from fakeplat.domain.deployments import dashboard_annotations
from fakeplat.entities.deployments.dashboard_annotations import DashboardAnnotationView
from fakeplat.model.clusters import Cluster
from fakeplat.model.deployments import DashboardAnnotation, Environment
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

area: Final = Area("Metrics dashboards", login=Login.ALWAYS)
_PATH: Final = "metrics_dashboard/annotations"
_UNTIL: Final = "16.0"


class CreateAnnotation(Params):
    """The remark, and when it applies. The path of the dashboard may be encoded once more."""

    starting_at: Moment
    ending_at: Moment | None = None
    dashboard_path: str
    description: str


@area.operation(
    "POST",
    f"environments/:id/{_PATH}",
    params=CreateAnnotation,
    view=DashboardAnnotationView,
    refusals=(400, 403, 404),
    until=_UNTIL,
)
def create_environment_dashboard_annotation(
    ctx: WriteContext,
    id: int,  # the name in the path
    p: CreateAnnotation,
) -> DashboardAnnotation:
    """Add a remark to a dashboard of an environment."""
    environment = ctx.world.environments.get(id)
    if environment is None:
        raise RecordNotFound(reason=f"there is no environment {id}")
    return _annotate(ctx, environment, ctx.world.projects[environment.project_id], p)


@area.operation(
    "POST",
    f"clusters/:id/{_PATH}",
    params=CreateAnnotation,
    view=DashboardAnnotationView,
    refusals=(400, 403, 404),
    until=_UNTIL,
)
def create_cluster_dashboard_annotation(
    ctx: WriteContext,
    id: int,  # the name in the path
    p: CreateAnnotation,
) -> DashboardAnnotation:
    """Add a remark to a dashboard of a cluster."""
    cluster = ctx.world.clusters.get(id)
    if cluster is None:
        raise RecordNotFound(reason=f"there is no cluster {id}")
    owner = clusters.owner_of(ctx.world, cluster)
    if not isinstance(owner, Project | Group):
        raise Forbidden(reason="nobody annotates the dashboards of clusters of the instance")
    return _annotate(ctx, cluster, owner, p)


def _annotate(
    ctx: WriteContext, record: Environment | Cluster, owner: Project | Group, p: CreateAnnotation
) -> DashboardAnnotation:
    authorize(ctx, Ability.ANNOTATE_DASHBOARDS, owner)
    return dashboard_annotations.add(
        ctx,
        record,
        owner if isinstance(owner, Project) else None,
        dashboard_path=unquote_plus(p.dashboard_path),
        starting_at=p.starting_at,
        description=p.description,
        ending_at=p.ending_at,
    )
