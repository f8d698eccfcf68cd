"""Minutes on runners of the instance. Source: docs/platform/graphql.md ('Minutes')."""

from calendar import month_name
from collections.abc import Sequence
from typing import Final

from fakeplat.domain.ci import minutes_usage
from fakeplat.domain.ci.minutes_usage import MonthlyUsage, ProjectUsage
from fakeplat.domain.people import namespaces
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.3"
_PROJECTS: Final = "<=15.8"
_KINDS: Final = ("Group", "Namespace", "Namespaces::UserNamespace")
OF_PROJECT: Final = Type("CiMinutesProjectMonthlyUsage", "The minutes of a project in a month.", since=_SINCE)
OF_PROJECT.attributes({"minutes: Int": "The minutes that count."})
OF_NAMESPACE: Final = Type("CiMinutesNamespaceMonthlyUsage", "The minutes of a namespace in a month.", since=_SINCE)
OF_NAMESPACE.attributes({"minutes: Int": "The minutes that count, of all projects."})


@OF_NAMESPACE.field("projects: CiMinutesProjectMonthlyUsageConnection")
def projects_of(_ctx: ReadContext, usage: MonthlyUsage) -> Sequence[ProjectUsage]:
    """The minutes of each project, the most first."""
    return usage.projects


@OF_PROJECT.field("name: String", until="<=18.9")
def name_of(_ctx: ReadContext, usage: ProjectUsage) -> str:
    """The name of the project."""
    return usage.project.name


@OF_PROJECT.field("project: Project", since=_PROJECTS)
def project_of(ctx: ReadContext, usage: ProjectUsage) -> Project | None:
    """The project, if the caller can see it."""
    return usage.project if can_see(ctx, usage.project) else None


@OF_PROJECT.field("sharedRunnersDuration: Int", since="<=15.0")
@OF_NAMESPACE.field("sharedRunnersDuration: Int", since="<=14.9")
def duration_of(_ctx: ReadContext, usage: MonthlyUsage | ProjectUsage) -> int:
    """The seconds for which all jobs ran on runners of the instance."""
    return usage.seconds


@OF_NAMESPACE.field("month: String")
def name_of_month(_ctx: ReadContext, usage: MonthlyUsage) -> str:
    """The name of the month."""
    return month_name[int(usage.month[-2:])]


@OF_NAMESPACE.field("monthIso8601: ISO8601Date", since="<=14.9")
def first_day_of(_ctx: ReadContext, usage: MonthlyUsage) -> str:
    """The first day of the month."""
    return _first_day(usage)


def _first_day(usage: MonthlyUsage) -> str:
    return f"{usage.month}-01"


@QUERY.field(
    'ciMinutesUsage(namespaceId: NamespaceID @lifetime(since: "<=14.9"), date: Date @lifetime(since: "<=16.2")): '
    "CiMinutesNamespaceMonthlyUsageConnection",
    since=_SINCE,
)
def usage_of(ctx: ReadContext, namespace_id: str | None = None, date: str | None = None) -> Sequence[MonthlyUsage]:
    """The minutes of a top-level namespace, by default that of the caller, by month, for its owners."""
    root = _find_root(ctx, namespace_id)
    if root is None or not can(ctx, Ability.ADMIN_NAMESPACE, root):
        return ()
    return [usage for usage in minutes_usage.list_monthly(ctx.world, root) if date in (None, _first_day(usage))]


def _find_root(ctx: ReadContext, namespace_id: str | None) -> Namespace | None:
    if namespace_id is None:
        return namespaces.find_user_namespace(ctx.world, ctx.viewer) if ctx.viewer is not None else None
    found = ctx.world.namespaces.get(parse_id(ctx, namespace_id, *_KINDS))
    return found if found is not None and found.parent_id is None else None
