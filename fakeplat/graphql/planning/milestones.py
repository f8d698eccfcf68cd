"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.planning import milestones
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_ability
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Type, with_lower_names
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import HIDDEN_MILESTONES_ARE_NULL
from fakeplat.policy.context import ReadContext

Enumeration(
    "MilestoneStateEnum",
    "The state of a milestone.",
    {"active": ("active", "The milestone is active."), "closed": ("closed", "The milestone is closed.")},
)

MILESTONE = Type(
    "Milestone", "A milestone of a project or group.", gid="Milestone", implements=("TimeboxReportInterface",)
)
MILESTONE.attributes(
    {
        "title: String!": "The title.",
        "description: String": "The description.",
        "state: MilestoneStateEnum!": "The state.",
        "dueDate: Time": "The due date.",
        "startDate: Time": "The start date.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


MILESTONE.attributes({"iid: ID!": "The number within the project or group."}, since="13.11")


@MILESTONE.field("expired: Boolean!", since="<=14.1")
def expired(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether the due date has passed."""
    return milestone.due_date is not None and ctx.has_passed_date(milestone.due_date)


@MILESTONE.field("webPath: String!")
def web_path(ctx: ReadContext, milestone: Milestone) -> str:
    """The path of the milestone's page."""
    return str(MilestoneView(milestone, ctx).web_url()).removeprefix(ctx.origin)


@MILESTONE.field("projectMilestone: Boolean!")
def project_milestone(_ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether the milestone belongs to a project."""
    return milestone.source[0] == "project"


@MILESTONE.field("groupMilestone: Boolean!")
def group_milestone(_ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether the milestone belongs to a group."""
    return milestone.source[0] == "group"


@MILESTONE.field("subgroupMilestone: Boolean!")
def subgroup_milestone(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether the milestone belongs to a subgroup."""
    group = group_of(ctx, milestone)
    return group is not None and group.parent_id is not None


@MILESTONE.field("project: Project", since="<=18.5")
def project_of(ctx: ReadContext, milestone: Milestone) -> Project | None:
    """The project that it belongs to."""
    return ctx.world.projects.get(milestone.source[1]) if project_milestone(ctx, milestone) else None


@MILESTONE.field("group: Group", since="<=18.5")
def group_of(ctx: ReadContext, milestone: Milestone) -> Group | None:
    """The group that it belongs to."""
    found = ctx.world.namespaces.get(milestone.source[1]) if group_milestone(ctx, milestone) else None
    return found if isinstance(found, Group) else None


STATS: Final = Type("MilestoneStats", "Numbers of the issues of a milestone.", since="<=13.7")


@MILESTONE.field("stats: MilestoneStats", since="<=13.7")
def stats(_ctx: ReadContext, milestone: Milestone) -> Milestone:
    """Numbers of its issues."""
    return milestone


@STATS.field("totalIssuesCount: Int")
def total_issues_count(ctx: ReadContext, milestone: Milestone) -> int:
    """Number of its issues."""
    return len(_list_issues(ctx, milestone))


@STATS.field("closedIssuesCount: Int")
def closed_issues_count(ctx: ReadContext, milestone: Milestone) -> int:
    """Number of its closed issues."""
    return sum(issue.state == "closed" for issue in _list_issues(ctx, milestone))


@MILESTONE.field("upcoming: Boolean!", since="<=18.5")
def upcoming(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether it is open and begins later."""
    start = milestone.start_date
    return milestone.state == "active" and start is not None and start > ctx.today


class MilestoneFilters(TypedDict, total=False):
    """Which milestones to list."""

    ids: Sequence[str] | None
    state: str | None
    title: str | None
    search_title: str | None
    sort: tuple[str, bool] | None
    containing_date: str | None
    timeframe: Mapping[str, str] | None
    start_date: str | None
    end_date: str | None


_DUE: Final = ("due_date", False)
_SORTS: Final[Mapping[str, EnumValue]] = {
    "DUE_DATE_ASC": (_DUE, "By due date, earliest first."),
    "DUE_DATE_DESC": (("due_date", True), "By due date, latest first."),
    "EXPIRED_LAST_DUE_DATE_ASC": (("expired_last", False), "By due date, earliest first, those that expired last."),
    "EXPIRED_LAST_DUE_DATE_DESC": (("expired_last", True), "By due date, latest first, those that expired last."),
    **{
        f"{column}_{direction}": ((f"{column.lower()}_at", direction == "DESC"), f"By {column.lower()} time.")
        for column in ("CREATED", "UPDATED")
        for direction in ("ASC", "DESC")
    },
}
Enumeration("MilestoneSort", "The order of milestones.", with_lower_names(_SORTS), since="<=14.3")


_ARGUMENTS: Final = """ids: [ID!], state: MilestoneStateEnum, title: String, searchTitle: String,
    containingDate: Time, startDate: Time @lifetime(until: "<=18.2"), endDate: Time @lifetime(until: "<=18.2"),
    timeframe: Timeframe @lifetime(since: "<=14.3"), sort: MilestoneSort = DUE_DATE_ASC @lifetime(since: "<=14.3")"""
_START_AFTER_END: Final = "start must be before end"


@PROJECT.field(f"milestones({_ARGUMENTS}, includeAncestors: Boolean): MilestoneConnection")
def milestones_of_project(
    ctx: ReadContext, project: Project, include_ancestors: bool | None = None, **filters: Unpack[MilestoneFilters]
) -> Sequence[Milestone] | None:
    """The milestones of the project."""
    if not _is_readable(ctx, project):
        return None
    return _filter_and_sort(
        ctx, milestones.list_available(ctx.world, project, parents=bool(include_ancestors)), filters
    )


@GROUP.field(
    f'milestones({_ARGUMENTS}, includeAncestors: Boolean @lifetime(since: "13.11"), includeDescendants: Boolean): '
    "MilestoneConnection"
)
def milestones_of_group(
    ctx: ReadContext,
    group: Group,
    include_ancestors: bool | None = None,
    include_descendants: bool | None = None,
    **filters: Unpack[MilestoneFilters],
) -> Sequence[Milestone] | None:
    """The milestones of the group, and on request those of the groups above and below and of their projects."""
    if not _is_readable(ctx, group):
        return None
    available = milestones.list_available(ctx.world, group, parents=bool(include_ancestors))
    if include_descendants:
        available = [*available, *milestones.list_below(ctx, group)]
    return _filter_and_sort(ctx, available, filters)


@QUERY.field("milestone(id: MilestoneID!): Milestone", since="<=14.0")
def find_milestone(ctx: ReadContext, id: str) -> Milestone | None:  # the argument's name on the wire
    """The milestone with a global ID, if the caller can read it."""
    milestone = ctx.world.milestones.get(parse_id(ctx, id, "Milestone"))
    container = None if milestone is None else project_of(ctx, milestone) or group_of(ctx, milestone)
    is_visible = container is not None and can_see(ctx, container) and can(ctx, Ability.READ_MILESTONE, container)
    return milestone if is_visible else None


def _is_readable(ctx: ReadContext, container: Container) -> bool:
    """Return whether the caller can read the milestones; earlier releases refuse the query otherwise."""
    if not ctx.profile.has(HIDDEN_MILESTONES_ARE_NULL):
        require_ability(ctx, Ability.READ_MILESTONE, container)
    return can(ctx, Ability.READ_MILESTONE, container)


def _filter_and_sort(
    ctx: ReadContext, available: Iterable[Milestone], filters: MilestoneFilters
) -> Sequence[Milestone]:
    """Return the milestones that match the filters, by due date unless told otherwise; those without one come last."""
    ids = filters.get("ids")
    milestone_ids = [_parse_id(ctx, text) for text in ids] if ids else None
    days = _read_days(filters)
    matching = [
        milestone
        for milestone in available
        if _matches(milestone, milestone_ids, filters) and (days is None or _overlaps(milestone, *days))
    ]
    newest_first = sorted(matching, key=lambda milestone: -milestone.id)
    column, descending = filters.get("sort") or _DUE
    if column in ("due_date", "expired_last"):
        return _order_by_due_date(ctx, newest_first, descending=descending, expired_last=column == "expired_last")
    return sorted(newest_first, key=lambda milestone: str(getattr(milestone, column)), reverse=descending)


def _read_days(filters: MilestoneFilters) -> tuple[str, str] | None:
    """Return the first and the last day of the time that milestones overlap with, or None."""
    containing, frame = filters.get("containing_date"), filters.get("timeframe")
    if containing is not None:
        return containing[:10], containing[:10]
    if frame is not None and frame["start"] > frame["end"]:
        raise GraphQLError(_START_AFTER_END)
    if frame is not None:
        return frame["start"], frame["end"]
    return read_days(filters.get("start_date"), filters.get("end_date"))


def read_days(first: str | None, last: str | None) -> tuple[str, str] | None:
    """Return the days of the arguments ``startDate`` and ``endDate``, None without them; an error for one alone."""
    if first is None and last is None:
        return None
    if first is None or last is None:
        raise GraphQLError("Both startDate and endDate must be present.")
    if first > last:
        raise GraphQLError("startDate is after endDate")
    return first[:10], last[:10]


def _overlaps(milestone: Milestone, first: str, last: str) -> bool:
    """Return whether a milestone with a date overlaps with the time between two days."""
    start, due = milestone.start_date, milestone.due_date
    return (start or due) is not None and (start is None or start <= last) and (due is None or due >= first)


def _order_by_due_date(
    ctx: ReadContext, rows: Iterable[Milestone], *, descending: bool, expired_last: bool
) -> list[Milestone]:
    """Sort by due date, those without one last; the sorts are stable."""
    by_date = sorted(rows, key=lambda milestone: milestone.due_date or "", reverse=descending)
    dated = sorted(by_date, key=lambda milestone: milestone.due_date is None)
    return sorted(dated, key=lambda milestone: expired_last and expired(ctx, milestone))


def _parse_id(ctx: ReadContext, text: str) -> int:
    # Clients send global ids as well as plain ones.
    id_ = parse_number(text)
    return parse_id(ctx, text, "Milestone") if id_ is None else id_


def _matches(milestone: Milestone, milestone_ids: Collection[int] | None, filters: MilestoneFilters) -> bool:
    return (
        (milestone_ids is None or milestone.id in milestone_ids)
        and filters.get("state") in (None, milestone.state)
        and filters.get("title") in (None, milestone.title)
        and (filters.get("search_title") or "").lower() in milestone.title.lower()
    )


def _list_issues(ctx: ReadContext, milestone: Milestone) -> Sequence[Issue]:
    table = ctx.world.issues
    return [table[id_] for id_ in iterate_bits(table.bits("facts", ("milestone", milestone.id)))]
