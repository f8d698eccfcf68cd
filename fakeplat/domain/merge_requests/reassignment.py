"""What becomes of merge requests when projects move or are deleted."""

from fakeplat.domain.merge_requests import merge_checks, merge_requests
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def lose_source(ctx: WriteContext, project: Project) -> None:
    """Let the merge requests from a project that is deleted into others be checked anew."""
    for merge_request in ctx.world.merge_requests.where("source_project", project.id):
        if merge_request.project_id != project.id:
            merge_checks.mark_unchecked(ctx, merge_request)


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
