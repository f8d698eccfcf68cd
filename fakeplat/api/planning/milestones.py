"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.core.params.params import CommaList, DayOrNothing, Moment, Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import burndown, labels, milestones
from fakeplat.entities.issues.issues import IssueBasic
from fakeplat.entities.merge_requests.merge_requests import MergeRequestBasic
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Milestones", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)
Issuable = TypeVar("Issuable", Issue, MergeRequest)
F = TypeVar("F", bound=Callable[..., Any])


class ListMilestones(Paged):
    """Filters of lists of milestones."""

    state: Literal["active", "closed", "all"] = "all"
    iids: CommaList[int] | None = None
    title: str | None = None
    search: str | None = None
    include_parent_milestones: bool = False
    include_ancestors: Annotated[bool, Lifetime(since="16.7")] = False
    updated_after: Annotated[Moment | None, Lifetime(since="15.10")] = None
    updated_before: Annotated[Moment | None, Lifetime(since="15.10")] = None

    rules = (mutually_exclusive("include_ancestors", "include_parent_milestones"),)


class ListGroupMilestones(ListMilestones):
    """Filters of lists of a group's milestones."""

    include_descendants: Annotated[bool, Lifetime(since="16.7")] = False


def _declare_list(name: str, scope: Scope, params: type[Params]) -> Callable[[F], F]:
    return area.operation(
        "GET",
        "milestones",
        scope=scope,
        name=name,
        ability=Ability.READ_MILESTONE,
        params=params,
        view=MilestoneView,
        many=True,
    )


@_declare_list("list_group_milestones", GROUP, ListGroupMilestones)
@_declare_list("list_project_milestones", PROJECT, ListMilestones)
def list_milestones(ctx: ReadContext, container: Container, p: ListMilestones) -> Sequence[Milestone]:
    """List milestones."""
    parents = p.include_parent_milestones or p.include_ancestors
    # Iids are unique per container only, so the milestones of ancestors are not filtered by them.
    iids = () if parents else p.iids or ()
    below = isinstance(p, ListGroupMilestones) and p.include_descendants and not p.iids
    matching = [
        milestone
        for milestone in [
            *milestones.list_available(ctx.world, container, parents=parents),
            *(milestones.list_below(ctx, container) if below and isinstance(container, Group) else ()),
        ]
        if (not iids or milestone.iid in iids) and _matches(milestone, p)
    ]
    return sorted(matching, key=milestones.due_key)


def _matches(milestone: Milestone, p: ListMilestones) -> bool:
    text = (p.search or "").lower()
    return (
        p.state in ("all", milestone.state)
        and (p.title is None or milestone.title == p.title)
        and (p.updated_after is None or milestone.updated_at >= p.updated_after)
        and (p.updated_before is None or milestone.updated_at <= p.updated_before)
        and (text in milestone.title.lower() or text in (milestone.description or "").lower())
    )


@area.operation(
    "GET",
    "milestones/:milestone_id",
    scope=CONTAINERS,
    ability=Ability.READ_MILESTONE,
    view=MilestoneView,
    refusals=(404,),
)
def get_milestone(ctx: ReadContext, container: Container, milestone_id: int) -> Milestone:
    """Get a milestone."""
    return milestones.get_milestone(ctx.world, container, milestone_id)


class CreateMilestone(Params):
    """A new milestone."""

    title: str
    description: str | None = None
    due_date: DayOrNothing | None = None
    start_date: DayOrNothing | None = None


@area.operation(
    "POST", "milestones", scope=CONTAINERS, ability=Ability.ADMIN_MILESTONE, params=CreateMilestone, view=MilestoneView
)
def create_milestone(ctx: WriteContext, container: Container, p: CreateMilestone) -> Milestone:
    """Create a milestone."""
    return milestones.create(ctx, container, **p.given())


class UpdateMilestone(Params):
    """Changes of a milestone."""

    title: str | None = None
    description: str | None = None
    due_date: DayOrNothing | None = None
    start_date: DayOrNothing | None = None
    state_event: Literal["close", "activate"] | None = None

    rules = (at_least_one_of("title", "description", "start_date", "due_date", "state_event"),)


@area.operation(
    "PUT",
    "milestones/:milestone_id",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MILESTONE,
    params=UpdateMilestone,
    view=MilestoneView,
    refusals=(404,),
)
def update_milestone(ctx: WriteContext, container: Container, milestone_id: int, p: UpdateMilestone) -> Milestone:
    """Update a milestone."""
    milestone = milestones.get_milestone(ctx.world, container, milestone_id)
    # A null clears dates and description, but a milestone always has a title.
    changes = {name: value for name, value in p.given().items() if not (name == "title" and value is None)}
    return milestones.update(ctx, container, milestone, **changes)


@area.operation(
    "DELETE", "milestones/:milestone_id", scope=CONTAINERS, ability=Ability.ADMIN_MILESTONE, refusals=(404, 412)
)
def delete_milestone(ctx: WriteContext, container: Container, milestone_id: int) -> None:
    """Delete a milestone."""
    milestone = milestones.get_milestone(ctx.world, container, milestone_id)
    ctx.check_unmodified_since(milestone.updated_at)
    milestones.delete(ctx, container, milestone)


@area.operation(
    "GET",
    "milestones/:milestone_id/issues",
    scope=CONTAINERS,
    ability=Ability.READ_MILESTONE,
    params=Paged,
    view=IssueBasic,
    many=True,
    refusals=(404,),
)
def list_milestone_issues(ctx: ReadContext, container: Container, milestone_id: int) -> Sequence[Issue]:
    """List the visible issues of a milestone by label priority."""
    milestone = milestones.get_milestone(ctx.world, container, milestone_id)
    # An index keeps the issues of each milestone as a bitset of their ids.
    issues = [
        ctx.world.issues[id_] for id_ in iterate_bits(ctx.world.issues.bits("facts", ("milestone", milestone.id)))
    ]
    return _order_by_label_priority(ctx, issues)


_NO_PRIORITY: Final = float("inf")


def _order_by_label_priority(ctx: ReadContext, issuables: Sequence[Issuable]) -> list[Issuable]:
    """Return what the caller can read, by descending label priority, then newest first."""

    def key(issuable: Issuable) -> tuple[float, int]:
        priority = labels.highest_priority(ctx.world, issuable.project_id, issuable.label_ids)
        # Priorities count upwards from the most important one; records without a prioritized label come last.
        return (_NO_PRIORITY if priority is None else priority, -issuable.id)

    return sorted((issuable for issuable in issuables if noteables.is_visible(ctx, issuable)), key=key)


@area.operation(
    "GET",
    "milestones/:milestone_id/merge_requests",
    scope=CONTAINERS,
    ability=Ability.READ_MILESTONE,
    params=Paged,
    view=MergeRequestBasic,
    many=True,
    refusals=(404,),
)
def list_milestone_merge_requests(ctx: ReadContext, container: Container, milestone_id: int) -> Sequence[MergeRequest]:
    """List the visible merge requests of a milestone by label priority."""
    milestone = milestones.get_milestone(ctx.world, container, milestone_id)
    table = ctx.world.merge_requests
    return _order_by_label_priority(
        ctx, [table[id_] for id_ in iterate_bits(table.bits("facts", ("milestone", milestone.id)))]
    )


@area.operation(
    "GET",
    "milestones/:milestone_id/burndown_events",
    scope=CONTAINERS,
    ability=Ability.READ_MILESTONE,
    tier="premium",
    refusals=(404,),
)
def list_milestone_burndown_events(
    ctx: ReadContext, container: Container, milestone_id: int
) -> list[dict[str, str | int | None]]:
    """List when the visible issues of a milestone were created, closed and reopened."""
    milestone = milestones.get_milestone(ctx.world, container, milestone_id)
    table = ctx.world.issues
    milestone_issues = (table[id_] for id_ in iterate_bits(table.bits("facts", ("milestone", milestone.id))))
    return burndown.list_events(
        ctx.world, milestone, [issue for issue in milestone_issues if noteables.is_visible(ctx, issue)]
    )


@area.operation(
    "POST",
    "milestones/:milestone_id/promote",
    scope=PROJECT,
    ability=Ability.ADMIN_MILESTONE,
    view=MilestoneView,
    status=200,
    refusals=(403, 404),
)
def promote_milestone(ctx: WriteContext, project: Project, milestone_id: int) -> Milestone:
    """Promote a project milestone to a group milestone."""
    return milestones.promote(ctx, project, milestones.get_milestone(ctx.world, project, milestone_id))
