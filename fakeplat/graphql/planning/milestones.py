"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.planning import milestones
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Type
from fakeplat.model.people import Group
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Enumeration(
    "MilestoneStateEnum",
    "The state of a milestone.",
    {"active": ("active", "The milestone is active."), "closed": ("closed", "The milestone is closed.")},
)

MILESTONE = Type("Milestone", "A milestone of a project or group.", gid="Milestone")
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


@MILESTONE.field("project: Project", since="<=18.5")
def project_of(ctx: ReadContext, milestone: Milestone) -> Project | None:
    """The project that it belongs to."""
    return ctx.world.projects.get(milestone.source[1]) if project_milestone(ctx, milestone) else None


@MILESTONE.field("group: Group", since="<=18.5")
def group_of(ctx: ReadContext, milestone: Milestone) -> Group | None:
    """The group that it belongs to."""
    found = ctx.world.namespaces.get(milestone.source[1]) if group_milestone(ctx, milestone) else None
    return found if isinstance(found, Group) else None


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
Enumeration("MilestoneSort", "The order of milestones.", _SORTS, since="<=14.3")


@PROJECT.field(
    "milestones(ids: [ID!], state: MilestoneStateEnum, title: String, searchTitle: String, "
    "includeAncestors: Boolean, "
    'sort: MilestoneSort = DUE_DATE_ASC @lifetime(since: "<=14.3")): MilestoneConnection'
)
def milestones_of_project(
    ctx: ReadContext, project: Project, include_ancestors: bool | None = None, **filters: Unpack[MilestoneFilters]
) -> Sequence[Milestone]:
    """The milestones of the project."""
    return _filter_and_sort(
        ctx, milestones.list_available(ctx.world, project, parents=bool(include_ancestors)), **filters
    )


@GROUP.field(
    "milestones(ids: [ID!], state: MilestoneStateEnum, title: String, searchTitle: String, "
    'includeAncestors: Boolean @lifetime(since: "13.11"), '
    'sort: MilestoneSort = DUE_DATE_ASC @lifetime(since: "<=14.3")): MilestoneConnection'
)
def milestones_of_group(
    ctx: ReadContext, group: Group, include_ancestors: bool | None = None, **filters: Unpack[MilestoneFilters]
) -> Sequence[Milestone]:
    """The milestones of the group."""
    return _filter_and_sort(
        ctx, milestones.list_available(ctx.world, group, parents=bool(include_ancestors)), **filters
    )


def _filter_and_sort(
    ctx: ReadContext,
    available: Sequence[Milestone],
    ids: Sequence[str] | None = None,
    state: str | None = None,
    title: str | None = None,
    search_title: str | None = None,
    sort: tuple[str, bool] | None = None,
) -> Sequence[Milestone]:
    """Return the milestones that match the filters, by due date unless told otherwise; those without one come last."""
    milestone_ids = None if ids is None else [_parse_id(ctx, text) for text in ids]
    matching = [
        milestone
        for milestone in available
        if _matches(milestone, milestone_ids, state, title, (search_title or "").lower())
    ]
    newest_first = sorted(matching, key=lambda milestone: -milestone.id)
    column, descending = sort or _DUE
    if column in ("due_date", "expired_last"):
        return _order_by_due_date(ctx, newest_first, descending=descending, expired_last=column == "expired_last")
    return sorted(newest_first, key=lambda milestone: str(getattr(milestone, column)), reverse=descending)


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


def _matches(
    milestone: Milestone, milestone_ids: Collection[int] | None, state: str | None, title: str | None, search: str
) -> bool:
    return (
        (milestone_ids is None or milestone.id in milestone_ids)
        and state in (None, milestone.state)
        and title in (None, milestone.title)
        and search in milestone.title.lower()
    )
