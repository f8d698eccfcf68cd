"""Figures about groups, projects and their deployments. Source: docs/platform/analytics.md."""

from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT, get_group
from fakeplat.core.operations.errors import BadRequest, UnauthorizedWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Day, Moment, Named, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import DAY, from_iso, subtract_months, to_iso_date
from fakeplat.domain.analytics import deployment_frequency, dora, group_activity
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, decide
from fakeplat.policy.context import ReadContext

area: Final = Area("Analytics", login=Login.ALWAYS)
open_area: Final = Area("Analytics", login=Login.NEVER, located_first=True)
_MONTHS: Final = 3
_MOST_DAYS: Final = 91


class OfGroup(Params):
    """The full path, or the id, of a group."""

    group_path: str


@area.operation("GET", "analytics/group_activity/issues_count", params=OfGroup, refusals=(403, 404), tier="premium")
def get_group_activity_issues_count(ctx: ReadContext, p: OfGroup) -> dict[str, int]:
    """Count the issues of the last 90 days in a group."""
    return {"issues_count": group_activity.count_issues(ctx, get_group(ctx, p.group_path))}


@area.operation(
    "GET", "analytics/group_activity/merge_requests_count", params=OfGroup, refusals=(403, 404), tier="premium"
)
def get_group_activity_merge_requests_count(ctx: ReadContext, p: OfGroup) -> dict[str, int]:
    """Count the merge requests of the last 90 days in a group."""
    return {"merge_requests_count": group_activity.count_merge_requests(ctx, get_group(ctx, p.group_path))}


@area.operation(
    "GET", "analytics/group_activity/new_members_count", params=OfGroup, refusals=(403, 404), tier="premium"
)
def get_group_activity_new_members_count(ctx: ReadContext, p: OfGroup) -> dict[str, int]:
    """Count the users who became members of a group within the last 90 days."""
    return {"new_members_count": group_activity.count_new_members(ctx, get_group(ctx, p.group_path))}


class GetDoraMetrics(Params):
    """The metric, the range of days, the interval and the tiers of environments."""

    metric: str
    start_date: Day | None = None
    end_date: Day | None = None
    interval: str = "daily"
    environment_tier: str | None = None
    environment_tiers: Annotated[CommaList[str] | None, Lifetime(since="14.10")] = None


def _aggregate(ctx: ReadContext, container: Project | Group, p: GetDoraMetrics) -> Any:
    decision = decide(ctx, Ability.READ_DORA_METRICS, container)
    if not decision.allowed:
        raise UnauthorizedWithMessage("You do not have permission to access dora metrics.", reason=decision.why)
    today = to_iso_date(ctx.now())
    tiers = p.environment_tiers or ([p.environment_tier] if p.environment_tier else ["production"])
    start = p.start_date or subtract_months(today, _MONTHS)
    return dora.aggregate(ctx, container, dora.Query(p.metric, start, p.end_date or today, p.interval, tiers))


@open_area.operation(
    "GET",
    "dora/metrics",
    scope=PROJECT,
    params=GetDoraMetrics,
    refusals=(400, 401),
    tier="ultimate",
    since="13.10",
)
def get_project_dora_metrics(ctx: ReadContext, project: Project, p: GetDoraMetrics) -> Any:
    """Get a metric of the deployments of a project."""
    return _aggregate(ctx, project, p)


@open_area.operation(
    "GET",
    "dora/metrics",
    scope=GROUP,
    params=GetDoraMetrics,
    refusals=(400, 401),
    tier="ultimate",
    since="13.10",
)
def get_group_dora_metrics(ctx: ReadContext, group: Group, p: GetDoraMetrics) -> Any:
    """Get a metric of the deployments of all projects of a group."""
    return _aggregate(ctx, group, p)


class GetDeploymentFrequency(Params):
    """The name of an environment, the range of times and the interval."""

    environment: str
    from_: Annotated[Moment, Named("from")]
    to: Moment | None = None
    interval: Literal["all", "monthly", "daily"] = "all"


@area.operation(
    "GET",
    "analytics/deployment_frequency",
    scope=PROJECT,
    params=GetDeploymentFrequency,
    refusals=(400, 403),
    tier="ultimate",
    since="13.8",
)
def get_analytics_deployment_frequency(ctx: ReadContext, project: Project, p: GetDeploymentFrequency) -> list[Any]:
    """Count the successful deployments to an environment, by month, by day or all of them."""
    end = p.to or deployment_frequency.default_end(ctx)
    if p.from_ > end:
        raise BadRequest("400 Bad request - Parameter `to` is before the `from` date")
    if from_iso(end) - from_iso(p.from_) > _MOST_DAYS * DAY:
        raise BadRequest(f"400 Bad request - Date range is greater than {_MOST_DAYS} days")
    authorize(ctx, Ability.READ_DORA_METRICS, project)
    return deployment_frequency.list_frequencies(ctx, project, p.environment, p.from_, end, p.interval)
