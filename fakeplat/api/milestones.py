"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Sequence
from typing import Final, Literal, TypeVar

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params, at_least_one_of
from fakeplat.core.store.query import members
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import burndown, labels, milestones
from fakeplat.entities.issues import IssueBasic
from fakeplat.entities.labels import MilestoneView
from fakeplat.entities.merge_requests import MergeRequestBasic
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Milestone
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Milestones", login=Login.ALWAYS)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group
Issuable = TypeVar("Issuable", Issue, MergeRequest)


class ListMilestones(Paged):
    """Filters of lists of milestones."""

    state: Literal["active", "closed", "all"] = "all"
    iids: CommaList[int] | None = None
    title: str | None = None
    search: str | None = None
    include_parent_milestones: bool = False


@area.operation(
    "GET", "milestones", under=PLACES, may=May.READ_MILESTONE, takes=ListMilestones, shows=MilestoneView, many=True
)
def list_milestones(cx: Context, place: Place, p: ListMilestones) -> Sequence[Milestone]:
    """List milestones."""
    parents = p.include_parent_milestones and not p.iids
    found = [m for m in milestones.usable(cx.world, place, parents=parents) if _matches(m, p)]
    return sorted(found, key=lambda m: (m.due_date or "9999-12-31", -m.id))


def _matches(milestone: Milestone, p: ListMilestones) -> bool:
    wanted = (p.search or "").lower()
    return (
        p.state in ("all", milestone.state)
        and (not p.iids or milestone.iid in p.iids)
        and (p.title is None or milestone.title == p.title)
        and (wanted in milestone.title.lower() or wanted in (milestone.description or "").lower())
    )


@area.operation(
    "GET", "milestones/:milestone_id", under=PLACES, may=May.READ_MILESTONE, shows=MilestoneView, refuses=(404,)
)
def get_milestone(cx: Context, place: Place, milestone_id: int) -> Milestone:
    """Get a milestone."""
    return milestones.find(cx.world, place, milestone_id)


class CreateMilestone(Params):
    """A new milestone."""

    title: str
    description: str | None = None
    due_date: Day | None = None
    start_date: Day | None = None


@area.operation("POST", "milestones", under=PLACES, may=May.ADMIN_MILESTONE, takes=CreateMilestone, shows=MilestoneView)
def create_milestone(cx: Doing, place: Place, p: CreateMilestone) -> Milestone:
    """Create a milestone."""
    return milestones.create(cx, place, **p.given())


class UpdateMilestone(Params):
    """Changes of a milestone."""

    title: str | None = None
    description: str | None = None
    due_date: Day | None = None
    start_date: Day | None = None
    state_event: Literal["close", "activate"] | None = None

    rules = (at_least_one_of("title", "description", "start_date", "due_date", "state_event"),)


@area.operation(
    "PUT",
    "milestones/:milestone_id",
    under=PLACES,
    may=May.ADMIN_MILESTONE,
    takes=UpdateMilestone,
    shows=MilestoneView,
    refuses=(404,),
)
def update_milestone(cx: Doing, place: Place, milestone_id: int, p: UpdateMilestone) -> Milestone:
    """Update a milestone."""
    found = milestones.find(cx.world, place, milestone_id)
    given = {name: value for name, value in p.given().items() if not (name == "title" and value is None)}
    return milestones.update(cx, place, found, **given)


@area.operation("DELETE", "milestones/:milestone_id", under=PLACES, may=May.ADMIN_MILESTONE, refuses=(404, 412))
def delete_milestone(cx: Doing, place: Place, milestone_id: int) -> None:
    """Delete a milestone."""
    found = milestones.find(cx.world, place, milestone_id)
    cx.unmodified_since(found.updated_at)
    milestones.delete(cx, place, found)


@area.operation(
    "GET",
    "milestones/:milestone_id/issues",
    under=PLACES,
    may=May.READ_MILESTONE,
    takes=Paged,
    shows=IssueBasic,
    many=True,
    refuses=(404,),
)
def list_milestone_issues(cx: Context, place: Place, milestone_id: int, p: Paged) -> Sequence[Issue]:
    """List the visible issues of a milestone by label priority."""
    del p
    milestone = milestones.find(cx.world, place, milestone_id)
    issues = [cx.world.issues[id_] for id_ in members(cx.world.issues.bits("facts", ("milestone", milestone.id)))]
    return _by_label_priority(cx, issues)


_NO_PRIORITY: Final = float("inf")


def _by_label_priority(cx: Context, issuables: Sequence[Issuable]) -> list[Issuable]:
    """Return what the caller sees, the highest label priority first, the newest first among equals."""

    def key(issuable: Issuable) -> tuple[float, int]:
        priority = labels.highest_priority(cx.world, issuable.project_id, issuable.label_ids)
        return (_NO_PRIORITY if priority is None else priority, -issuable.id)

    return sorted((issuable for issuable in issuables if noteables.visible(cx, issuable)), key=key)


@area.operation(
    "GET",
    "milestones/:milestone_id/merge_requests",
    under=PLACES,
    may=May.READ_MILESTONE,
    takes=Paged,
    shows=MergeRequestBasic,
    many=True,
    refuses=(404,),
)
def list_milestone_merge_requests(cx: Context, place: Place, milestone_id: int, p: Paged) -> Sequence[MergeRequest]:
    """List the visible merge requests of a milestone by label priority."""
    del p
    milestone = milestones.find(cx.world, place, milestone_id)
    table = cx.world.merge_requests
    return _by_label_priority(cx, [table[id_] for id_ in members(table.bits("facts", ("milestone", milestone.id)))])


@area.operation(
    "GET",
    "milestones/:milestone_id/burndown_events",
    under=PLACES,
    may=May.READ_MILESTONE,
    tier="premium",
    refuses=(404,),
)
def list_milestone_burndown_events(cx: Context, place: Place, milestone_id: int) -> list[dict[str, str | int | None]]:
    """List when the visible issues of a milestone were created, closed and reopened."""
    found = milestones.find(cx.world, place, milestone_id)
    table = cx.world.issues
    chosen = (table[id_] for id_ in members(table.bits("facts", ("milestone", found.id))))
    return burndown.events(cx.world, found, [issue for issue in chosen if noteables.visible(cx, issue)])


@area.operation(
    "POST",
    "milestones/:milestone_id/promote",
    under=PROJECT,
    may=May.ADMIN_MILESTONE,
    shows=MilestoneView,
    status=200,
    refuses=(403, 404),
)
def promote_milestone(cx: Doing, project: Project, milestone_id: int) -> Milestone:
    """Promote a project milestone to a group milestone."""
    return milestones.promote(cx, project, milestones.find(cx.world, project, milestone_id))
