"""Playback of jobs: without a runner, a queued job runs and finishes on the world's clock.

A job starts shortly after it was queued, so that its first status can be seen, and finishes ``after`` it was queued.
Its ``started_at`` is the time at which it was queued, so that its duration is exactly ``after``, or its time limit.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from fakeplat.core.store.records import evolve_record
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.ci import (
    job_actions,
    job_artifacts,
    job_logs,
    job_outcomes,
    job_timeouts,
    jobs,
    processing,
)
from fakeplat.model.ci import Job, PlayedResult
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_START_DELAY: Final = 100
_ENDINGS: Final[Mapping[PlayedResult, Callable[..., Job]]] = {
    "canceled": job_actions.cancel,
}


class _End(NamedTuple):
    """When a running job ends (ms), and the task that ends it."""

    at: int
    task: str


def resume(ctx: WriteContext, job: Job) -> None:
    """Schedule what comes next for a job that did not get to its status here, such as a job of a scenario.

    What would have happened in the past happens as if the job got to its status now.
    """
    if job.status == "pending":
        play_queued_job(ctx, evolve_record(job, status="created"), job)
    elif job.status == "running" and job.kind == "build":
        _resume_running_job(ctx, job)
    elif job.status == "canceling":
        job_timeouts.watch(ctx, job)
    elif job.status == "scheduled":
        start = from_iso(job.scheduled_at) if job.scheduled_at else ctx.now() + (job.start_in or 0) * SECOND
        ctx.schedule("start_delayed_job", ("jobs", job.id), max(start, ctx.now()), in_progress=True)


def _resume_running_job(ctx: WriteContext, job: Job) -> None:
    if not _is_played(ctx.world, job):
        job_timeouts.watch(ctx, job)
        return
    end = _get_end(ctx.world, job, from_iso(job.queued_at or job.started_at or job.created_at))
    _schedule_end(ctx, job, end if end.at > ctx.now() else _get_end(ctx.world, job, ctx.now()))


def _is_played(world: World, job: Job) -> bool:
    """Return whether a job runs without a runner, and ends."""
    is_for_runner = world.setup.endpoints.executes_jobs or world.projects[job.project_id].runners == "external"
    if is_for_runner or job.kind != "build":
        return False
    return job_outcomes.result_of(world, job_outcomes.get_outcome(world, job), job) != "stuck"


def play_queued_job(ctx: WriteContext, before: Job, job: Job) -> None:
    """Schedule the start of a job that was queued; one that is not played is watched. Forget the earlier tasks."""
    if before.status in ("pending", "running") or job.is_completed:
        ctx.cancel_tasks(("jobs", job.id))
    if job.status == "canceling":
        job_timeouts.watch(ctx, job)
    if job.status not in ("pending", "running") or job.kind != "build":
        return
    if job.runner_id is not None or not _is_played(ctx.world, job):
        job_timeouts.watch(ctx, job)
    elif job.status == "pending":
        delay = min(_START_DELAY, job_outcomes.get_outcome(ctx.world, job).after // 2)
        ctx.schedule("run_job", ("jobs", job.id), ctx.now() + delay, in_progress=True)


@task_handler("run_job")
def _run(ctx: WriteContext, task: ScheduledTask) -> None:
    job = ctx.world.jobs[task.subject[1]]
    queued_at = job.queued_at or ctx.now_iso
    outcome = job_outcomes.get_outcome(ctx.world, job)
    job_actions.run(ctx, job, started_at=queued_at, log=job_logs.opening(job) if outcome.log is None else "")
    _schedule_end(ctx, job, _get_end(ctx.world, job, from_iso(queued_at)))


def _get_end(world: World, job: Job, start: int) -> _End:
    """Return when a job that started at a time ends: at its limit, if it takes longer."""
    after, limit = job_outcomes.get_outcome(world, job).after, jobs.time_limit(world, job) * SECOND
    return _End(start + after, "finish_job") if after <= limit else _End(start + limit, "time_out_job")


def _schedule_end(ctx: WriteContext, job: Job, end: _End) -> None:
    ctx.schedule(end.task, ("jobs", job.id), max(ctx.now(), end.at), in_progress=True)


@task_handler("finish_job")
def _finish(ctx: WriteContext, task: ScheduledTask) -> None:
    job = ctx.world.jobs[task.subject[1]]
    outcome = job_outcomes.get_outcome(ctx.world, job)
    result = job_outcomes.result_of(ctx.world, outcome, job)
    log = job_logs.played(job, result) if outcome.log is None else outcome.log
    coverage = job_logs.find_coverage(ctx.world, job, log) if outcome.coverage is None else outcome.coverage
    job_artifacts.store_played(ctx, job, outcome.artifacts, result)
    if result == "failed":
        job_actions.fail(ctx, job, exit_code=outcome.exit_code, log=log, coverage=coverage)
    else:
        _ENDINGS.get(result, job_actions.succeed)(ctx, job, log=log, coverage=coverage)


@task_handler("time_out_job")
def _time_out(ctx: WriteContext, task: ScheduledTask) -> None:
    job = ctx.world.jobs[task.subject[1]]
    log = job_logs.timed_out(job, jobs.time_limit(ctx.world, job))
    job_actions.fail(ctx, job, "job_execution_timeout", log=log)


@task_handler("start_delayed_job")
def _start_delayed(ctx: WriteContext, task: ScheduledTask) -> None:
    started = processing.enqueue(ctx, ctx.world.jobs[task.subject[1]])
    processing.process(ctx, started.pipeline_id, started)
