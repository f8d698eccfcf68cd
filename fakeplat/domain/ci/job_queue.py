"""The queue of jobs from the point of view of a runner: which jobs it may take, and which comes first.

Source: docs/platform/runner-protocol.md.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from fakeplat.ci_config.jobs import ALLOWED_EXIT_CODES
from fakeplat.core.operations.errors import Conflict
from fakeplat.core.rng import random_bytes
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain import outbound_urls
from fakeplat.domain.ci import job_actions, job_dependencies, job_secrets, minutes_quotas, runners
from fakeplat.model.ci import FailureReason, Job, Runner, RunnerManager, RunnerType
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    BLOCKED_USERS_RUN_NO_JOBS,
    FALLBACK_KEYS,
    JOBS_CANCEL_GRACEFULLY,
    RUNNERS_RETURN_EXIT_CODES,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

Features = Mapping[str, object]

_QUEUE_VALUE_BYTES: Final = 16


def queue_value(world: World, runner: Runner) -> str:
    """Return a value that changes when the runner should ask again: after it took a job, and when it is updated."""
    taken = len(world.jobs.where("runner", runner.id))
    purpose = f"queue of runner {runner.id} at {runner.updated_at}"
    return random_bytes(world.setup.seed, purpose, taken, _QUEUE_VALUE_BYTES).hex()


def take_job(
    ctx: WriteContext,
    runner: Runner,
    features: Features,
    job_age: int | None = None,
    manager: RunnerManager | None = None,
    session_url: str | None = None,
) -> Job | None:
    """Start the first job that a runner may take; None without one. Jobs that cannot run anywhere fail instead.

    409 if the address of the runner's server for terminals is none that the platform calls.
    """
    manager_id = None if manager is None else manager.id
    for job in list_takeable(ctx, runner, job_age):
        # Jobs may have changed through the failure of an earlier one.
        current = ctx.world.jobs[job.id]
        if current.status != "pending":
            continue
        reason = find_obstacle(ctx, current, features)
        if reason is None:
            if session_url is not None:
                _check_session(ctx, session_url)
            is_graceful = bool(features.get("cancel_gracefully")) and ctx.profile.has(JOBS_CANCEL_GRACEFULLY)
            return job_actions.run(
                ctx,
                current,
                runner_id=runner.id,
                runner_manager_id=manager_id,
                session_url=session_url,
                cancels_gracefully=is_graceful,
            )
        job_actions.fail(ctx, ctx.world.jobs.change(current, runner_id=runner.id), reason)
    return None


def _check_session(ctx: ReadContext, url: str) -> None:
    """Refuse the address of a runner's server for terminals with 409, unless the platform calls it."""
    allows_local = ctx.world.settings.allow_local_requests_from_web_hooks_and_services
    text = outbound_urls.explain_blocked_url(url, ("https",), allows_local=allows_local)
    if text:
        raise Conflict(reason=f"the address of the session is refused: {text}")


def list_takeable(ctx: ReadContext, runner: Runner, job_age: int | None = None) -> list[Job]:
    """Return the queued jobs that a runner may take, in the order in which it takes them."""
    world = ctx.world
    matching = [
        job
        for job in world.jobs.where("pending", "build")
        if _serves(ctx, runner, world.projects[job.project_id])
        and _accepts(world, runner, job)
        and _is_old_enough(ctx, job, job_age)
    ]
    return _in_order(world, runner, matching)


def has_online_runner(ctx: ReadContext, job: Job) -> bool:
    """Return whether an active runner that contacted the platform recently may take a job."""
    world, project = ctx.world, ctx.world.projects[job.project_id]
    return any(
        runner.active
        and runners.is_online(ctx, runner)
        and _serves(ctx, runner, project)
        and _accepts(world, runner, job)
        for runner in runners.list_available_to_project(world, project)
    )


def _in_order(world: World, runner: Runner, jobs: Sequence[Job]) -> list[Job]:
    """Return jobs by id; for a runner of the instance, those of projects with few jobs on such runners come first."""
    if runner.runner_type != "instance_type":
        return sorted(jobs, key=lambda job: job.id)
    running = Counter(
        job.project_id
        for shared in world.runners.where("type", "instance_type")
        for job in world.jobs.where("runner", shared.id)
        if job.status == "running"
    )
    return sorted(jobs, key=lambda job: (running[job.project_id], job.id))


def _serves(ctx: ReadContext, runner: Runner, project: Project) -> bool:
    """Return whether a runner takes jobs of a project."""
    return project.builds_access_level != "disabled" and _SERVES[runner.runner_type](ctx, runner, project)


def _is_enabled(ctx: ReadContext, runner: Runner, project: Project) -> bool:
    return ctx.world.runner_projects.find("pair", (runner.id, project.id)) is not None


def _is_below_group(ctx: ReadContext, runner: Runner, project: Project) -> bool:
    return project.group_runners_enabled and any(
        namespace.id == runner.group_id for namespace in ancestors(ctx.world, project.namespace_id)
    )


def _has_shared_runners(ctx: ReadContext, _runner: Runner, project: Project) -> bool:
    return project.shared_runners_enabled and not minutes_quotas.is_used_up(ctx, project)


_SERVES: Final[Mapping[RunnerType, Callable[[ReadContext, Runner, Project], bool]]] = {
    "instance_type": _has_shared_runners,
    "group_type": _is_below_group,
    "project_type": _is_enabled,
}
"""Whether a runner takes jobs of a project, by its type."""


def _accepts(world: World, runner: Runner, job: Job) -> bool:
    """Return whether a runner takes a job, by its tags and by whether its ref was protected when it was created."""
    if runner.access_level == "ref_protected" and not world.pipelines[job.pipeline_id].protected:
        return False
    return (runner.run_untagged or bool(job.tags)) and set(job.tags) <= set(runner.tag_list)


def _is_old_enough(ctx: ReadContext, job: Job, job_age: int | None) -> bool:
    queued_at = job.queued_at or job.created_at
    return job_age is None or from_iso(queued_at) < ctx.now() - job_age * SECOND


def find_obstacle(ctx: ReadContext, job: Job, features: Features) -> FailureReason | None:
    """Return why a job cannot run on a runner with some features, None if it can."""
    if not job_dependencies.are_available(ctx, job):
        return "missing_dependency_failure"
    if any(not features.get(name) for name in _list_required_features(ctx, job)):
        return "runner_unsupported"
    if _is_user_blocked(ctx, job):
        return "user_blocked"
    return "secrets_provider_not_found" if job_secrets.is_provider_missing(ctx, job) else None


def _is_user_blocked(ctx: ReadContext, job: Job) -> bool:
    user = ctx.world.users.get(job.user_id or 0)
    return user is not None and user.is_blocked and ctx.profile.has(BLOCKED_USERS_RUN_NO_JOBS)


def _list_required_features(ctx: ReadContext, job: Job) -> Iterator[str]:
    artifacts = job.artifacts
    if artifacts is not None and artifacts.reports:
        yield "upload_multiple_artifacts"
    if job.ref.startswith("refs/merge-requests/"):
        yield "refspecs"
    if artifacts is not None and artifacts.exclude:
        yield "artifacts_exclude"
    if job.options.get("release"):
        yield "multi_build_steps"
    if job.options.get(ALLOWED_EXIT_CODES) and ctx.profile.has(RUNNERS_RETURN_EXIT_CODES):
        yield "return_exit_code"
    if ctx.profile.has(FALLBACK_KEYS) and _has_fallback_keys(job):
        yield "fallback_cache_keys"


def _has_fallback_keys(job: Job) -> bool:
    caches = job.options.get("cache") or ()
    return any(cache and cache.get("fallback_keys") for cache in (caches if isinstance(caches, list) else [caches]))
