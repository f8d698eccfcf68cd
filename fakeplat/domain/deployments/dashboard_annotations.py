"""Remarks on dashboards of metrics. Source: docs/platform/metrics-dashboards.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, Reason, Refusal
from fakeplat.domain.projects import dashboard_stars
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.clusters import Cluster
from fakeplat.model.deployments import DashboardAnnotation, Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_LONGEST: Final = 255


class NotAnnotated(BadRequest):
    """400 with the step of the platform's service that failed."""

    def __init__(self, message: object, step: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message, "status": "error", "last_step": step}, reason=reason)


def subject_of(record: Environment | Cluster) -> tuple[str, int]:
    """Return what names the environment or cluster of an annotation."""
    return ("environment" if isinstance(record, Environment) else "cluster", record.id)


def list_annotations(world: World, record: Environment | Cluster) -> Sequence[DashboardAnnotation]:
    """Return the annotations of an environment or a cluster, by id."""
    return list(world.dashboard_annotations.where("subject", subject_of(record)))


def add(
    ctx: WriteContext,
    record: Environment | Cluster,
    project: Project | None,
    *,
    dashboard_path: str,
    starting_at: str,
    description: str,
    ending_at: str | None = None,
) -> DashboardAnnotation:
    """Add an annotation; 400 for a dashboard that is missing, or a field that is invalid."""
    if not dashboard_stars.is_dashboard(ctx.world, project, dashboard_path):
        text = "Dashboard with requested path can not be found"
        raise NotAnnotated(text, "parse_dashboard_path", reason=f"there is no dashboard {dashboard_path}")
    errors = ValidationErrors()
    for name, value in (("description", description), ("dashboard_path", dashboard_path)):
        errors.when(not value.strip(), name, "can't be blank")
        too_long(errors, name, value, _LONGEST)
    if ending_at is not None and ending_at < starting_at:
        errors.add("ending_at", "can't be before starting_at time")
    if errors:
        raise NotAnnotated({field: errors.texts(field) for field in errors}, "create")
    table = ctx.world.dashboard_annotations
    return table.add(
        DashboardAnnotation(table.next_id(), subject_of(record), dashboard_path, starting_at, description, ending_at)
    )
