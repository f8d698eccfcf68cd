"""Resource groups: of the jobs of a project that share one, only one is queued or running at a time.

Source: docs/platform/external.md ('CI processing'), docs/platform/deployments.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.ci import job_transitions, pipelines
from fakeplat.domain.ci.job_variables import expand_variables
from fakeplat.model.ci import Job, ProcessMode, ResourceGroup
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_NEWEST_FIRST: Final = ("newest_first", "newest_ready_first")


def get_group(world: World, project: Project, key: str) -> ResourceGroup:
    """Return the resource group with a key, or raise 404."""
    group = world.resource_groups.find("key", (project.id, key))
    if group is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no resource group {key!r}")
    return group


def create_groups(ctx: WriteContext, jobs: Sequence[Job]) -> None:
    """Create the resource groups that jobs name, after expanding variables in the names."""
    for job in jobs:
        if job.resource_group is not None:
            key = expand_variables(ctx, job, job.resource_group)
            ctx.world.jobs.change(ctx.world.jobs[job.id], resource_group=key or None)
            if key:
                ensure_group(ctx, ctx.world.projects[job.project_id], key)


def ensure_group(ctx: WriteContext, project: Project, key: str) -> ResourceGroup:
    """Return the resource group with a key, and create it if it does not exist."""
    table, now = ctx.world.resource_groups, ctx.now_iso
    group = table.find("key", (project.id, key))
    if group is not None:
        return group
    mode = project.resource_group_default_process_mode
    created = ResourceGroup(table.next_id(), project.id, key, created_at=now, updated_at=now, process_mode=mode)
    return table.add(created)


def set_process_mode(ctx: WriteContext, group: ResourceGroup, mode: ProcessMode) -> ResourceGroup:
    """Change the order in which waiting jobs get the resource."""
    if group.process_mode == mode:
        return group
    return ctx.world.resource_groups.change(group, process_mode=mode, updated_at=ctx.now_iso)


def find_current(world: World, group: ResourceGroup) -> Job | None:
    """Return the job that holds the resource, None if no job does."""
    return next(iter(world.jobs.where("holds_resource", (group.project_id, group.key))), None)


def list_upcoming(world: World, group: ResourceGroup) -> list[Job]:
    """Return the jobs that get the resource next, in order.

    In an ordered group the jobs that do not wait yet have their turn, too, unless the newest ready one comes first; in
    one pipeline those that wait come first.
    """
    key, mode = (group.project_id, group.key), group.process_mode
    if mode == "unordered":
        return list(world.jobs.where("waits_for_resource", key))
    index = "waits_for_resource" if mode == "newest_ready_first" else "upcoming_for_resource"
    newest_first = mode in _NEWEST_FIRST
    return sorted(world.jobs.where(index, key), key=lambda job: _turn(job, newest_first=newest_first))


def _turn(job: Job, *, newest_first: bool) -> tuple[int, bool, int]:
    return (_pipeline_turn(job, newest_first=newest_first), not job.waits_for_resource, job.id)


def _pipeline_turn(job: Job, *, newest_first: bool) -> int:
    return -job.pipeline_id if newest_first else job.pipeline_id


def must_wait(world: World, job: Job) -> bool:
    """Return whether a job has to wait: another one holds the resource that it needs, or has its turn before it."""
    if job.resource_group is None:
        return False
    return _is_taken(world, job) or not _has_turn(world, job)


def _is_taken(world: World, job: Job) -> bool:
    return any(world.jobs.ids("holds_resource", (job.project_id, job.resource_group)))


def _has_turn(world: World, job: Job) -> bool:
    group = world.resource_groups.find("key", (job.project_id, job.resource_group))
    if group is None or group.process_mode == "unordered":
        return True
    first = next(iter(list_upcoming(world, group)), job)
    newest_first = group.process_mode in _NEWEST_FIRST
    # Jobs of the same pipeline have no order among each other.
    return _pipeline_turn(first, newest_first=newest_first) >= _pipeline_turn(job, newest_first=newest_first)


def release(ctx: WriteContext, before: Job, job: Job) -> None:
    """Give the resource that a job no longer needs to the job whose turn it is."""
    is_over = (before.holds_resource and not job.holds_resource) or (before.is_upcoming and job.is_completed)
    if not is_over or _is_taken(ctx.world, job):
        return
    group = ensure_group(ctx, ctx.world.projects[job.project_id], job.resource_group or "")
    upcoming = list_upcoming(ctx.world, group)
    if upcoming and upcoming[0].waits_for_resource:
        enqueued = job_transitions.fire(ctx, upcoming[0], "enqueue")
        if enqueued.pipeline_id != job.pipeline_id:
            pipelines.update_status(ctx, ctx.world.pipelines[enqueued.pipeline_id])
