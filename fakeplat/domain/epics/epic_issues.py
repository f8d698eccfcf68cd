"""Issues in epics, and the dates that epics inherit from them."""

from collections.abc import Iterator, Sequence

from fakeplat.core.operations.errors import Conflict, Forbidden, NotFoundWithMessage, RecordNotFound
from fakeplat.domain.epics import epic_access, positions
from fakeplat.domain.issues import issue_access
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.purging import purge
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import is_member
from fakeplat.policy.behaviours import (
    EPICS_TAKE_ISSUES_FROM_ELSEWHERE,
    GUESTS_LINK_EPICS,
    ISSUES_CHOOSE_READABLE_EPICS,
    READERS_FILL_EPICS,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_NOT_FOUND = "No matching issue found. Make sure that you are adding a valid issue URL."


def list_links(world: World, epic: Epic) -> list[EpicIssue]:
    """Return the links to the issues of an epic, by position."""
    return sorted(world.epic_issues.where("epic", epic.id), key=lambda link: (link.relative_position, link.id))


def list_visible_links(ctx: ReadContext, epic: Epic) -> Sequence[EpicIssue]:
    """Return the links to the issues of an epic that the caller can see."""
    issues = ctx.world.issues
    return [link for link in list_links(ctx.world, epic) if noteables.is_visible(ctx, issues[link.issue_id])]


def find_link(world: World, issue: Issue) -> EpicIssue | None:
    """Return the link of an issue to its epic, or None."""
    return world.epic_issues.find("issue", issue.id)


def find_visible_epic(ctx: ReadContext, issue: Issue) -> Epic | None:
    """Return the epic of an issue, if the caller can see it."""
    link = find_link(ctx.world, issue)
    epic = ctx.world.epics[link.epic_id] if link is not None else None
    return epic if epic is not None and epic_access.is_visible(ctx, epic) else None


def assign(ctx: WriteContext, epic: Epic, issue_id: int) -> EpicIssue:
    """Add an issue to an epic as the caller, and remove it from another one.

    404 for an unknown issue, and for one that is not in a project below the epic's group or that the caller may not
    administer; 409 if it is in the epic.
    """
    issue = ctx.world.issues.get(issue_id)
    if issue is None:
        raise RecordNotFound(reason=f"there is no issue with the id {issue_id}")
    link = find_link(ctx.world, issue)
    if link is not None and link.epic_id == epic.id:
        raise Conflict("Issue(s) already assigned")
    authorize_relations(ctx, issue)
    if not _can_link(ctx, epic, issue):
        raise NotFoundWithMessage(_NOT_FOUND, reason="it is outside of the epic's group, or the caller's reach")
    return move(ctx, issue, epic)


def _can_link(ctx: ReadContext, epic: Epic, issue: Issue) -> bool:
    project = ctx.world.projects[issue.project_id]
    return _is_in_reach(ctx, epic, project) and may_relate(ctx, issue)


def may_relate(ctx: ReadContext, issue: Issue) -> bool:
    """Return whether the caller may add an issue to epics and remove it: as a Reporter, later as a Guest."""
    project = ctx.world.projects[issue.project_id]
    if ctx.profile.has(GUESTS_LINK_EPICS):
        return noteables.is_visible(ctx, issue) and is_member(ctx, project)
    return issue_access.decide_on_links(ctx, project).allowed


def authorize_relations(ctx: ReadContext, issue: Issue) -> None:
    """Raise Forbidden if the caller may not add an issue to epics; earlier releases refuse that otherwise."""
    if ctx.profile.has(READERS_FILL_EPICS) and not may_relate(ctx, issue):
        raise Forbidden(reason=f"the caller may not relate issue {issue.id}")


def _is_in_reach(ctx: ReadContext, epic: Epic, project: Project) -> bool:
    """Return whether an epic can have issues of a project: of one below its group, later also of other hierarchies."""
    if _is_below(ctx.world, epic, project):
        return True
    groups_above = {group.id for group in ancestors(ctx.world, epic.group_id)}
    return ctx.profile.has(EPICS_TAKE_ISSUES_FROM_ELSEWHERE) and project.namespace_id not in groups_above


def _is_below(world: World, epic: Epic, project: Project) -> bool:
    return any(group.id == epic.group_id for group in ancestors(world, project.namespace_id))


def change_epic(ctx: WriteContext, issue: Issue, epic_id: int | None) -> None:
    """Move an issue to another epic, or (None, 0) out of its epic; 404 for an epic that the caller does not see.

    403 for one that the caller may not choose, and for an issue that they may not take out.
    """
    project = ctx.world.projects[issue.project_id]
    place(ctx, issue, get_eligible(ctx, project, ctx.world.epics.get(epic_id)) if epic_id else None)


def place(ctx: WriteContext, issue: Issue, epic: Epic | None) -> None:
    """Move an issue to an epic that the caller may choose, or (None) out of its epic, as far as they may do that."""
    link = find_link(ctx.world, issue)
    if (link and link.epic_id) == (epic and epic.id):
        return
    if epic is not None:
        move(ctx, issue, epic)
    elif may_relate(ctx, issue):
        remove(ctx, issue)
    else:
        raise Forbidden(reason=f"the caller may not take issue {issue.id} out of its epic")


def get_by_iid(ctx: ReadContext, project: Project, iid: int) -> Epic:
    """Return the epic with an iid in the group of a project that the caller may choose for its issues, or refuse."""
    return get_eligible(ctx, project, ctx.world.epics.find("iid", (project.namespace_id, iid)))


def get_eligible(ctx: ReadContext, project: Project, epic: Epic | None) -> Epic:
    """Return an epic that the caller may choose for issues of a project; 404 for one that is not visible, else 403."""
    if epic is None or not _is_below(ctx.world, epic, project) or not epic_access.is_visible(ctx, epic):
        raise RecordNotFound(reason="the groups of the project have no such epic that the caller sees")
    may_choose = (
        is_member(ctx, project)
        if ctx.profile.has(ISSUES_CHOOSE_READABLE_EPICS)
        else epic_access.can_administer(ctx, epic)
    )
    if not may_choose:
        raise Forbidden(reason=f"the caller may not choose epic {epic.iid} for issues of the project")
    return epic


def move(ctx: WriteContext, issue: Issue, epic: Epic) -> EpicIssue:
    """Put an issue at the start of an epic, without permission checks."""
    before, table = find_link(ctx.world, issue), ctx.world.epic_issues
    if before is not None:
        purge(ctx, before)
    position = positions.get_first(link.relative_position for link in table.where("epic", epic.id))
    link = table.add(EpicIssue(table.next_id(), epic.id, issue.id, position))
    if before is None:
        _write_notes(ctx, epic, issue, "added")
    else:
        _note_move(ctx, issue, ctx.world.epics[before.epic_id], epic)
    return link


def remove(ctx: WriteContext, issue: Issue) -> None:
    """Remove an issue from its epic, if it has one."""
    link = find_link(ctx.world, issue)
    if link is not None:
        epic = ctx.world.epics[link.epic_id]
        purge(ctx, link)
        _write_notes(ctx, epic, issue, "removed")


def get_link(world: World, epic: Epic, id_: int) -> EpicIssue:
    """Return the link with an id to an issue of an epic, or 404."""
    link = world.epic_issues.get(id_)
    if link is None or link.epic_id != epic.id:
        raise RecordNotFound(reason=f"epic {epic.iid} has no link {id_} to an issue")
    return link


def unassign(ctx: WriteContext, link: EpicIssue) -> EpicIssue:
    """Remove an issue from its epic as the caller, who must be able to administer the issue; 404 otherwise."""
    issue = ctx.world.issues[link.issue_id]
    authorize_relations(ctx, issue)
    if not may_relate(ctx, issue):
        raise NotFoundWithMessage("No Issue Link found", reason=f"the caller may not administer issue {issue.id}")
    remove(ctx, issue)
    return link


def reorder(ctx: WriteContext, link: EpicIssue, before_id: int | None, after_id: int | None) -> None:
    """Move an issue of an epic behind or before another one, by the ids of their links.

    As on the platform, nothing happens if one of them is not a link of the epic.
    """
    authorize_relations(ctx, ctx.world.issues[link.issue_id])
    links = list_links(ctx.world, ctx.world.epics[link.epic_id])
    if {id_ for id_ in (before_id, after_id) if id_} <= {other.id for other in links}:
        positions.move(ctx.world.epic_issues, links, link, before_id, after_id)


def _write_notes(ctx: WriteContext, epic: Epic, issue: Issue, verb: str) -> None:
    _note_at_epic(ctx, epic, issue, verb)
    preposition = "to" if verb == "added" else "from"
    _note_at_issue(ctx, issue, epic, f"{verb} {preposition} epic")


def _note_move(ctx: WriteContext, issue: Issue, before: Epic, after: Epic) -> None:
    _note_at_epic(ctx, after, issue, "added", f" from epic {_reference_to(ctx, before, after)}")
    _note_at_epic(ctx, before, issue, "moved", f" to epic {_reference_to(ctx, after, before)}")
    _note_at_issue(ctx, issue, after, "changed epic to")


def _note_at_epic(ctx: WriteContext, epic: Epic, issue: Issue, verb: str, rest: str = "") -> None:
    reference = noteables.format_reference(ctx.world, issue, epic_access.group_of(ctx.world, epic))
    # Scenarios write the notes that they want themselves.
    if ctx.user is not None:
        text = f"{verb} issue {reference}{rest}"
        system_notes.write(ctx, (epic_access.KIND, epic.id), ctx.user, text, source=("issue", issue.id))


def _note_at_issue(ctx: WriteContext, issue: Issue, epic: Epic, text: str) -> None:
    reference = noteables.format_reference(ctx.world, epic, ctx.world.projects[issue.project_id])
    if ctx.user is not None:
        system_notes.write(ctx, ("issue", issue.id), ctx.user, f"{text} {reference}")


def _reference_to(ctx: ReadContext, epic: Epic, seen_from: Epic) -> str:
    return noteables.format_reference(ctx.world, epic, epic_access.group_of(ctx.world, seen_from))


def start_date_of_milestones(world: World, epic: Epic) -> str | None:
    """Return the earliest start of the milestones of an epic's issues and of the epics below it."""
    return min((date for milestone in _list_milestones(world, epic) if (date := milestone.start_date)), default=None)


def due_date_of_milestones(world: World, epic: Epic) -> str | None:
    """Return the latest end of the milestones of an epic's issues and of the epics below it."""
    return max((date for milestone in _list_milestones(world, epic) if (date := milestone.due_date)), default=None)


def _list_milestones(world: World, epic: Epic) -> Iterator[Milestone]:
    for link in world.epic_issues.where("epic", epic.id):
        milestone_id = world.issues[link.issue_id].milestone_id
        if milestone_id is not None:
            yield world.milestones[milestone_id]
    for child in world.epics.where("parent", epic.id):
        yield from _list_milestones(world, child)
