"""Lookups of jobs."""

from fakeplat.model.jobs import Job
from fakeplat.model.world import World


def list_latest(world: World, pipeline_id: int) -> list[Job]:
    """Return the jobs that count for a pipeline, without retried ones, by stage and id."""
    return sorted(world.jobs.where("latest", pipeline_id), key=lambda job: (job.stage_index, job.id))


def count_retries(world: World, job: Job) -> int:
    """Return how many jobs of the same name came before this one in its pipeline."""
    return sum(other.name == job.name and other.id < job.id for other in world.jobs.where("pipeline", job.pipeline_id))
