"""Effects on merge requests when projects move or are deleted."""

from fakeplat.domain.merge_requests import merge_checks, merge_requests
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def handle_source_deletion(ctx: WriteContext, project: Project) -> None:
    """Invalidate the checks of merge requests from a deleted project into other projects."""
    for merge_request in ctx.world.merge_requests.where("source_project", project.id):
        # merge requests within the project are deleted together with it
        if merge_request.project_id != project.id:
            merge_checks.mark_unchecked(ctx, merge_request)


def adopt_references(ctx: WriteContext, project: Project) -> None:
    """Replace labels and milestones of groups that a moved project left by copies in the project, matched by title."""
    world = ctx.world
    available = {milestone.id for milestone in milestones.list_available(world, project)}
    for merge_request in merge_requests.list_project_merge_requests(world, project):
        label_ids = (
            labels.project_copy(ctx, project, world.labels[label_id]).id for label_id in merge_request.label_ids
        )
        milestone_id = merge_request.milestone_id
        if milestone_id is not None and milestone_id not in available:
            milestone_id = milestones.get_or_create_copy(ctx, project, world.milestones[milestone_id]).id
        # labels of several groups with the same title become one label of the project
        world.merge_requests.change(merge_request, label_ids=tuple(dict.fromkeys(label_ids)), milestone_id=milestone_id)
