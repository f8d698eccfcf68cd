"""Detailed statuses: how pipelines, stages, groups of jobs, and jobs show their status to a caller.

A job's status also shows what the caller can do about it. Source: docs/platform/pipelines-jobs.md,
docs/platform/external.md ('CI processing').
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import evolve_record
from fakeplat.domain.ci import ci_access, job_actions, jobs, statuses
from fakeplat.domain.deployments import deployments
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import ACTIVE, Job, Pipeline, Status
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

FAVICONS: Final = "/assets/ci_favicons"


@frozen
class StatusAction:
    """A button beside a status. ``id`` names the job and its status."""

    icon: str | None
    title: str | None
    path: str
    button_title: str
    confirmation_message: str | None = None
    method: str = "post"
    id: str = ""


@frozen
class DetailedStatus:
    """A status with the texts, icons and links of its badge. ``subject_id`` is the id of what has it.

    ``deployment_details_path`` leads a bridge to those who approve its deployment.
    """

    icon: str
    text: str
    label: str
    group: str
    tooltip: str
    favicon: str
    has_details: bool = True
    details_path: str | None = None
    deployment_details_path: str | None = None
    action: StatusAction | None = None
    subject_id: int | str = 0


@frozen
class _Look:
    """How a status is shown; by default under its own name."""

    text: str = ""
    label: str = ""
    icon: str = ""


_LOOKS: Final[Mapping[Status, _Look]] = {
    "waiting_for_resource": _Look("waiting", "waiting for resource", "pending"),
    "canceling": _Look(icon="canceled"),
    "success": _Look("passed", "passed"),
    "manual": _Look("manual", "manual action"),
    "scheduled": _Look("delayed", "delayed"),
}
_PIPELINE_LOOKS: Final[Mapping[Status, _Look]] = {
    "manual": _Look("blocked", "waiting for manual action"),
    "scheduled": _Look("delayed", "waiting for delayed job"),
}
_SHOW_DEPLOYMENT: Final = "View deployment details page"
_FAILURES: Final = {
    "api_failure": "API failure",
    "runner_unsupported": "unsupported runner",
    "insufficient_bridge_permissions": "no permissions to trigger downstream pipeline",
    "downstream_bridge_project_not_found": "downstream project could not be found",
    "invalid_bridge_trigger": "downstream pipeline trigger definition is invalid",
    "upstream_bridge_project_not_found": "upstream project could not be found",
    "insufficient_upstream_permissions": "no permissions to read upstream project",
    "bridge_pipeline_is_child_pipeline": "creation of child pipeline not allowed from another child pipeline",
    "downstream_pipeline_creation_failed": "downstream pipeline can not be created",
    "secrets_provider_not_found": "secrets provider can not be found",
    "pipeline_loop_detected": "job would create infinitely looping pipelines",
    "reached_max_descendant_pipelines_depth": "reached maximum depth of child pipelines",
    "reached_max_pipeline_hierarchy_size": "downstream pipeline tree is too large",
    "reached_downstream_pipeline_trigger_rate_limit": (
        "Too many downstream pipelines triggered in the last minute. Try again later."
    ),
    "downstream_project_trigger_resolved_to_empty": "trigger:project resolved to a blank value",
    "project_deleted": "pipeline project was deleted",
    "user_blocked": "pipeline user was blocked",
    "ci_quota_exceeded": "no more compute minutes available",
    "no_matching_runner": "no matching runner available",
    "trace_size_exceeded": "log size limit exceeded",
    "builds_disabled": "project builds are disabled",
    "ip_restriction_failure": "IP address restriction failure",
    "job_execution_server_timeout": "job execution timeout",
    "stuck_pending_no_matching_runners": "stuck pending without matching runners",
    "no_updates_running": "running job stopped receiving updates",
    "no_updates_canceling": "canceling job stopped receiving updates",
    "server_timeout_running": "running server timeout",
    "server_timeout_canceling": "canceling server timeout",
    "duo_workflow_not_allowed": "Duo Workflow cannot run on this runner",
    "job_router_failure": "The Job Router failed to run this job. Please contact your administrator.",
    "job_token_expired": "job token has expired",
}
"""The texts of failure reasons that are not their name in words."""


def failure_text(job: Job) -> str:
    """Return why a job failed, in words."""
    reason = job.failure_reason or "unknown_failure"
    return _FAILURES.get(reason, reason.replace("_", " "))


@cache
def _core(status: Status, look: _Look | None = None) -> DetailedStatus:
    """Return a status as it is shown without regard to what has it."""
    look = look or _LOOKS.get(status, _Look())
    icon, label = f"status_{look.icon or status}", look.label or status
    # The group is a class of style sheets, which has dashes where the status has underscores.
    return DetailedStatus(
        icon, look.text or status, label, status.replace("_", "-"), label, f"{FAVICONS}/favicon_{icon}.png"
    )


def _with_warnings(status: DetailedStatus) -> DetailedStatus:
    label = "passed with warnings"
    return evolve_record(status, icon="status_warning", label=label, tooltip=label, group="success-with-warnings")


def _has_warnings(members: Sequence[Job]) -> bool:
    return any(job.outcome == "warning" for job in members)


def pipeline_path(world: World, pipeline: Pipeline) -> str:
    """Return the path of a pipeline's page."""
    return f"/{namespaces.project_path(world, world.projects[pipeline.project_id])}/-/pipelines/{pipeline.id}"


def job_path(world: World, job: Job) -> str:
    """Return the path of a job's page."""
    return f"/{namespaces.project_path(world, world.projects[job.project_id])}/-/jobs/{job.id}"


def of_pipeline(world: World, pipeline: Pipeline) -> DetailedStatus:
    """Return the detailed status of a pipeline."""
    status = _core(pipeline.status, _PIPELINE_LOOKS.get(pipeline.status))
    if pipeline.status == "success" and _has_warnings(jobs.list_latest(world, pipeline.id)):
        status = _with_warnings(status)
    return evolve_record(status, details_path=pipeline_path(world, pipeline), subject_id=pipeline.id)


def of_stage(world: World, pipeline: Pipeline, name: str, members: Sequence[Job]) -> DetailedStatus:
    """Return the detailed status of a stage with some jobs."""
    return evolve_record(_of_several(members), details_path=f"{pipeline_path(world, pipeline)}#{name}", subject_id=name)


def of_group(ctx: ReadContext, project: Project, members: Sequence[Job]) -> DetailedStatus:
    """Return the detailed status of a group of jobs: that of its job, or of all of them together."""
    if len(members) == 1:
        return of_job(ctx, project, members[0])
    return evolve_record(_of_several(members), has_details=False, subject_id=jobs.group_name(members[0]))


def _of_several(members: Sequence[Job]) -> DetailedStatus:
    status = statuses.combine_jobs(members)
    return _with_warnings(_core(status)) if status == "success" and _has_warnings(members) else _core(status)


def of_job(ctx: ReadContext, project: Project, job: Job) -> DetailedStatus:
    """Return the detailed status of a job, with the action that the caller can take."""
    status = evolve_record(_BY_KIND[job.kind](ctx, project, job), subject_id=job.id)
    if status.action is None:
        return status
    id_ = f"Ci::{job.kind.capitalize()}-{status.group}-{job.id}"
    return evolve_record(status, action=evolve_record(status.action, id=id_))


def _of_build(ctx: ReadContext, project: Project, job: Job) -> DetailedStatus:
    status = _with_failure(_core(job.status), job)
    status = evolve_record(
        status, has_details=can(ctx, Ability.READ_BUILD, project), details_path=job_path(ctx.world, job)
    )
    deployment_path = _find_blocked_deployment(ctx, job)
    if deployment_path is not None:
        return _with_retried(evolve_record(status, action=_build_approval_action(deployment_path)), job)
    label, action = _find_action(job, status.details_path or "")
    may_act = action is not None and ci_access.can_update_job(ctx, project, job)
    hint = " (not allowed)" if job_actions.is_playable(job) and not may_act else ""
    # The tooltip keeps the status itself.
    status = evolve_record(status, label=f"{label or status.label}{hint}")
    return _with_retried(evolve_record(status, action=action if may_act else None), job)


def _find_blocked_deployment(ctx: ReadContext, job: Job) -> str | None:
    """Return the path of the deployment of a job that waits for approvals."""
    deployment = deployments.find_by_job(ctx.world, job) if job.status == "manual" else None
    if deployment is None or deployment.status != "blocked":
        return None
    return deployments.path_of(ctx.world, deployment)


def _build_approval_action(path: str) -> StatusAction:
    return StatusAction(None, None, path, _SHOW_DEPLOYMENT, method="get")


def _with_failure(status: DetailedStatus, job: Job) -> DetailedStatus:
    if job.status != "failed":
        return status
    tooltip = f"{status.text} - ({failure_text(job)})"
    if not job.allow_failure:
        return evolve_record(status, tooltip=tooltip)
    allowed = "(allowed to fail)"
    return evolve_record(
        status,
        icon="status_warning",
        label=f"{status.label} {allowed}",
        group="failed-with-warnings",
        tooltip=f"{tooltip} {allowed}",
    )


def _with_retried(status: DetailedStatus, job: Job) -> DetailedStatus:
    return evolve_record(status, tooltip=f"{status.tooltip} (retried)") if job.retried else status


def _find_action(job: Job, path: str) -> tuple[str, StatusAction | None]:
    """Return the label and the button of what can be done about a job; an empty label changes nothing."""
    retry = StatusAction("retry", "Retry", f"{path}/retry", "Retry this job")
    if job.status == "failed" and job.allow_failure:
        return "", retry
    if job.status == "scheduled":
        return "unschedule action", StatusAction("time-out", "Unschedule", f"{path}/unschedule", "Unschedule job")
    if job_actions.is_playable(job):
        return _get_play_action(job, path)
    if job.status in ("created", *ACTIVE):
        return "", StatusAction("cancel", "Cancel", f"{path}/cancel", "Cancel this job")
    return "", retry if job_actions.is_retryable(job) else None


def _get_play_action(job: Job, path: str) -> tuple[str, StatusAction]:
    text = job.options.get("manual_confirmation")
    if job.environment is not None and job.environment.action == "stop":
        return "manual stop action", StatusAction("stop", "Stop", f"{path}/play", "Stop this environment", text)
    return "manual play action", StatusAction("play", "Play", f"{path}/play", "Trigger this manual action", text)


def _of_bridge(ctx: ReadContext, _project: Project, job: Job) -> DetailedStatus:
    """Return the status of a bridge, whose details are the pipeline that it created."""
    id_ = job.downstream_pipeline_id
    downstream = ctx.world.pipelines.get(id_) if id_ is not None else None
    status = _with_retried(_with_failure(_core(job.status), job), job)
    deployment_path = _find_blocked_deployment(ctx, job)
    if deployment_path is not None:
        return evolve_record(
            status,
            tooltip=_SHOW_DEPLOYMENT,
            has_details=False,
            deployment_details_path=deployment_path,
            action=_build_approval_action(deployment_path),
        )
    if downstream is None:
        return evolve_record(status, has_details=False)
    readable = can(ctx, Ability.READ_PIPELINE, ctx.world.projects[downstream.project_id])
    return evolve_record(status, has_details=readable, details_path=pipeline_path(ctx.world, downstream))


def _of_external(ctx: ReadContext, project: Project, job: Job) -> DetailedStatus:
    """Return a status that was reported from outside, with its own description and URL."""
    status = _core(job.status)
    readable = bool(job.target_url) and can(ctx, Ability.READ_BUILD, project)
    label = job.description or status.label
    return evolve_record(status, label=label, tooltip=label, has_details=readable, details_path=job.target_url)


_BY_KIND: Final[Mapping[str, Callable[[ReadContext, Project, Job], DetailedStatus]]] = {
    "build": _of_build,
    "bridge": _of_bridge,
    "external": _of_external,
}
