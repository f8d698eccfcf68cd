"""Lookups of jobs."""

from operator import attrgetter
from typing import Final

from fakeplat.model.jobs import Job
from fakeplat.model.world import World

_stage_index: Final = attrgetter("stage_index")


def list_latest(world: World, pipeline_id: int) -> list[Job]:
    """Return the jobs that count for a pipeline, without retried ones, by stage and id."""
    # By ascending id already, and sorting keeps that order within a stage.
    return sorted(get_latest(world, pipeline_id), key=_stage_index)


def get_latest(world: World, pipeline_id: int) -> list[Job]:
    """Return the jobs that count for a pipeline, by id."""
    # All at once, which is faster than one by one: every change of a job reads all jobs of its pipeline.
    return world.jobs.get_many(world.jobs.ids("latest", pipeline_id))


def count_retries(world: World, job: Job) -> int:
    """Return how many jobs of the same name came before this one in its pipeline."""
    return sum(other.name == job.name and other.id < job.id for other in world.jobs.where("pipeline", job.pipeline_id))
