"""Resource groups: of the jobs of a project that share one, only one is queued or running at a time.

Source: docs/platform/external.md ('CI processing').
"""

from fakeplat.domain.ci import job_transitions, pipelines
from fakeplat.model.jobs import Job
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def is_taken(world: World, job: Job) -> bool:
    """Return whether another job holds the resource that a job needs."""
    key = (job.project_id, job.resource_group)
    return job.resource_group is not None and any(world.jobs.ids("holds_resource", key))


def release(ctx: WriteContext, before: Job, job: Job) -> None:
    """Give the resource that a job no longer holds to the oldest job that waits for it."""
    if not before.holds_resource or job.holds_resource:
        return
    waiting = ctx.world.jobs.where("waits_for_resource", (job.project_id, job.resource_group))
    if waiting and not is_taken(ctx.world, job):
        enqueued = job_transitions.fire(ctx, waiting[0], "enqueue")
        if enqueued.pipeline_id != job.pipeline_id:
            pipelines.update_status(ctx, ctx.world.pipelines[enqueued.pipeline_id])
