"""The earlier jobs whose artifacts a job gets. Source: docs/platform/runner-protocol.md."""

from fakeplat.core.timestamps import from_iso
from fakeplat.domain.ci import job_artifacts
from fakeplat.model.ci import Job
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext


def list_dependencies(world: World, job: Job) -> list[Job]:
    """Return the jobs whose artifacts a job gets: of earlier stages or, with ``needs``, of these; by id.

    ``dependencies`` selects some of them.
    """
    earlier = [other for other in world.jobs.where("latest", job.pipeline_id) if other.kind == "build"]
    if job.needs is None:
        selected = [other for other in earlier if other.stage_index < job.stage_index]
    else:
        names = {need.name for need in job.needs if need.artifacts}
        selected = [other for other in earlier if other.name in names]
    if job.dependencies is None:
        return selected
    return [other for other in selected if other.name in job.dependencies]


def are_available(ctx: ReadContext, job: Job) -> bool:
    """Return whether no earlier job whose artifacts are needed was erased, or has artifacts that expired."""
    return all(_is_available(ctx, dependency) for dependency in list_dependencies(ctx.world, job))


def _is_available(ctx: ReadContext, job: Job) -> bool:
    expires = job_artifacts.expire_at(ctx.world, job)
    return job.erased_at is None and not (expires is not None and ctx.has_passed(from_iso(expires)))
