"""Processing of a pipeline: which jobs may start now, and the status that follows from all of them.

A job waits for the jobs that it needs or, without ``needs``, for all earlier stages. Once these are completed it
starts, or it is skipped if their result is not the one that it waits for.
Source: docs/platform/pipelines-jobs.md, docs/platform/external.md ('CI processing').
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import Final, Unpack

from fakeplat.ci_config.jobs import When
from fakeplat.domain.ci import job_outcomes, job_transitions, jobs, pipelines, resource_groups, statuses
from fakeplat.domain.deployments import deployment_approvals, protected_environments
from fakeplat.model.ci import COMPLETED, Job, Outcome, Pipeline, Status
from fakeplat.policy.context import WriteContext

_STARTS_AFTER: Final[Mapping[When, tuple[Status, ...]]] = {
    "on_success": ("success", "skipped"),
    "manual": ("success", "skipped"),
    "delayed": ("success", "skipped"),
    "on_failure": ("failed",),
    "always": ("success", "failed", "skipped"),
}
"""The results of earlier stages after which a job starts."""


def process(ctx: WriteContext, pipeline_id: int, changed: Job | None = None) -> Pipeline:
    """Start or skip the jobs of a pipeline whose turn it is, and update the pipeline's status.

    With the only job that has ``changed``, this costs the same in a pipeline of any size.
    """
    first_stages = jobs.find_first_stages(ctx.world, pipeline_id)
    if "created" in first_stages and _CandidateJobs(ctx, pipeline_id, first_stages, changed).start_or_skip_all():
        first_stages = jobs.find_first_stages(ctx.world, pipeline_id)
    return pipelines.set_status_of_outcomes(ctx, ctx.world.pipelines[pipeline_id], first_stages)


class _CandidateJobs:
    """The created jobs whose turn may have come, by stage and id: those of the first stage that goes on, and needs.

    A job that is completed by its turn, such as a skipped one, counts for the jobs after it at once.
    """

    def __init__(
        self, ctx: WriteContext, pipeline_id: int, first_stages: Mapping[Outcome, int], changed: Job | None
    ) -> None:
        self._ctx = ctx
        self._world = ctx.world
        self._pipeline_id = pipeline_id
        self._stage: int | None = None
        self._before: Status = "success"
        self._queue: list[tuple[int, int]] = []
        self._add(self._list_all_with_needs() if changed is None else self._list_dependents(changed))
        self._open_stage(first_stages)

    def start_or_skip_all(self) -> bool:
        """Start or skip the jobs until none of them can go on; return whether any did."""
        is_any = False
        while self._queue:
            _, id_ = heappop(self._queue)
            job = self._world.jobs[id_]
            result = self._result_waited_for(job)
            # A job that needs several others may be here twice.
            if job.status != "created" or result not in COMPLETED:
                continue
            is_any = True
            current = _start_or_skip(self._ctx, job, result)
            if current.outcome in statuses.COMPLETE:
                self._add(self._list_dependents(current))
                self._open_stage(jobs.find_first_stages(self._world, self._pipeline_id))
        return is_any

    def _open_stage(self, first_stages: Mapping[Outcome, int]) -> None:
        """Add the jobs of the first stage that is not complete, unless they wait for those that they need."""
        stage = first_stages.get("created")
        open_stages = (first for outcome, first in first_stages.items() if outcome not in statuses.COMPLETE)
        if stage is None or stage == self._stage or stage != min(open_stages):
            return
        self._stage = stage
        before = [outcome for outcome, first in first_stages.items() if first < stage]
        self._before = statuses.combine(before) if before else "success"
        self._add(job for job in self._list_created(stage) if job.needs is None)

    def _result_waited_for(self, job: Job) -> Status:
        if job.needs is None:
            return self._before
        needed = (jobs.find_latest_by_name(self._world, self._pipeline_id, need.name) for need in job.needs)
        return statuses.combine_needs(each.outcome for each in needed if each is not None)

    def _add(self, members: Iterable[Job]) -> None:
        for job in members:
            heappush(self._queue, (job.stage_index, job.id))

    def _list_created(self, last_stage: int | None = None) -> list[Job]:
        created = self._world.jobs.sorted("outcomes", (self._pipeline_id, "created"))
        count = len(created) if last_stage is None else created.before((last_stage + 1, 0))
        return self._world.jobs.get_many(id_ for _, id_ in created.slice(0, count))

    def _list_all_with_needs(self) -> list[Job]:
        return [job for job in self._list_created() if job.needs is not None]

    def _list_dependents(self, job: Job) -> list[Job]:
        return self._world.jobs.get_many(self._world.jobs.ids("waiting_for", (self._pipeline_id, job.name)))


def _start_or_skip(ctx: WriteContext, job: Job, result: Status) -> Job:
    """Start or skip a created job after a result of the jobs that it waits for."""
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


def enqueue(ctx: WriteContext, job: Job, **fields: Unpack[job_transitions.JobChanges]) -> Job:
    """Queue a job for a runner, or for the resource group that it needs; it fails without the right to deploy."""
    if job_transitions.can_fire(job, "drop") and _is_barred(ctx, job, fields):
        return job_transitions.fire(ctx, job, "drop", failure_reason="protected_environment_failure", **fields)
    if deployment_approvals.block(ctx, job):
        return job_transitions.fire(ctx, job, "actionize", **fields) if job.status == "created" else job
    if resource_groups.must_wait(ctx.world, job):
        return job_transitions.fire(ctx, job, "wait", **fields)
    return job_transitions.fire(ctx, job, "enqueue", **fields)


def _is_barred(ctx: WriteContext, job: Job, fields: Mapping[str, object]) -> bool:
    """Return whether the user of a job may not deploy to its environment."""
    user_id = fields.get("user_id", job.user_id)
    user = ctx.world.users.get(user_id) if isinstance(user_id, int) else None
    return protected_environments.is_job_barred(ctx, job, user)
