"""Stopping environments: by a user, or by themselves after some time. Source: docs/platform/deployments.md."""

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.domain.ci import job_actions, jobs
from fakeplat.domain.ci.job_variables import expand_variables
from fakeplat.domain.deployments import environments
from fakeplat.domain.deployments.environments import AUTO_STOP
from fakeplat.model.environments import Environment
from fakeplat.model.jobs import COMPLETED, Job
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def find_stop_job(world: World, environment: Environment) -> Job | None:
    """Return the manual job that stops an environment: the one that the job of its last deployment names."""
    deployment = environments.find_last_deployment(world, environment)
    if deployment is None or deployment.on_stop is None or deployment.job_id is None:
        return None
    deploying_job = world.jobs.get(deployment.job_id)
    candidates = jobs.list_latest(world, deploying_job.pipeline_id) if deploying_job is not None else []
    return next((job for job in candidates if job.name == deployment.on_stop and _is_manual(job)), None)


def _is_manual(job: Job) -> bool:
    return job.when == "manual" and job.status in ("manual", *COMPLETED)


def stop(ctx: WriteContext, environment: Environment) -> Environment:
    """Stop an available environment, and play the job that stops it."""
    if not environment.is_available:
        return environment
    job = find_stop_job(ctx.world, environment)
    environments.set_state(ctx, environment, "stopped")
    if job is not None:
        job_actions.play(ctx, job)
    return ctx.world.environments[environment.id]


def follow_stop_job(ctx: WriteContext, before: Job, job: Job) -> None:
    """Stop the environment whose stop job has succeeded."""
    del before
    spec = job.environment
    if spec is None or spec.action != "stop" or job.status != "success":
        return
    name = expand_variables(ctx, job, spec.name)
    environment = environments.find_by_name(ctx.world, ctx.world.projects[job.project_id], name)
    if environment is not None:
        environments.set_state(ctx, environment, "stopped")


@task_handler(AUTO_STOP)
def _stop_by_itself(ctx: WriteContext, task: ScheduledTask) -> None:
    environment = ctx.world.environments[task.subject[1]]
    job = find_stop_job(ctx.world, environment)
    user = ctx.world.users.get(job.user_id) if job is not None and job.user_id is not None else None
    # Nobody is signed in, so the job runs again for the user for whom it was created.
    if user is not None:
        ctx.act_as(user)
    stop(ctx, environment)
