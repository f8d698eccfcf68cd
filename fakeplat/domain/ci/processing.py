"""Processing of a pipeline: which jobs may start now, and the status that follows from all of them.

A job waits for the jobs that it needs or, without ``needs``, for all earlier stages. Once these are completed it
starts, or it is skipped if their result is not the one that it waits for.
Source: docs/platform/pipelines-jobs.md, docs/platform/external.md ('CI processing').
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from fakeplat.ci_config.jobs import When
from fakeplat.domain.ci import job_outcomes, job_transitions, jobs, pipelines, resource_groups, statuses
from fakeplat.domain.ci.statuses import Outcome
from fakeplat.domain.deployments import protected_environments
from fakeplat.model.jobs import Job
from fakeplat.model.pipelines import COMPLETED, Pipeline, Status
from fakeplat.policy.context import WriteContext

_stage_index: Final = attrgetter("stage_index")
_status: Final = attrgetter("status")

_STARTS_AFTER: Final[Mapping[When, tuple[Status, ...]]] = {
    "on_success": ("success", "skipped"),
    "manual": ("success", "skipped"),
    "delayed": ("success", "skipped"),
    "on_failure": ("failed",),
    "always": ("success", "failed", "skipped"),
}
"""The results of earlier stages after which a job starts."""


def process(ctx: WriteContext, pipeline_id: int) -> Pipeline:
    """Start or skip the jobs of a pipeline whose turn it is, and update the pipeline's status."""
    latest = jobs.list_latest(ctx.world, pipeline_id)
    if _may_advance(latest):
        _advance_jobs(ctx, latest)
        # Some of them may have changed.
        latest = jobs.get_latest(ctx.world, pipeline_id)
    return pipelines.set_status_of_jobs(ctx, ctx.world.pipelines[pipeline_id], latest)


def _may_advance(latest: Sequence[Job]) -> bool:
    """Return whether it may be the turn of a job: without needs, not while an earlier stage goes on."""
    present = list(map(_status, latest))
    if "created" not in present:
        return False
    first_waiting = latest[present.index("created")]
    before = latest[: bisect_left(latest, first_waiting.stage_index, key=_stage_index)]
    if not before or statuses.combine_jobs(before) in COMPLETED:
        return True
    return any(job.needs is not None for job in latest)


def _advance_jobs(ctx: WriteContext, latest: Sequence[Job]) -> None:
    outcomes: dict[str, Outcome] = {}
    # Stages come in order, so a job that is skipped here counts for the stages after it at once.
    for _, stage in groupby(latest, key=_stage_index):
        before = statuses.combine(outcomes.values()) if outcomes else "success"
        for job in stage:
            current = _advance(ctx, job, before, outcomes) if job.status == "created" else job
            outcomes[job.name] = statuses.outcome_of(current)


def _advance(ctx: WriteContext, job: Job, stages_before: Status, outcomes: Mapping[str, Outcome]) -> Job:
    """Start or skip a created job, if what it waits for is completed."""
    if job.needs is None:
        result = stages_before
    else:
        result = statuses.combine_needs(outcomes[need.name] for need in job.needs if need.name in outcomes)
    if result not in COMPLETED:
        return job
    return start(ctx, job) if result in _results_to_start_after(job) else job_transitions.fire(ctx, job, "skip")


def _results_to_start_after(job: Job) -> Iterable[Status]:
    # After needs that were skipped, only a job that runs always is started.
    starts = _STARTS_AFTER[job.when]
    return starts if job.needs is None or job.when == "always" else [status for status in starts if status != "skipped"]


def start(ctx: WriteContext, job: Job) -> Job:
    """Start a created job as its configuration says: now, later, or when a user plays it."""
    if job.when == "delayed":
        return job_transitions.schedule_start(ctx, job)
    if job.when == "manual" or job_outcomes.waits_for_user(ctx.world, job):
        return job_transitions.fire(ctx, job, "actionize")
    return enqueue(ctx, job)


def enqueue(ctx: WriteContext, job: Job, **fields: object) -> Job:
    """Queue a job for a runner, or for the resource group that it needs; it fails without the right to deploy."""
    if job_transitions.can_fire(job, "drop") and _is_barred(ctx, job, fields):
        return job_transitions.fire(ctx, job, "drop", failure_reason="protected_environment_failure", **fields)
    if resource_groups.must_wait(ctx.world, job):
        return job_transitions.fire(ctx, job, "wait", **fields)
    return job_transitions.fire(ctx, job, "enqueue", **fields)


def _is_barred(ctx: WriteContext, job: Job, fields: Mapping[str, object]) -> bool:
    """Return whether the user of a job may not deploy to its environment."""
    user_id = fields.get("user_id", job.user_id)
    user = ctx.world.users.get(user_id) if isinstance(user_id, int) else None
    return protected_environments.is_job_barred(ctx, job, user)
