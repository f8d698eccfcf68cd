"""What becomes of merge requests when projects move or go, and when people and labels do."""

from fakeplat.core.store.query import members as members_of
from fakeplat.domain.merge_requests import merge_checks, merge_requests
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.labels import Label
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import WriteContext


def drop(ctx: WriteContext, project: Project) -> None:
    """Remove all merge requests into a project that goes; those from it into others lose their source."""
    for merge_request in merge_requests.list_project_merge_requests(ctx.world, project):
        merge_requests.delete(ctx, merge_request)
    for merge_request in list(ctx.world.merge_requests.where("source_project", project.id)):
        stale = merge_checks.mark_unchecked(ctx, merge_request)
        ctx.world.merge_requests.change(stale, source_project_id=None)


def forget(ctx: WriteContext, user: User) -> None:
    """Take somebody who goes off all merge requests, approvals included."""
    world = ctx.world
    for id_ in list(members_of(world.merge_requests.bits("facts", ("assignee", user.id)))):
        one = world.merge_requests[id_]
        world.merge_requests.change(one, assignee_ids=tuple(other for other in one.assignee_ids if other != user.id))
    for one in list(world.merge_requests.where("merge_user", user.id)):
        world.merge_requests.change(one, merge_user_id=None, merge_when_pipeline_succeeds=False)
    for approval in list(world.approvals.where("user", user.id)):
        world.approvals.remove(approval)


def adopt_references(ctx: WriteContext, project: Project) -> None:
    """After a project moved: labels and milestones of groups that it left become its own, by title."""
    world = ctx.world
    known = {milestone.id for milestone in milestones.list_available(world, project)}
    for one in merge_requests.list_project_merge_requests(world, project):
        found = (labels.project_copy(ctx, project, world.labels[label_id]).id for label_id in one.label_ids)
        milestone_id = one.milestone_id
        if milestone_id is not None and milestone_id not in known:
            milestone_id = milestones.promoted_copy(ctx, project, world.milestones[milestone_id]).id
        world.merge_requests.change(one, label_ids=tuple(dict.fromkeys(found)), milestone_id=milestone_id)


def _follow_label(ctx: WriteContext, label: Label, other: Label | None = None) -> None:
    """A label goes, perhaps giving way to another."""
    table = ctx.world.merge_requests
    for id_ in list(members_of(table.bits("facts", ("label", label.id)))):
        one = table[id_]
        ids = ((other.id if other else None) if id_ == label.id else id_ for id_ in one.label_ids)
        table.change(one, label_ids=tuple(dict.fromkeys(id_ for id_ in ids if id_ is not None)))


labels.ON_DELETE.append(_follow_label)
labels.ON_REPLACE.append(_follow_label)
