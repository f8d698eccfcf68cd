"""What users and runners do with jobs and pipelines: run, finish, cancel, retry, play and erase.

Each action leaves the pipeline with the status that follows from its jobs.
Source: docs/platform/pipelines-jobs.md, docs/platform/external.md ('CI processing').
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

from fakeplat.ci_config.jobs import ALLOWED_EXIT_CODES
from fakeplat.core.store.records import evolve_record
from fakeplat.domain import signals
from fakeplat.domain.ci import job_artifacts, job_transitions, jobs, pipelines, processing
from fakeplat.domain.ci.job_transitions import Event
from fakeplat.model.ci import CANCELABLE, RETRYABLE, FailureReason, Job, Pipeline, PipelineVariable
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_RESET: Final[Mapping[str, Any]] = {
    "status": "created",
    "retried": False,
    "runner_id": None,
    "runner_manager_id": None,
    "session_url": None,
    "cancels_gracefully": False,
    "queued_at": None,
    "scheduled_at": None,
    "started_at": None,
    "finished_at": None,
    "failure_reason": None,
    "coverage": None,
    "log": "",
    "log_tail": "",
    "erased_at": None,
    "erased_by_id": None,
    "downstream_pipeline_id": None,
}
"""What a copy of a job does not take over from it."""
_EARLIER_REASONS: Final[Mapping[FailureReason, FailureReason]] = {
    "stuck_pending_with_matching_runners": "stuck_or_timeout_failure",
    "stuck_pending_no_matching_runners": "stuck_or_timeout_failure",
    "no_updates_running": "stuck_or_timeout_failure",
    "no_updates_canceling": "stuck_or_timeout_failure",
    "server_timeout_running": "job_execution_timeout",
    "server_timeout_canceling": "job_execution_timeout",
}
"""The reasons that were one earlier, as which ``retry`` still knows them."""


def run(ctx: WriteContext, job: Job, **fields: Unpack[job_transitions.JobChanges]) -> Job:
    """Start a queued job."""
    running = job_transitions.fire(ctx, job, "run", **fields)
    # One running job is enough, whatever the others do, so they need not be read.
    pipelines.set_status(ctx, ctx.world.pipelines[job.pipeline_id], "running")
    return running


def succeed(ctx: WriteContext, job: Job, **fields: Unpack[job_transitions.JobChanges]) -> Job:
    """Finish a job successfully."""
    return finish(ctx, job, "success", **fields)


def fail(
    ctx: WriteContext,
    job: Job,
    reason: FailureReason = "script_failure",
    exit_code: int | None = None,
    **fields: Unpack[job_transitions.JobChanges],
) -> Job:
    """Finish a job as failed, and retry it if its configuration says so."""
    if exit_code in job.options.get(ALLOWED_EXIT_CODES, ()):
        job = ctx.world.jobs.change(job, allow_failure=True)
    failed = job_transitions.fire(ctx, job, "drop", failure_reason=reason, exit_code=exit_code, **fields)
    if _is_retried_automatically(ctx.world, failed, reason, exit_code):
        processing.enqueue(ctx, _copy(ctx, failed, user_id=failed.user_id))
    else:
        _cancel_others(ctx, failed)
    processing.process(ctx, job.pipeline_id, failed)
    return ctx.world.jobs[failed.id]


def _cancel_others(ctx: WriteContext, failed: Job) -> None:
    """Cancel the other jobs of the pipeline of a job whose failure counts, if the configuration says so."""
    pipeline = ctx.world.pipelines[failed.pipeline_id]
    if pipeline.auto_cancel_on_job_failure == "all" and not failed.allow_failure:
        cancel_pipeline(ctx, pipeline)


def cancel(ctx: WriteContext, job: Job, **fields: Unpack[job_transitions.JobChanges]) -> Job:
    """Cancel a job, whose runner may have to say that it has stopped; a finished one stays as it is."""
    return finish(ctx, job, _event_of_cancel(job), **fields) if job_transitions.can_fire(job, "cancel") else job


def end_cancel(ctx: WriteContext, job: Job) -> Job:
    """Finish a job that is being canceled; any other one stays as it is."""
    return finish(ctx, job, "end_cancel") if job_transitions.can_fire(job, "end_cancel") else job


def _event_of_cancel(job: Job) -> Event:
    return "request_cancel" if job.status == "running" and job.cancels_gracefully else "cancel"


def finish(ctx: WriteContext, job: Job, event: Event, **fields: Unpack[job_transitions.JobChanges]) -> Job:
    """Finish a job by an event, and start the jobs that waited for it."""
    finished = job_transitions.fire(ctx, job, event, **fields)
    processing.process(ctx, job.pipeline_id, finished)
    return finished


def reject(ctx: WriteContext, job: Job, reason: FailureReason) -> Job:
    """Let a job that waits for a user fail, and start the jobs that waited for it."""
    failed = job_transitions.fire(ctx, job, "reject", failure_reason=reason)
    processing.process(ctx, job.pipeline_id, failed)
    return failed


def is_retryable(job: Job) -> bool:
    """Return whether a job can be retried."""
    return job.kind == "build" and job.status in RETRYABLE and not job.retried


def retry(
    ctx: WriteContext,
    job: Job,
    inputs: Mapping[str, object] | None = None,
    variables: Sequence[PipelineVariable] = (),
) -> Job:
    """Queue a copy of a finished job, which takes its place, and let later jobs that were skipped wait for it.

    Without ``inputs``, the copy has those of the job. Only jobs that wait for a user take ``variables``.
    """
    if inputs is not None:
        job = evolve_record(job, inputs=inputs)
    if variables and job.when in ("manual", "delayed"):
        job = evolve_record(job, given_variables=tuple(variables))
    enqueued = processing.enqueue(ctx, _copy(ctx, job, user_id=_acting_user_id(ctx)))
    _reopen_later_jobs(ctx, job)
    processing.process(ctx, job.pipeline_id)
    return enqueued


def is_playable(job: Job) -> bool:
    """Return whether a user may start a job that waits for one."""
    return job.when in ("manual", "delayed") and (job.status in ("manual", "scheduled") or is_retryable(job))


def play(
    ctx: WriteContext, job: Job, variables: Sequence[PipelineVariable] = (), inputs: Mapping[str, object] | None = None
) -> Job:
    """Start a job that waits for a user, with variables and inputs; a finished one runs again as a copy."""
    if not job_transitions.can_fire(job, "enqueue"):
        return retry(ctx, job)
    ctx.cancel_tasks(("jobs", job.id))
    if variables or inputs:
        job = ctx.world.jobs.change(job, given_variables=tuple(variables), inputs=inputs or {})
    enqueued = processing.enqueue(ctx, job, user_id=_acting_user_id(ctx))
    _reopen_later_jobs(ctx, job)
    processing.process(ctx, job.pipeline_id)
    return enqueued


def unschedule(ctx: WriteContext, job: Job) -> Job:
    """Take back the delayed start of a job, which then waits for a user."""
    ctx.cancel_tasks(("jobs", job.id))
    changed = job_transitions.fire(ctx, job, "unschedule")
    processing.process(ctx, job.pipeline_id)
    return ctx.world.jobs[changed.id]


def is_erasable(ctx: ReadContext, job: Job) -> bool:
    """Return whether a job is completed and has a log or artifacts."""
    return job.is_completed and bool(job_artifacts.list_of(ctx, job))


def erase(ctx: WriteContext, job: Job) -> Job:
    """Delete the log and all artifacts of a job."""
    now = ctx.now_iso
    job_artifacts.delete(ctx, job)
    return ctx.world.jobs.change(job, log="", erased_at=now, erased_by_id=_acting_user_id(ctx), updated_at=now)


def is_pipeline_retryable(world: World, pipeline: Pipeline) -> bool:
    """Return whether a pipeline has jobs that `retry_pipeline` repeats."""
    return any(
        job.status in ("failed", "canceled") and is_retryable(job) for job in world.jobs.where("latest", pipeline.id)
    )


def is_pipeline_cancelable(world: World, pipeline: Pipeline) -> bool:
    """Return whether a pipeline has jobs that `cancel_pipeline` cancels."""
    return any(job.status in CANCELABLE for job in world.jobs.where("latest", pipeline.id))


def retry_pipeline(ctx: WriteContext, pipeline: Pipeline) -> Pipeline:
    """Repeat the failed and canceled jobs of a pipeline, and those that were skipped because of them."""
    for job in jobs.list_latest(ctx.world, pipeline.id):
        if job.status == "skipped":
            job_transitions.fire(ctx, job, "process")
        elif job.status in ("failed", "canceled") and is_retryable(job):
            _copy(ctx, job, user_id=_acting_user_id(ctx))
    return processing.process(ctx, pipeline.id)


def cancel_pipeline(ctx: WriteContext, pipeline: Pipeline, *, only_interruptible: bool = False) -> Pipeline:
    """Cancel all jobs of a pipeline that are not finished; those that wait for a user stay."""
    for job in jobs.list_latest(ctx.world, pipeline.id):
        if job.status in CANCELABLE and (job.interruptible or not only_interruptible):
            job_transitions.fire(ctx, job, _event_of_cancel(job))
    return processing.process(ctx, pipeline.id)


def _copy(ctx: WriteContext, job: Job, *, user_id: int | None) -> Job:
    """Add a copy of a job to its pipeline, as created, and mark all earlier ones as retried."""
    table, now = ctx.world.jobs, ctx.now_iso
    if ALLOWED_EXIT_CODES in job.options:
        job = evolve_record(job, allow_failure=False)
    copy = table.add(evolve_record(job, **_RESET, id=table.next_id(), user_id=user_id, created_at=now, updated_at=now))
    jobs.mark_others_as_retried(ctx, copy)
    signals.jobs_created.send(ctx, [copy])
    return table[copy.id]


def _reopen_later_jobs(ctx: WriteContext, job: Job) -> None:
    for other in jobs.list_latest(ctx.world, job.pipeline_id):
        if other.stage_index > job.stage_index and other.status == "skipped":
            job_transitions.fire(ctx, other, "process")


def _is_retried_automatically(world: World, job: Job, reason: FailureReason, exit_code: int | None) -> bool:
    if job.kind != "build" or jobs.count_retries(world, job) >= _max_retries(job, reason):
        return False
    names = {"always", reason, _EARLIER_REASONS.get(reason, reason)}
    is_of_kind = not names.isdisjoint(job.retry.when) or reason == "scheduler_failure"
    return is_of_kind or exit_code in job.retry.exit_codes


def _max_retries(job: Job, reason: FailureReason) -> int:
    # The platform repeats these failures even without the keyword ``retry``.
    return job.retry.max or (2 if reason == "scheduler_failure" else 0)


def _acting_user_id(ctx: WriteContext) -> int | None:
    return ctx.user.id if ctx.user is not None else None
