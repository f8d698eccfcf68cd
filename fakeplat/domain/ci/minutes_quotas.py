"""The minutes that the jobs of a top-level namespace may take on runners of the instance in a month.

Source: docs/platform/namespaces.md, docs/platform/settings.md.
"""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.timestamps import MINUTE, from_iso, to_iso
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_MONTH: Final = len("2020-11")


def is_used_up(ctx: ReadContext, project: Project) -> bool:
    """Return whether runners of the instance take no more jobs of a project; public projects cost nothing."""
    world = ctx.world
    if not costs(project) or not has_feature(world, "premium", project):
        return False
    root = namespaces.root_of(world, world.namespaces[project.namespace_id])
    quota = get_quota(world, root)
    return bool(quota) and _used_time(ctx, root) >= quota * MINUTE


def get_quota(world: World, root: Namespace) -> int:
    """Return the minutes of a top-level namespace, with those that were bought; 0: any number."""
    limit = _find_own(world, root, "shared_runners_minutes_limit")
    limit = world.settings.shared_runners_minutes if limit is None else limit
    return limit + (_find_own(world, root, "extra_shared_runners_minutes_limit") or 0) if limit else 0


def _find_own(world: World, root: Namespace, name: str) -> int | None:
    """Return a limit of a namespace, or else of the user to whom it belongs."""
    owner = namespaces.owner_of(world, root)
    values: tuple[int | None, int | None] = getattr(root, name), getattr(owner, name, None)
    return next((value for value in values if value is not None), None)


def _used_time(ctx: ReadContext, root: Namespace) -> int:
    """Return how long (ms) jobs ran on runners of the instance this month, apart from those of public projects."""
    world, month = ctx.world, month_of(to_iso(ctx.now()))
    return sum(
        run_time(job)
        for job in list_finished(world, root)
        if month_of(job.finished_at or "") == month and costs(world.projects[job.project_id])
    )


def list_finished(world: World, root: Namespace) -> Iterator[Job]:
    """Yield the jobs of a top-level namespace that runners of the instance have finished."""
    for runner in world.runners.where("type", "instance_type"):
        for job in world.jobs.where("runner", runner.id):
            project = world.projects[job.project_id]
            if run_time(job) and namespaces.root_of(world, world.namespaces[project.namespace_id]).id == root.id:
                yield job


def month_of(timestamp: str) -> str:
    """Return the month of a timestamp: ``2020-11``."""
    return timestamp[:_MONTH]


def get_time_of_pipeline(world: World, project: Project, pipeline: Pipeline) -> int:
    """Return how long (ms) the jobs of a pipeline ran on runners of the instance; public projects cost nothing."""
    if not costs(project):
        return 0
    return sum(run_time(job) for job in world.jobs.where("pipeline", pipeline.id) if _ran_on_instance(world, job))


def _ran_on_instance(world: World, job: Job) -> bool:
    runner = world.runners.get(job.runner_id or 0)
    return runner is not None and runner.runner_type == "instance_type"


def run_time(job: Job) -> int:
    """Return how long (ms) a job ran; 0 for one that has not started and ended."""
    return from_iso(job.finished_at) - from_iso(job.started_at) if job.started_at and job.finished_at else 0


def costs(project: Project) -> bool:
    """Return whether the jobs of a project count; public projects cost nothing."""
    return project.visibility != "public"
