"""Lookups of jobs, and creation of many."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, Final

from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.row_sequences import MergedRows
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.model.ci import OUTCOMES, AnyStatus, FailureReason, Job, JobKind, Outcome
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_stage_index: Final = attrgetter("stage_index")
_MOST_FAILED: Final = 100
# The ends of names that number the parts of a job: ``rspec 1/3``, ``rspec 1:3``, ``deploy: [aws, eu]``.
_PART: Final = re.compile(r"(?:[\s:]+(?:\[.*\]|\d+[\s:/\\]+\d+))+\s*\Z")


def create_many(ctx: WriteContext, rows: Iterable[Mapping[str, Any]]) -> list[Job]:
    """Create jobs from fields of the record, without starting any."""
    table = ctx.world.jobs
    with gc_paused():
        # ``count`` has no end, so zip cannot be strict.
        created = [Job(**row, id=id_) for id_, row in zip(count(table.next_id()), rows, strict=False)]
        table.add_many(created)
    return created


def mark_others_as_retried(ctx: WriteContext, job: Job) -> None:
    """Let a job take the place of the others with its name in its pipeline."""
    for other in list_by_name(ctx.world, job.pipeline_id, job.name):
        if other.id != job.id:
            ctx.world.jobs.change(other, retried=True)


def group_name(job: Job) -> str:
    """Return the name under which the parts of a parallel job are grouped."""
    return strip_part(job.name)


def strip_part(name: str) -> str:
    """Return the name of a job without the number of a part."""
    return str(_PART.sub("", name)).strip()


def time_limit(world: World, job: Job) -> int:
    """Return how many seconds a job may run: as configured, else as its project says, at most as its runner does."""
    runner = world.runners.get(job.runner_id or 0)
    limit = job.timeout or world.projects[job.project_id].build_timeout
    return min(limit, runner.maximum_timeout) if runner and runner.maximum_timeout else limit


def list_failed_by_instance_runners(world: World, reason: FailureReason) -> list[Job]:
    """Return the last hundred jobs that failed on runners of the instance for a reason, the newest end first."""
    failed = [
        job
        for job in world.jobs.all()
        if job.failure_reason == reason
        and job.runner_id is not None
        and world.runners[job.runner_id].runner_type == "instance_type"
    ]
    return sorted(failed, key=lambda job: (job.finished_at or "", job.id), reverse=True)[:_MOST_FAILED]


def leaves_report(job: Job, file_types: Collection[str]) -> bool:
    """Return whether a job is configured to leave a report of one of some types."""
    return job.artifacts is not None and any(file_type in file_types for file_type in job.artifacts.reports)


def get_build(world: World, project: Project, id_: int) -> Job:
    """Return a job of a project, or raise 404; bridges and statuses from outside do not count."""
    job = world.jobs.get(id_)
    if job is None or job.project_id != project.id or job.kind != "build":
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no job {id_}")
    return job


def get_processable(world: World, project: Project, id_: int) -> Job:
    """Return a job or a bridge of a project, or raise 404; statuses from outside do not count."""
    job = world.jobs.get(id_)
    if job is None or job.project_id != project.id or job.kind == "external":
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no job {id_}")
    return job


def list_builds(
    world: World, project: Project, statuses: Collection[AnyStatus] = (), ref: str | None = None
) -> Sequence[Job]:
    """Return the jobs of a project, also retried ones, newest first; all, or those in some statuses or of a ref."""
    keys: list[tuple[int, str]] = [(project.id, status) for status in dict.fromkeys(statuses)] or [(project.id, "all")]
    rows = MergedRows(world.jobs, [world.jobs.ids("facts", key) for key in keys], descending=True)
    return rows if ref is None else [job for job in rows if job.ref == ref]


def list_by_pipeline(
    world: World, pipeline_id: int, kind: JobKind, statuses: Collection[AnyStatus] = (), *, retried: bool = False
) -> Sequence[Job]:
    """Return the jobs of a pipeline by id: all of them, or those in some statuses; retried ones only if requested."""
    rows = world.jobs.where("pipeline" if retried else "latest", pipeline_id)
    return [job for job in rows if job.kind == kind and (not statuses or job.status in statuses)]


def list_latest(world: World, pipeline_id: int) -> list[Job]:
    """Return the jobs that count for a pipeline, without retried ones, by stage and id."""
    # By ascending id already, and sorting keeps that order within a stage.
    return sorted(get_latest(world, pipeline_id), key=_stage_index)


def get_latest(world: World, pipeline_id: int) -> list[Job]:
    """Return the jobs that count for a pipeline, by id."""
    # All at once, which is faster than one by one.
    return world.jobs.get_many(world.jobs.ids("latest", pipeline_id))


def measure_run(job: Job, now: Callable[[], int]) -> float | None:
    """Return the seconds from the start to the end or, while a job is running, to now; None if it has not started."""
    if job.started_at is None:
        return None
    end = now() if job.finished_at is None else from_iso(job.finished_at)
    return (end - from_iso(job.started_at)) / SECOND


def measure_wait(job: Job, now: Callable[[], int]) -> float | None:
    """Return the seconds that a job waited for a runner or, while it is waiting, until now; None before that."""
    if job.queued_at is None:
        return None
    end = now() if job.started_at is None else from_iso(job.started_at)
    return (end - from_iso(job.queued_at)) / SECOND


def list_by_name(world: World, pipeline_id: int, name: str) -> Sequence[Job]:
    """Return the jobs of a pipeline with a name, also retried ones, by id."""
    return world.jobs.where("name", (pipeline_id, name))


def find_latest_by_name(world: World, pipeline_id: int, name: str) -> Job | None:
    """Return the job with a name that counts for a pipeline."""
    return next((job for job in list_by_name(world, pipeline_id, name) if not job.retried), None)


def find_first_stages(world: World, pipeline_id: int) -> dict[Outcome, int]:
    """Return how the jobs of a pipeline count: each outcome that is present, with the first stage that has it."""
    groups = [(pipeline_id, outcome) for outcome in OUTCOMES]
    jobs_by_stage = world.jobs.sorted_groups("outcomes", groups)
    return {outcome: next(iter(by_stage))[0] for (_, outcome), by_stage in jobs_by_stage.items()}


def count_retries(world: World, job: Job) -> int:
    """Return how many jobs of the same name came before this one in its pipeline."""
    return sum(other.id < job.id for other in list_by_name(world, job.pipeline_id, job.name))
