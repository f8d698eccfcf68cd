"""Deployments by jobs: a job that names an environment deploys to it, and its deployment follows its status.

Source: docs/platform/deployments.md.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.ci_config.jobs import EnvironmentSpec
from fakeplat.core.store.records import evolve_record
from fakeplat.domain.ci import job_actions, job_transitions, processing
from fakeplat.domain.ci.job_variables import expand_variables
from fakeplat.domain.deployments import deployment_approvals, deployments, environments
from fakeplat.model.ci import Job, Status
from fakeplat.model.deployments import (
    ApprovalStatus,
    Deployment,
    DeploymentApproval,
    DeploymentStatus,
    Environment,
)
from fakeplat.policy.context import WriteContext

_STATUSES: Final[Mapping[Status, DeploymentStatus]] = {
    "running": "running",
    "success": "success",
    "failed": "failed",
    "canceled": "canceled",
    "skipped": "skipped",
}
"""The status of a deployment for a status of its job; without a row it stays as it is."""


def create_environments(ctx: WriteContext, jobs: Sequence[Job]) -> None:
    """Create the environments that jobs name, and a deployment for each job that deploys to one."""
    for job in jobs:
        if job.environment is not None:
            _create_environment(ctx, job, job.environment)


def _create_environment(ctx: WriteContext, job: Job, spec: EnvironmentSpec) -> None:
    project = ctx.world.projects[job.project_id]
    name = expand_variables(ctx, job, spec.name)
    environment = environments.find_or_create_if_valid(ctx, project, name)
    if environment is None:
        # As on the platform, a job whose variables give an invalid name deploys to no environment.
        ctx.world.jobs.change(ctx.world.jobs[job.id], environment=None)
        return
    ctx.world.jobs.change(ctx.world.jobs[job.id], environment=evolve_record(spec, name=environment.name))
    if spec.action == "start":
        deployments.create(
            ctx,
            environment,
            ref=job.ref,
            sha=ctx.world.pipelines[job.pipeline_id].sha,
            tag=job.tag,
            user_id=job.user_id,
            job_id=job.id,
            on_stop=spec.on_stop,
        )


def follow_job(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Change the status of a job's deployment with its own."""
    status = _STATUSES.get(job.status)
    deployment = deployments.find_by_job(ctx.world, job) if status is not None else None
    if deployment is not None and status is not None and deployments.can_change_to(deployment, status):
        change_status(ctx, deployment, status)


def change_status(ctx: WriteContext, deployment: Deployment, status: DeploymentStatus) -> Deployment:
    """Change the status of a deployment, with all effects on its environment and on older deployments."""
    changed = deployments.set_status(ctx, deployment, status)
    if status == "success":
        _update_environment(ctx, changed)
    elif status == "running" and ctx.world.projects[changed.project_id].ci_forward_deployment_enabled:
        _drop_older(ctx, changed)
    return changed


def _update_environment(ctx: WriteContext, deployment: Deployment) -> None:
    """Start the environment of a successful deployment, and take over what its job says of it."""
    environment = ctx.world.environments[deployment.environment_id]
    job = ctx.world.jobs.get(deployment.job_id) if deployment.job_id is not None else None
    if job is not None and job.environment is not None:
        environment = _apply(ctx, environment, job, job.environment)
    environments.set_state(ctx, environment, "available")


def _apply(ctx: WriteContext, environment: Environment, job: Job, spec: EnvironmentSpec) -> Environment:
    if spec.url is not None:
        url = expand_variables(ctx, job, spec.url)
        environment = environments.update_if_valid(ctx, environment, external_url=url)
    return environment if spec.auto_stop_in is None else environments.stop_in(ctx, environment, spec.auto_stop_in)


def _drop_older(ctx: WriteContext, deployment: Deployment) -> None:
    """Fail the jobs of older deployments to the same environment, so that none of them overwrites the newer one."""
    for older in list(ctx.world.deployments.where("environment", deployment.environment_id)):
        job = ctx.world.jobs.get(older.job_id) if older.job_id is not None else None
        if older.id < deployment.id and older.is_active and job is not None and job_transitions.can_fire(job, "drop"):
            job_actions.fail(ctx, job, "forward_deployment_failure")


def review(
    ctx: WriteContext,
    deployment: Deployment,
    status: ApprovalStatus,
    comment: str | None = None,
    represented_as: str | None = None,
) -> DeploymentApproval:
    """Approve or reject a blocked deployment. Its job starts after the last approval, and fails with a rejection."""
    approval = deployment_approvals.record(ctx, deployment, status, comment, represented_as)
    job = ctx.world.jobs.get(deployment.job_id) if deployment.job_id is not None else None
    if job is None:
        return approval
    if status == "rejected":
        job_actions.reject(ctx, job, "deployment_rejected")
    elif not deployment_approvals.count_pending(ctx.world, deployment):
        deployments.set_status(ctx, deployment, "created")
        processing.enqueue(ctx, ctx.world.jobs[job.id])
        processing.process(ctx, job.pipeline_id)
    return approval
