"""Stopping environments: by a user, or by themselves after some time. Source: docs/platform/deployments.md."""

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.domain.ci import job_actions, jobs, pipelines
from fakeplat.domain.ci.job_variables import expand_variables
from fakeplat.domain.deployments import environments, protected_environments
from fakeplat.domain.deployments.environments import AUTO_DELETE, AUTO_STOP
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.model.ci import COMPLETED, Job
from fakeplat.model.deployments import Environment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, ZERO_SHA, Push
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, caller_name, decide
from fakeplat.policy.context import ReadContext, WriteContext


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


def decide_stop(ctx: ReadContext, environment: Environment) -> Decision:
    """Decide whether the caller may stop an environment: with a stop job, whether they may run it."""
    project = ctx.world.projects[environment.project_id]
    if protected_environments.is_protected_from(ctx, project, environment.name, ctx.viewer):
        return Decision(False, f"the environment {environment.name} is protected from {caller_name(ctx)}")
    job = find_stop_job(ctx.world, environment) if environment.is_available else None
    if job is None:
        return decide(ctx, Ability.UPDATE_ENVIRONMENT, project)
    decision = decide(ctx, Ability.CREATE_DEPLOYMENT, project)
    if decision.allowed and not protection.can_update_ref(ctx, project, job.ref, tag=job.tag):
        return Decision(False, f"{caller_name(ctx)} may not run jobs of the protected ref {job.ref}")
    return decision


def stop(ctx: WriteContext, environment: Environment, *, force: bool = False) -> Environment:
    """Stop an available environment, and play the job that stops it, unless that is forced."""
    if not environment.is_available:
        return environment
    job = None if force else find_stop_job(ctx.world, environment)
    environments.set_state(ctx, environment, "stopped")
    if job is not None:
        job_actions.play(ctx, job)
    return ctx.world.environments[environment.id]


def follow_stop_job(ctx: WriteContext, _before: Job, job: Job) -> None:
    """Stop the environment whose stop job has succeeded."""
    spec = job.environment
    if spec is None or spec.action != "stop" or job.status != "success":
        return
    name = expand_variables(ctx, job, spec.name)
    environment = environments.find_by_name(ctx.world, ctx.world.projects[job.project_id], name)
    if environment is not None:
        environments.set_state(ctx, environment, "stopped")


def stop_with_branch(ctx: WriteContext, push: Push) -> None:
    """Stop the environments that a deleted branch was deployed to last, if a job stops them."""
    if push.after != ZERO_SHA or not push.ref.startswith(BRANCHES):
        return
    branch = push.ref.removeprefix(BRANCHES)
    for environment in list(ctx.world.environments.where("project", push.project_id)):
        last = environments.find_last_deployment(ctx.world, environment)
        if last is not None and last.ref == branch:
            _stop_if_allowed(ctx, environment)


def stop_with_merge_request(
    ctx: WriteContext, _before: MergeRequest, merge_request: MergeRequest, _user: User | None
) -> None:
    """Stop the environments of a merge request's own pipeline when it is merged or closed, if a job stops them."""
    # Most merge requests have no pipeline of their own. That is found out faster than which pipeline is their newest.
    has_own = bool(ctx.world.pipelines.ids("merge_request", merge_request.id))
    if not has_own or merge_request.state not in ("merged", "closed"):
        return
    pipeline = pipelines.head_pipeline(ctx.world, merge_request)
    if pipeline is None or pipeline.merge_request_id is None:
        return
    for job in jobs.list_latest(ctx.world, pipeline.id):
        for deployment in ctx.world.deployments.where("job", job.id):
            _stop_if_allowed(ctx, ctx.world.environments[deployment.environment_id])


def _stop_if_allowed(ctx: WriteContext, environment: Environment) -> None:
    has_stop_job = environment.is_available and find_stop_job(ctx.world, environment) is not None
    if has_stop_job and decide_stop(ctx, environment).allowed:
        stop(ctx, environment)


@task_handler(AUTO_STOP)
def _stop_by_itself(ctx: WriteContext, task: ScheduledTask) -> None:
    stop_by_itself(ctx, ctx.world.environments[task.subject[1]])


def stop_by_itself(ctx: WriteContext, environment: Environment) -> None:
    """Stop an environment as the user of the job that stops it; without one not if its setting asks for one."""
    job = find_stop_job(ctx.world, environment)
    if job is None and environment.auto_stop_setting == "with_action":
        return
    user = ctx.world.users.get(job.user_id) if job is not None and job.user_id is not None else None
    # Nobody is signed in, so the job runs again for the user for whom it was created.
    if user is not None:
        ctx.act_as(user)
    stop(ctx, environment)


def stop_stale(ctx: WriteContext, project: Project, before: str) -> None:
    """Stop the environments that were neither changed nor deployed to since a time, but for protected ones."""
    for environment in environments.list_stale(ctx.world, project, before):
        if not protected_environments.list_protections(ctx.world, project, environment.name):
            stop_by_itself(ctx, ctx.world.environments[environment.id])


@task_handler(AUTO_DELETE)
def _delete_by_itself(ctx: WriteContext, task: ScheduledTask) -> None:
    environment = ctx.world.environments[task.subject[1]]
    if not environment.is_available:
        purge(ctx, environment)
