"""The four metrics of deployments, computed from the records. Source: docs/platform/analytics.md."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from statistics import median
from typing import Any, Final, get_args

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.analytics.group_activity import list_issues
from fakeplat.domain.issues.issue_search import visible_in_group
from fakeplat.model.deployments import Deployment, Environment, EnvironmentTier
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    DORA_COUNTS_CHANGE_FAILURES,
    DORA_COUNTS_INCIDENTS,
    DORA_RANGE_IN_DAYS,
    DORA_ROWS_HAVE_DATES_AS_KEYS,
)
from fakeplat.policy.context import ReadContext

INTERVALS: Final = ("all", "monthly", "daily")
_TIERS: Final = get_args(EnvironmentTier)
_PRODUCTION: Final = "production"
_FULL_DATE: Final = len("2020-11-20")
_MONTH: Final = len("2020-11")


@frozen
class DailyMetrics:
    """The figures of an environment on a day on which it was deployed or an incident of its project ended."""

    day: str
    deployments: int
    lead_time: float | None
    time_to_restore: float | None
    incidents: int


def list_metrics(ctx: ReadContext) -> list[str]:
    """Return the names of the metrics of the release."""
    names = ["deployment_frequency", "lead_time_for_changes"]
    if ctx.profile.has(DORA_COUNTS_INCIDENTS):
        names.append("time_to_restore_service")
    if ctx.profile.has(DORA_COUNTS_CHANGE_FAILURES):
        names.append("change_failure_rate")
    return names


@frozen
class Query:
    """Which metric is asked for, of which days and tiers of environments, and for which intervals."""

    metric: str
    start: str
    end: str
    interval: str = "daily"
    tiers: Sequence[str] = (_PRODUCTION,)


def aggregate(ctx: ReadContext, container: Project | Group, query: Query) -> Any:
    """Return a metric by day or month, or as one value."""
    _validate(ctx, query)
    rows = list(_list_days(ctx, container, query))
    value_of = _VALUES[query.metric]
    if query.interval == "all":
        return value_of(rows)
    length = _FULL_DATE if query.interval == "daily" else _MONTH
    groups: dict[str, list[DailyMetrics]] = {}
    for row in sorted(rows, key=lambda row: row.day):
        groups.setdefault(row.day[:length], []).append(row)
    suffix = "" if query.interval == "daily" else "-01"
    return [_build_row(ctx, f"{start}{suffix}", value_of(group)) for start, group in groups.items()]


def _build_row(ctx: ReadContext, day: str, value: float | None) -> dict[str, Any]:
    legacy = {day: value} if ctx.profile.has(DORA_ROWS_HAVE_DATES_AS_KEYS) else {}
    return {**legacy, "date": day, "value": value}


def _validate(ctx: ReadContext, query: Query) -> None:
    most = ctx.profile.choose(DORA_RANGE_IN_DAYS)
    if (date.fromisoformat(query.end) - date.fromisoformat(query.start)).days > most:
        raise BadRequest(f"Date range must be shorter than {most} days.")
    if query.start >= query.end:
        raise BadRequest("The start date must be earlier than the end date.")
    if query.interval not in INTERVALS:
        raise BadRequest(f"The interval must be one of {','.join(INTERVALS)}.")
    if query.metric not in list_metrics(ctx):
        raise BadRequest(f"The metric must be one of {','.join(list_metrics(ctx))}.")
    if not set(query.tiers) <= set(_TIERS):
        raise BadRequest(f"The environment tiers must be from {', '.join(_TIERS)}.")


def _list_days(ctx: ReadContext, container: Project | Group, query: Query) -> Iterator[DailyMetrics]:
    world, with_incidents = ctx.world, ctx.profile.has(DORA_COUNTS_INCIDENTS)
    projects = [container] if isinstance(container, Project) else visible_in_group(world, container)
    for project in projects:
        issues = list_issues(world, project) if with_incidents else []
        incidents = [issue for issue in issues if issue.kind == "incident"]
        for environment in world.environments.where("project", project.id):
            if environment.tier in query.tiers:
                yield from _list_days_of(world, environment, incidents, query)


def _list_days_of(
    world: World, environment: Environment, incidents: Sequence[Issue], query: Query
) -> Iterator[DailyMetrics]:
    counted = incidents if environment.tier == _PRODUCTION else ()
    deployed: dict[str, list[Deployment]] = {}
    for deployment in world.deployments.where("environment", environment.id):
        if deployment.status == "success" and deployment.finished_at is not None:
            deployed.setdefault(deployment.finished_at[:_FULL_DATE], []).append(deployment)
    created = [incident.created_at[:_FULL_DATE] for incident in counted]
    closed: dict[str, list[float]] = {}
    for incident in counted:
        if incident.closed_at is not None:
            open_for = (from_iso(incident.closed_at) - from_iso(incident.created_at)) / SECOND
            closed.setdefault(incident.closed_at[:_FULL_DATE], []).append(open_for)
    for day in sorted({*deployed, *created, *closed}):
        if query.start <= day <= query.end:
            deployments = deployed.get(day, [])
            lead_times = [time for each in deployments for time in _list_lead_times(world, each)]
            yield DailyMetrics(
                day, len(deployments), _median(lead_times), _median(closed.get(day, [])), created.count(day)
            )


def _list_lead_times(world: World, deployment: Deployment) -> Iterator[float]:
    """Yield the seconds between each merge and the end of its deployment."""
    for id_ in deployment.merge_request_ids:
        merged_at = world.merge_requests[id_].merged_at
        if merged_at is not None and deployment.finished_at is not None:
            yield (from_iso(deployment.finished_at) - from_iso(merged_at)) / SECOND


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None


def _count_deployments(rows: Sequence[DailyMetrics]) -> float | None:
    return sum(row.deployments for row in rows) if rows else None


def _lead_time(rows: Sequence[DailyMetrics]) -> float | None:
    return _median([row.lead_time for row in rows if row.lead_time is not None])


def _time_to_restore(rows: Sequence[DailyMetrics]) -> float | None:
    return _median([row.time_to_restore for row in rows if row.time_to_restore is not None])


def _failure_rate(rows: Sequence[DailyMetrics]) -> float | None:
    deployments = sum(row.deployments for row in rows)
    return sum(row.incidents for row in rows) / deployments if deployments else None


_VALUES: Final[dict[str, Callable[[Sequence[DailyMetrics]], float | None]]] = {
    "deployment_frequency": _count_deployments,
    "lead_time_for_changes": _lead_time,
    "time_to_restore_service": _time_to_restore,
    "change_failure_rate": _failure_rate,
}
