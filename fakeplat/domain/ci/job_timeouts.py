"""Time limits of jobs: how long one may run, wait for a runner, and run without a sign of its runner.

The platform looks for stuck jobs every hour, so they fail on the hour. Source: docs/platform/runner-protocol.md.
"""

from typing import Final, NamedTuple

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, HOUR, SECOND, from_iso
from fakeplat.domain.ci import job_actions, job_queue, jobs
from fakeplat.model.ci import FailureReason, Job
from fakeplat.policy.behaviours import STUCK_JOBS_SAY_WHY
from fakeplat.policy.context import WriteContext

_CHECK: Final = "check_job_timeouts"
_WITHOUT_RUNNER: Final = HOUR
_PENDING: Final = DAY
_SILENT: Final = HOUR


class _Deadline(NamedTuple):
    at: int
    reason: FailureReason


def watch(ctx: WriteContext, job: Job) -> None:
    """Watch a queued or running job that nothing else ends. What was due in the past counts from now on."""
    is_running = job.status == "running"
    since = from_iso((job.started_at if is_running else job.queued_at) or job.updated_at)
    first = _get_end_of_run(ctx, job, since).at if is_running else since + _WITHOUT_RUNNER
    _schedule(ctx, job, since if first > ctx.now() else ctx.now())


def _schedule(ctx: WriteContext, job: Job, since: int) -> None:
    at = _next_hour(ctx.now())
    if job.status == "running":
        at = min(at, _get_end_of_run(ctx, job, since).at)
    # Nobody waits for it: settle() would fail every job that waits for a runner.
    ctx.schedule(_CHECK, ("jobs", job.id), at, recurring=True, since=since)


@task_handler(_CHECK)
def _check(ctx: WriteContext, task: ScheduledTask) -> None:
    job, since = ctx.world.jobs[task.subject[1]], task.args["since"]
    deadline = _get_deadline(ctx, job, since)
    if deadline.at > ctx.now():
        _schedule(ctx, job, since)
    elif job.status == "canceling":
        job_actions.end_cancel(ctx, job)
    else:
        job_actions.fail(ctx, job, deadline.reason)


def _get_deadline(ctx: WriteContext, job: Job, since: int) -> _Deadline:
    """Return when a job fails that goes on as it is, and why."""
    if job.status == "running":
        return _get_end_of_run(ctx, job, since)
    if job.status == "canceling":
        return _Deadline(_next_hour(from_iso(job.updated_at) + _SILENT), "no_updates_canceling")
    if job_queue.has_online_runner(ctx, job):
        return _Deadline(_next_hour(since + _PENDING), _choose_reason(ctx, "stuck_pending_with_matching_runners"))
    return _Deadline(_next_hour(since + _WITHOUT_RUNNER), _choose_reason(ctx, "stuck_pending_no_matching_runners"))


def _get_end_of_run(ctx: WriteContext, job: Job, since: int) -> _Deadline:
    reason = _choose_reason(ctx, "no_updates_running")
    silent = _Deadline(_next_hour(max(since, from_iso(job.updated_at)) + _SILENT), reason)
    timeout = _Deadline(since + jobs.time_limit(ctx.world, job) * SECOND, "job_execution_timeout")
    return min(timeout, silent, key=lambda deadline: deadline.at)


def _choose_reason(ctx: WriteContext, later: FailureReason) -> FailureReason:
    return later if ctx.profile.has(STUCK_JOBS_SAY_WHY) else "stuck_or_timeout_failure"


def _next_hour(time: int) -> int:
    return (time // HOUR + 1) * HOUR
