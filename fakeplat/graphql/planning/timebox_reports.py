"""Reports of milestones and iterations. Source: docs/platform/milestones.md ('Reports')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import timebox_reports
from fakeplat.domain.planning.timebox_reports import DailyTotals, Timebox
from fakeplat.graphql.errors import ResourceNotAvailable, error_messages
from fakeplat.graphql.lookups import find_namespace, find_visible_project
from fakeplat.graphql.planning.iterations import ITERATION
from fakeplat.graphql.planning.milestones import MILESTONE
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Report = Mapping[str, Any]
_SINCE: Final = "<=13.6"
_ERRORS: Final = "<=18.9"
_FIELD: Final = 'report(fullPath: String @lifetime(since: "<=14.9")): TimeboxReport'
DAY: Final = Type("BurnupChartDailyTotals", "The issues of a milestone or iteration on a day.", since=_SINCE)
DAY.attributes(
    {
        "date: ISO8601Date!": "The day.",
        "scopeCount: Int!": "The number of issues.",
        "scopeWeight: Int!": "Their weight.",
        "completedCount: Int!": "The number of closed issues.",
        "completedWeight: Int!": "Their weight.",
    }
)
METRICS: Final = Type("TimeboxMetrics", "Some issues of a milestone or iteration.", since=_SINCE)
METRICS.attributes({"count: Int!": "Their number.", "weight: Int!": "Their weight."})
STATS: Final = Type("TimeReportStats", "The issues of a milestone or iteration at its end, or now.", since=_SINCE)
STATS.attributes(
    {
        "complete: TimeboxMetrics": "The closed issues.",
        "incomplete: TimeboxMetrics": "The open issues.",
        "total: TimeboxMetrics": "All issues.",
    }
)
Enumeration(
    "TimeboxReportErrorReason",
    "Why there is no report.",
    {
        "UNSUPPORTED": ("unsupported_type", "There are no reports of it."),
        "MISSING_DATES": ("missing_dates", "It has no start or no due date."),
        "TOO_MANY_EVENTS": ("too_many_events", "Too much happened."),
    },
    since=_ERRORS,
)
ERROR: Final = Type("TimeboxReportError", "Why there is no report.", since=_ERRORS)
ERROR.attributes({"code: TimeboxReportErrorReason": "The reason.", "message: String": "The reason as a text."})
REPORT: Final = Type("TimeboxReport", "The report of a milestone or iteration.", since=_SINCE)
REPORT.attributes(
    {
        "burnupTimeSeries: [BurnupChartDailyTotals!]": "The totals of the days on which they changed.",
        "stats: TimeReportStats": "The totals at the end, or now.",
    }
)
REPORT.attributes({"error: TimeboxReportError": "Why there is no report."}, since=_ERRORS)
Interface("TimeboxReportInterface", "What has reports.", {_FIELD: "The report."}, since=_SINCE)


@MILESTONE.field(_FIELD, since=_SINCE)
@ITERATION.field(_FIELD, since=_SINCE)
def report_of(ctx: ReadContext, timebox: Timebox, full_path: str | None = None) -> Report:
    """The report, of all issues or of those of a project or group."""
    project_ids = None if full_path is None else _list_projects(ctx, full_path)
    kind = type(timebox).__name__
    tells_errors = ctx.profile.has(Lifetime(_ERRORS))
    if not _is_available(ctx, timebox):
        text = f"{kind} does not support burnup charts"
        return _build_error("unsupported_type", text) if tells_errors else _build_report(None)
    try:
        return _build_report(timebox_reports.build_series(ctx.world, timebox, project_ids))
    except BadRequest as refusal:
        (text,) = error_messages(refusal)
        if not tells_errors:
            raise GraphQLError(text) from refusal
        return _build_error("missing_dates", text)


def _is_available(ctx: ReadContext, timebox: Timebox) -> bool:
    container = (
        ctx.world.namespaces[timebox.group_id]
        if isinstance(timebox, Iteration)
        else container_of(ctx.world, timebox.source)
    )
    return has_feature(ctx.world, "premium", container)


def _list_projects(ctx: ReadContext, full_path: str) -> frozenset[int]:
    """Return the ids of the project at a path, or of those in the group there and below it."""
    project = find_visible_project(ctx, full_path)
    if project is not None and can(ctx, Ability.READ_ISSUES, project):
        return frozenset((project.id,))
    group = find_namespace(ctx, full_path)
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no issues of {full_path!r}")
    return frozenset(below.id for below in namespaces.list_projects_within(ctx.world, group))


def _build_error(code: str, message: str) -> Report:
    return {**_build_report(None), "error": {"code": code, "message": message}}


def _build_report(series: Sequence[DailyTotals] | None) -> Report:
    return {"burnup_time_series": series, "stats": _build_stats(series[-1]) if series else None, "error": None}


def _build_stats(last: DailyTotals) -> Mapping[str, Mapping[str, int]]:
    return {
        "complete": {"count": last.completed_count, "weight": last.completed_weight},
        "incomplete": {
            "count": last.scope_count - last.completed_count,
            "weight": last.scope_weight - last.completed_weight,
        },
        "total": {"count": last.scope_count, "weight": last.scope_weight},
    }
