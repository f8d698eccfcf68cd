"""Bridges: jobs that create a pipeline of another project or a child pipeline, and may take over its status.

Source: docs/platform/external.md ('CI processing').
"""

from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.ci_config.includes import child_document
from fakeplat.ci_config.interpolation import expand
from fakeplat.ci_config.jobs import ChildFile, TriggerSpec
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.domain.ci import job_actions, job_transitions, pipeline_creation, predefined_variables
from fakeplat.domain.ci.pipeline_creation import PipelineRefused, PipelineRequest
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import FailureReason, Job, Pipeline, PipelineVariable
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import WriteContext

_DELAY: Final = 100
_FINISHING_EVENTS: Final[Mapping[str, job_transitions.Event]] = {
    "success": "success",
    "failed": "drop",
    "canceled": "cancel",
    "skipped": "skip",
}


class BridgeFailed(ValueError):
    """The downstream pipeline cannot be created."""

    def __init__(self, reason: FailureReason) -> None:
        super().__init__(reason)
        self.reason: FailureReason = reason


def start_queued_bridge(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Schedule the creation of the downstream pipeline of a bridge that was queued."""
    if job.kind == "bridge" and job.status == "pending":
        ctx.schedule("run_bridge", ("jobs", job.id), ctx.now() + _DELAY, in_progress=True)


@task_handler("run_bridge")
def _run(ctx: WriteContext, task: ScheduledTask) -> None:
    job = ctx.world.jobs[task.subject[1]]
    user = ctx.world.users.get(job.user_id or 0)
    if user is not None:
        ctx.act_as(user)
    if job.mirrors is not None:
        _mirror(ctx, job)
        return
    running = job_actions.run(ctx, job)
    try:
        downstream = _create_downstream(ctx, running)
    except BridgeFailed as failed:
        job_actions.fail(ctx, ctx.world.jobs[job.id], failed.reason)
        return
    linked = ctx.world.jobs.change(ctx.world.jobs[job.id], downstream_pipeline_id=downstream.id)
    if job.trigger is None or job.trigger.strategy is None:
        job_actions.succeed(ctx, linked)
    else:
        _finish_with(ctx, linked, downstream)


def follow_downstream(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Let the bridge that waits for a pipeline end as the pipeline does."""
    job = ctx.world.jobs.get(pipeline.source_job_id or 0)
    if job is not None and job.downstream_pipeline_id == pipeline.id and job.status == "running":
        _finish_with(ctx, job, pipeline)


def follow_mirrored(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Let the bridges that wait for a pipeline of the project end as this one does."""
    if not pipeline.is_completed:
        return
    for job in list(ctx.world.jobs.where("pending", "bridge")):
        if job.mirrors is not None and _mirrored_project(ctx, job) == ctx.world.projects[pipeline.project_id]:
            _finish_with(ctx, job, pipeline)


def _finish_with(ctx: WriteContext, job: Job, downstream: Pipeline) -> None:
    event = _FINISHING_EVENTS.get(downstream.status)
    if event == "drop":
        job_actions.fail(ctx, job, "unknown_failure")
    elif event is not None:
        job_actions.finish(ctx, job, event)


def _mirror(ctx: WriteContext, job: Job) -> None:
    """Take over the status of the newest pipeline of another project."""
    upstream = _mirrored_project(ctx, job)
    if upstream is None or not can(ctx, Ability.READ_PIPELINE, upstream):
        job_actions.fail(ctx, job, "insufficient_bridge_permissions")
        return
    latest = ctx.world.pipelines.newest("project", upstream.id)
    if latest is not None and latest.is_completed:
        _finish_with(ctx, job, latest)


def _mirrored_project(ctx: WriteContext, job: Job) -> Project | None:
    return namespaces.find_project_by_path(ctx.world, job.mirrors or "")


def _create_downstream(ctx: WriteContext, job: Job) -> Pipeline:
    trigger = job.trigger or TriggerSpec()
    try:
        if trigger.project is None:
            return pipeline_creation.create(ctx, _child_request(ctx, job, trigger.includes))
        return pipeline_creation.create(ctx, _downstream_request(ctx, job, trigger))
    except PipelineRefused:
        raise BridgeFailed("downstream_pipeline_creation_failed") from None


def _child_request(ctx: WriteContext, job: Job, includes: Sequence[ChildFile]) -> PipelineRequest:
    parent = ctx.world.pipelines[job.pipeline_id]
    if _is_grandchild(ctx, parent):
        raise BridgeFailed("bridge_pipeline_is_child_pipeline")
    return PipelineRequest(
        project=ctx.world.projects[job.project_id],
        ref=parent.ref,
        tag=parent.tag,
        sha=parent.sha,
        before_sha=parent.before_sha,
        source="parent_pipeline",
        user_id=job.user_id,
        merge_request_id=parent.merge_request_id,
        source_job_id=job.id,
        variables=_downstream_variables(ctx, job),
        configuration=child_document(includes),
    )


def _is_grandchild(ctx: WriteContext, pipeline: Pipeline) -> bool:
    """Return whether a pipeline is a child of a child, which cannot have children of its own."""
    parent = _parent_of(ctx, pipeline)
    return parent is not None and _parent_of(ctx, parent) is not None


def _parent_of(ctx: WriteContext, pipeline: Pipeline) -> Pipeline | None:
    job = ctx.world.jobs.get(pipeline.source_job_id or 0)
    return ctx.world.pipelines[job.pipeline_id] if job is not None and pipeline.source == "parent_pipeline" else None


def _downstream_request(ctx: WriteContext, job: Job, trigger: TriggerSpec) -> PipelineRequest:
    known = predefined_variables.of_job(ctx.world, job, ctx.origin) | dict(job.variables)
    project = _get_project(ctx, expand(trigger.project or "", known))
    ref = expand(trigger.branch or project.default_branch or "", known)
    if not can(ctx, Ability.CREATE_PIPELINE, project):
        raise BridgeFailed("insufficient_bridge_permissions")
    if project.id == job.project_id and ref == job.ref:
        raise BridgeFailed("invalid_bridge_trigger")
    pipeline_creation.check_permission(ctx, project, ref)
    return PipelineRequest(
        source="pipeline",
        user_id=job.user_id,
        source_job_id=job.id,
        variables=_downstream_variables(ctx, job),
        inputs=trigger.inputs,
        **pipeline_creation.resolve_ref(ctx, project, ref),
    )


def _get_project(ctx: WriteContext, path: str) -> Project:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can_see(ctx, project):
        raise BridgeFailed("downstream_bridge_project_not_found")
    return project


def _downstream_variables(ctx: WriteContext, job: Job) -> tuple[PipelineVariable, ...]:
    trigger = job.trigger or TriggerSpec()
    known = predefined_variables.of_job(ctx.world, job, ctx.origin)
    given = ctx.world.pipelines[job.pipeline_id].variables if trigger.forwards_pipeline_variables else ()
    configured = job.variables if trigger.forwards_yaml_variables else ()
    return (*(PipelineVariable(key, expand(value, known)) for key, value in configured), *given)
