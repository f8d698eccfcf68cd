"""Automatic cancellation of pipelines that a newer one of the same ref makes redundant.

Source: docs/platform/external.md ('CI processing').
"""

from typing import Final

from fakeplat.domain.ci import job_actions, jobs
from fakeplat.domain.repository import repositories
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_HAS_STARTED: Final = ("running", "success", "failed")


def cancel_redundant(ctx: WriteContext, project: Project, pipeline: Pipeline) -> None:
    """Cancel the unfinished pipelines of the same ref for other commits, unless their jobs must go on."""
    if project.auto_cancel_pending_pipelines == "disabled" or pipeline.source_job_id is not None:
        return
    head = _head_of(ctx.world, project, pipeline)
    for other in list(ctx.world.pipelines.where("unfinished_of_ref", (project.id, pipeline.ref))):
        if other.id != pipeline.id and other.sha != head and other.status != "manual":
            _cancel(ctx, other, pipeline)


def _cancel(ctx: WriteContext, pipeline: Pipeline, newer: Pipeline) -> None:
    """Cancel the jobs of a redundant pipeline as its configuration says."""
    match pipeline.auto_cancel_on_new_commit:
        case "conservative" if _is_interruptible(ctx.world, pipeline):
            canceled = job_actions.cancel_pipeline(ctx, pipeline)
        case "interruptible":
            canceled = job_actions.cancel_pipeline(ctx, pipeline, only_interruptible=True)
        case _:
            return
    ctx.world.pipelines.change(canceled, auto_canceled_by_id=newer.id)


def _head_of(world: World, project: Project, pipeline: Pipeline) -> str:
    from fakeplat.git.errors import GitError

    try:
        return repositories.open_repository(world, project).commit(pipeline.ref).sha
    except GitError:
        return pipeline.sha


def _is_interruptible(world: World, pipeline: Pipeline) -> bool:
    return all(job.interruptible or job.status not in _HAS_STARTED for job in jobs.get_latest(world, pipeline.id))
