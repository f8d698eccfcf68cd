"""Runners: registration, the projects and groups that they serve, and who manages them.

Source: docs/platform/runners.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import (
    BadRequest,
    Forbidden,
    ForbiddenError,
    GoneWithReason,
    InvalidRecord,
    NotFound,
    RecordNotFound,
)
from fakeplat.core.rng import random_bytes
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, SECOND, from_iso, to_iso
from fakeplat.domain import settings
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.ci import (
    EXECUTING,
    AnyStatus,
    Job,
    Runner,
    RunnerAccessLevel,
    RunnerManager,
    RunnerProject,
    RunnerType,
)
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, decide_as_member
from fakeplat.policy.behaviours import (
    DISABLING_RUNNERS_NEEDS_ACCESS,
    GROUP_MAINTAINERS_READ_RUNNERS,
    GROUPS_LIST_SHARED_RUNNERS,
    REGISTERED_RUNNER_TOKEN_PREFIX,
    RUNNER_ASSIGNMENTS_NAME_REASONS,
    RUNNER_STALE_DAYS,
    RUNNER_TAGS_ARE_LIMITED,
    RUNNERS_ARE_LIMITED,
    RUNNERS_BECOME_STALE,
    RUNNERS_HAVE_MANAGERS,
    RUNNERS_STAY_WITH_THEIR_OWNER,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

ONLINE_TIMEOUT: Final = 2 * HOUR
_TOKEN_BYTES: Final = 10
CREATED_TOKEN_PREFIX: Final = "glrt-"
"""That of runners that a user created before they were registered, which came with such runners."""
_PREFIXES: Final = (CREATED_TOKEN_PREFIX, "glrtr-")
_MIN_TIMEOUT: Final = 600
_SHORTEST_TOKEN_LIFE: Final = 5 * MINUTE
_LONGEST_TOKEN_LIFE: Final = 15 * DAY
_LONGEST_NOTE: Final = 1024
_MOST_COUNTED: Final = 1_000
_MOST_RUNNERS: Final = 5_000
_MOST_JOBS: Final = 100
_MAX_TAGS: Final = 50
_TOO_MANY_TAGS: Final = f"Too many tags specified. Please limit the number of tags to {_MAX_TAGS}"
_DETAILS: Final = ("name", "version", "revision", "platform", "architecture", "executor")
_UNKNOWN: Final = "unknown"
_EXECUTORS: Final = (
    _UNKNOWN,
    "custom",
    "shell",
    "docker",
    "docker-windows",
    "docker-ssh",
    "ssh",
    "parallels",
    "virtualbox",
    "docker+machine",
    "docker-ssh+machine",
    "kubernetes",
    "docker-autoscaler",
    "instance",
)
_LEGACY_SYSTEM_ID: Final = "<legacy>"
_NO_ACCESS: Final = "No access granted"
_TAKEN: Final = "Runner has already been taken"
_INVALID_LINK: Final = "Runner projects is invalid"
_STAYS_WITH_OWNER: Final = "You cannot unassign a runner from the owner project. Delete the runner instead"


# Lookup


def get_runner(world: World, id_: int) -> Runner:
    """Return the runner with an id, or refuse with 404."""
    runner = world.runners.get(id_)
    if runner is None:
        raise RecordNotFound(reason=f"there is no runner {id_}")
    return runner


def get_by_token(ctx: ReadContext, token: str) -> Runner:
    """Return the runner that authenticates with a token, or refuse with 403."""
    runner = ctx.world.runners.find("token", token)
    if runner is None:
        raise Forbidden(reason="the token is no runner's")
    if runner.token_expires_at is not None and ctx.has_passed(from_iso(runner.token_expires_at)):
        raise Forbidden(reason=f"the token of the runner expired at {runner.token_expires_at}")
    return runner


def list_all(world: World) -> Sequence[Runner]:
    """Return all runners."""
    return world.runners.all()


def list_owned(ctx: ReadContext) -> list[Runner]:
    """Return the runners of the projects that the caller maintains, and of the groups that the caller owns."""
    return [runner for runner in ctx.world.runners.all() if is_owned(ctx, runner)]


def list_available_to_project(world: World, project: Project) -> list[Runner]:
    """Return the runners of a project, of the groups above it and of the instance."""
    own = {link.runner_id for link in world.runner_projects.where("project", project.id)}
    of_groups = {
        runner.id for group in groups_above(world, project) for runner in world.runners.where("group", group.id)
    }
    shared = {runner.id for runner in world.runners.where("type", "instance_type")}
    return [world.runners[id_] for id_ in sorted(own | of_groups | shared)]


def list_available_to_group(ctx: ReadContext, group: Group) -> list[Runner]:
    """Return the runners of a group and of the groups above it; later also those of the instance, if it shares them."""
    table, groups = ctx.world.runners, (group, *groups_above(ctx.world, group))
    ids = {runner.id for owner in groups for runner in table.where("group", owner.id)}
    if ctx.profile.has(GROUPS_LIST_SHARED_RUNNERS) and group.shared_runners_setting == "enabled":
        ids |= {runner.id for runner in table.where("type", "instance_type")}
    return [table[id_] for id_ in sorted(ids)]


def list_projects(world: World, runner: Runner) -> list[Project]:
    """Return the projects that a runner is enabled for."""
    return [world.projects[link.project_id] for link in world.runner_projects.where("runner", runner.id)]


def list_jobs(world: World, runner: Runner, status: AnyStatus | None = None, *, descending: bool = True) -> list[Job]:
    """Return the jobs that a runner took, also retried ones, by id."""
    jobs = [job for job in world.jobs.where("runner", runner.id) if status in (None, job.status)]
    return jobs[::-1] if descending else jobs


def is_busy(world: World, runner: Runner) -> bool:
    """Return whether a runner works on a job."""
    return any(list_jobs(world, runner, status) for status in EXECUTING)


def is_manager_busy(world: World, manager: RunnerManager) -> bool:
    """Return whether a machine of a runner works on a job."""
    return any(job.status in EXECUTING for job in world.jobs.where("runner_manager", manager.id))


def count_running_on_instance(world: World, project: Project) -> int:
    """Return how many jobs of a project are running on runners of the instance."""
    running = (world.jobs[id_] for id_ in world.jobs.ids("facts", (project.id, "running")))
    shared = {runner.id for runner in world.runners.all() if runner.runner_type == "instance_type"}
    return sum(job.runner_id in shared for job in running)


# Status


def is_online(ctx: ReadContext, runner: Runner | RunnerManager) -> bool:
    """Return whether a runner contacted the platform recently."""
    return runner.contacted_at is not None and not ctx.has_passed(from_iso(runner.contacted_at) + ONLINE_TIMEOUT)


def is_stale(ctx: ReadContext, runner: Runner | RunnerManager) -> bool:
    """Return whether a runner has not contacted the platform for long, which early releases do not tell."""
    if not ctx.profile.has(RUNNERS_BECOME_STALE):
        return False
    last_seen = from_iso(max(runner.created_at, runner.contacted_at or ""))
    return ctx.has_passed(last_seen + ctx.profile.choose(RUNNER_STALE_DAYS) * DAY)


def status_of(ctx: ReadContext, runner: Runner | RunnerManager) -> str:
    """Return never_contacted (at first, not_connected), stale, paused, online or offline. Managers are not paused."""
    if is_stale(ctx, runner):
        return "stale"
    if runner.contacted_at is None:
        return "never_contacted" if ctx.profile.has(RUNNERS_BECOME_STALE) else "not_connected"
    if isinstance(runner, Runner) and not runner.active:
        return "paused"
    return "online" if is_online(ctx, runner) else "offline"


def select(
    ctx: ReadContext, runners: Iterable[Runner], criteria: Iterable[str | None], tags: Sequence[str] | None = None
) -> list[Runner]:
    """Return the runners that meet all criteria, which are types and statuses, and that have all tags.

    ``shared`` are those of the instance, ``specific`` all others. An empty list of tags selects nothing.
    """
    stated = [criterion for criterion in criteria if criterion is not None]
    return [
        runner
        for runner in runners
        if all(_meets(ctx, runner, criterion) for criterion in stated) and _has_tags(runner, tags)
    ]


def _meets(ctx: ReadContext, runner: Runner, criterion: str) -> bool:
    if criterion in ("active", "paused"):
        return runner.active == (criterion == "active")
    if criterion == "stale":
        return is_stale(ctx, runner)
    if criterion in ("never_contacted", "not_connected"):
        return runner.contacted_at is None
    if criterion in ("online", "offline"):
        return is_online(ctx, runner) == (criterion == "online")
    if criterion in ("shared", "specific"):
        return (runner.runner_type == "instance_type") == (criterion == "shared")
    return runner.runner_type == criterion


def _has_tags(runner: Runner, tags: Sequence[str] | None) -> bool:
    return tags is None or (bool(tags) and set(tags) <= set(runner.tag_list))


# Rights


def is_owned(ctx: ReadContext, runner: Runner) -> bool:
    """Return whether the caller, as a member, maintains a project of a runner, or owns its group."""
    if ctx.viewer is None:
        return False
    if runner.group_id is not None:
        return decide_as_member(ctx, Ability.ADMIN_GROUP, ctx.world.namespaces[runner.group_id]).allowed
    return any(
        decide_as_member(ctx, Ability.ADMIN_PROJECT, project).allowed for project in list_projects(ctx.world, runner)
    )


def can_manage(ctx: ReadContext, runner: Runner) -> bool:
    """Return whether the caller is an administrator or owns the runner."""
    return ctx.admin or is_owned(ctx, runner)


def authorize_management(ctx: ReadContext, runner: Runner) -> None:
    """Refuse with 403 unless the caller is an administrator or owns the runner."""
    if not can_manage(ctx, runner):
        raise Forbidden(_NO_ACCESS, reason=f"runner {runner.id} is in no project or group that the caller manages")


def authorize_read(ctx: ReadContext, runner: Runner) -> None:
    """Refuse with 403 unless the caller may see a runner: those of the instance everybody may see."""
    if runner.runner_type != "instance_type" and not _is_used_by_group(ctx, runner):
        authorize_management(ctx, runner)


def _is_used_by_group(ctx: ReadContext, runner: Runner) -> bool:
    """Return whether the caller maintains the group of a runner, or a project below it that uses its runners."""
    if runner.group_id is None or not ctx.profile.has(GROUP_MAINTAINERS_READ_RUNNERS):
        return False
    world, group = ctx.world, ctx.world.namespaces[runner.group_id]
    if can(ctx, Ability.READ_GROUP_RUNNERS, group):
        return True
    projects = namespaces.list_projects_within(world, group)
    return any(project.group_runners_enabled and can(ctx, Ability.ADMIN_PROJECT, project) for project in projects)


def authorize_deletion(ctx: ReadContext, runner: Runner) -> None:
    """Refuse with 403 unless the caller may delete a runner; one of several projects only administrators may."""
    if not ctx.admin and len(ctx.world.runner_projects.where("runner", runner.id)) > 1:
        raise Forbidden("Runner associated with more than one project")
    authorize_management(ctx, runner)


def authorize_enabling(ctx: ReadContext, runner: Runner) -> None:
    """Refuse with 403 unless the caller may enable a runner for another project."""
    if runner.runner_type == "group_type":
        raise Forbidden("Runner is a group runner")
    if runner.locked and not ctx.admin:
        raise Forbidden("Runner is locked")
    authorize_management(ctx, runner)


# Registration


def instance_registration_token(world: World) -> str:
    """Return the token that registers runners of the instance: the one in the settings, or one from the seed."""
    drawn = random_bytes(world.setup.seed, "runners registration token", 0, _TOKEN_BYTES)
    return world.settings.runners_registration_token or drawn.hex()


def reset_registration_token(ctx: WriteContext, container: Project | Group | None) -> str:
    """Replace the token that registers runners of a project, of a group or of the instance; return the new one."""
    token = ctx.random_hex("runners registration token", _TOKEN_BYTES)
    if container is None:
        settings.change(ctx, {"runners_registration_token": token})
    elif isinstance(container, Project):
        ctx.world.projects.change(container, runners_token=token)
    else:
        ctx.world.namespaces.change(container, runners_token=token)
    return token


class RunnerFields(TypedDict, total=False):
    """Fields of a runner."""

    token: str
    created_at: str
    updated_at: str
    description: str | None
    active: bool
    locked: bool
    run_untagged: bool
    access_level: RunnerAccessLevel
    maximum_timeout: int | None
    tag_list: tuple[str, ...]
    maintenance_note: str | None
    creator_id: int | None
    name: str | None
    version: str | None
    revision: str | None
    platform: str | None
    architecture: str | None
    executor: str | None
    ip_address: str | None
    contacted_at: str | None
    token_expires_at: str | None
    token_rotation_deadline: str | None


def register(ctx: WriteContext, registration_token: str, **fields: Unpack[RunnerFields]) -> Runner:
    """Create the runner of the instance, the project or the group that a registration token belongs to."""
    if not ctx.world.settings.allow_runner_registration_token:
        reason = "the setting allow_runner_registration_token is off"
        raise GoneWithReason("runner registration disallowed", reason=reason)
    if registration_token == instance_registration_token(ctx.world):
        return create(ctx, "instance_type", **fields)
    project = next((one for one in ctx.world.projects.all() if one.runners_token == registration_token), None)
    if project is not None:
        _check_registrar(ctx, "project")
        return create(ctx, "project_type", projects=[project], **fields)
    groups = (one for one in ctx.world.namespaces.all() if isinstance(one, Group))
    group = next((one for one in groups if one.runners_token == registration_token), None)
    if group is None:
        raise Forbidden(reason="the token registers runners neither of the instance nor of a project or group")
    _check_registrar(ctx, "group")
    return create(ctx, "group_type", group_id=group.id, **fields)


def _check_registrar(ctx: WriteContext, kind: str) -> None:
    if kind not in ctx.world.settings.valid_runner_registrars:
        raise Forbidden(reason=f"the setting valid_runner_registrars does not contain {kind}")


def create(
    ctx: WriteContext,
    runner_type: RunnerType,
    *,
    projects: Sequence[Project] = (),
    group_id: int | None = None,
    token_prefix: str = "",
    **fields: Unpack[RunnerFields],
) -> Runner:
    """Create a runner, enabled for some projects. ``token_prefix``: by default that of registered runners."""
    table, now = ctx.world.runners, ctx.now_iso
    values: RunnerFields = {"created_at": now, "updated_at": now, **fields}
    if not values.get("token"):
        prefix = token_prefix or ctx.profile.choose(REGISTERED_RUNNER_TOKEN_PREFIX)
        values["token"] = f"{prefix}{ctx.random_hex('runner token', _TOKEN_BYTES)}"
    values.setdefault("token_expires_at", _find_token_end(ctx, runner_type))
    runner = Runner(id=table.next_id(), runner_type=runner_type, group_id=group_id, **values)
    _list_errors(ctx, runner).refuse()
    _check_limits(ctx, projects, group_id)
    table.add(runner)
    for project in projects:
        _link(ctx, runner, project)
    return runner


def _find_token_end(ctx: WriteContext, runner_type: RunnerType) -> str | None:
    """Return when a new token of a runner expires; None if it does not."""
    settings_ = ctx.world.settings
    seconds = {
        "instance_type": settings_.runner_token_expiration_interval,
        "group_type": settings_.group_runner_token_expiration_interval,
        "project_type": settings_.project_runner_token_expiration_interval,
    }[runner_type]
    return to_iso(ctx.now() + seconds * SECOND) if seconds else None


def check_token_times(ctx: WriteContext, runner_type: RunnerType, end: str | None, deadline: str | None) -> None:
    """Refuse with 400 what a user says of the end of a new token, and of the time from which it is not replaced."""
    if end is None:
        if deadline is not None:
            raise _refuse_token_times("token_expires_at is required when token_rotation_deadline is specified")
        return
    if from_iso(end) < ctx.now() + _SHORTEST_TOKEN_LIFE:
        raise _refuse_token_times("token_expires_at must be at least 5 minutes in the future")
    longest = to_iso(ctx.now() + _LONGEST_TOKEN_LIFE)
    latest = min(longest, _find_token_end(ctx, runner_type) or longest)
    if end > latest:
        text = f"token_expires_at is too far in the future (maximum is {latest.partition('.')[0]}Z)"
        raise _refuse_token_times(text)
    if deadline is not None and ctx.has_passed(from_iso(deadline)):
        raise _refuse_token_times("token_rotation_deadline cannot be in the past")
    if deadline is not None and deadline > end:
        raise _refuse_token_times("token_rotation_deadline must be less than or equal to token_expires_at")


def _refuse_token_times(text: str) -> BadRequest:
    return BadRequest(f"400 Bad request - {text}", reason="a runner cannot have such a token")


def _check_limits(ctx: WriteContext, projects: Sequence[Project], group_id: int | None) -> None:
    """Refuse a runner above the limits of the plan, which count those that were created or seen lately."""
    if not ctx.profile.has(RUNNERS_ARE_LIMITED):
        return
    world, settings_ = ctx.world, ctx.world.settings
    for project in projects:
        ids = (link.runner_id for link in world.runner_projects.where("project", project.id))
        if sum(_is_recent(ctx, world.runners[id_]) for id_ in ids) >= settings_.ci_registered_project_runners > 0:
            text = (
                f"Maximum number of ci registered project runners ({settings_.ci_registered_project_runners}) exceeded"
            )
            raise InvalidRecord({"runner_projects.base": [text]})
    if group_id is None:
        return
    count = sum(_is_recent(ctx, runner) for runner in world.runners.where("group", group_id))
    if count >= settings_.ci_registered_group_runners > 0:
        text = f"Maximum number of ci registered group runners ({settings_.ci_registered_group_runners}) exceeded"
        raise InvalidRecord({"runner_namespaces.base": [text]})


def _is_recent(ctx: ReadContext, runner: Runner) -> bool:
    last_seen = from_iso(max(runner.created_at, runner.contacted_at or ""))
    return not ctx.has_passed(last_seen + ctx.profile.choose(RUNNER_STALE_DAYS) * DAY)


def reset_token(ctx: WriteContext, runner: Runner) -> Runner:
    """Give a runner a new token, with the prefix of the old one; 403 from the deadline for that on."""
    deadline = runner.token_rotation_deadline
    if deadline is not None and ctx.has_passed(from_iso(deadline)):
        raise ForbiddenError("Token rotation deadline has passed", reason=f"it was {deadline}")
    prefix = next((one for one in _PREFIXES if runner.token.startswith(one)), "")
    prefix = prefix or ctx.profile.choose(REGISTERED_RUNNER_TOKEN_PREFIX)
    token = f"{prefix}{ctx.random_hex('runner token', _TOKEN_BYTES)}"
    end = _find_token_end(ctx, runner.runner_type)
    values: RunnerFields = {"token": token, "token_expires_at": end, "token_rotation_deadline": None}
    return ctx.world.runners.change(runner, **values, updated_at=ctx.now_iso)


def update(ctx: WriteContext, runner: Runner, **fields: Unpack[RunnerFields]) -> Runner:
    """Change fields of a runner."""
    changed = evolve(runner, **fields)
    _list_errors(ctx, changed).refuse()
    return runner if changed == runner else ctx.world.runners.change(runner, **{"updated_at": ctx.now_iso, **fields})


def _list_errors(ctx: ReadContext, runner: Runner) -> ValidationErrors:
    errors = ValidationErrors()
    if ctx.profile.has(RUNNER_TAGS_ARE_LIMITED):
        errors.when(len(runner.tag_list) > _MAX_TAGS, "tags_list", _TOO_MANY_TAGS)
    untagged_text = "can not be empty when runner is not allowed to pick untagged jobs"
    errors.when(not (runner.tag_list or runner.run_untagged), "tags_list", untagged_text)
    too_long(errors, "maintenance_note", runner.maintenance_note, _LONGEST_NOTE)
    timeout = runner.maximum_timeout
    errors.when(timeout is not None and timeout < _MIN_TIMEOUT, "maximum_timeout", "needs to be at least 10 minutes")
    return errors


def read_details(info: Mapping[str, object]) -> dict[str, str]:
    """Return what a runner says of itself, without what is blank; an executor must be one of those that are known."""
    details = {name: str(info[name]) for name in _DETAILS if info.get(name)}
    if details.get("executor", _UNKNOWN) not in _EXECUTORS:
        details["executor"] = _UNKNOWN
    return details


def record_contact(ctx: WriteContext, runner: Runner, ip_address: str | None, details: Mapping[str, str]) -> Runner:
    """Record that a runner contacted the platform. This is no update of the runner."""
    stated = {name: value for name, value in details.items() if name != "name"}
    return ctx.world.runners.change(runner, ip_address=ip_address, contacted_at=ctx.now_iso, **stated)


# Managers


def list_managers(world: World, runner: Runner) -> Sequence[RunnerManager]:
    """Return the machines that run jobs with the token of a runner."""
    return world.runner_managers.where("runner", runner.id)


def get_manager(world: World, runner: Runner, system_id: str) -> RunnerManager:
    """Return the manager of a runner with a system id, or refuse with 404."""
    manager = world.runner_managers.find("pair", (runner.id, system_id))
    if manager is None:
        known = ", ".join(one.system_id for one in list_managers(world, runner)) or "none"
        raise NotFound("Runner manager not found", reason=f"the managers of runner {runner.id} are: {known}")
    return manager


def ensure_manager(ctx: WriteContext, runner: Runner, system_id: str | None) -> RunnerManager | None:
    """Return the manager of a runner that sent a request, which its first request creates.

    Runners that send no system id share one manager. None in releases without managers.
    """
    if not ctx.profile.has(RUNNERS_HAVE_MANAGERS):
        return None
    table, name = ctx.world.runner_managers, _LEGACY_SYSTEM_ID if system_id is None else system_id
    existing = table.find("pair", (runner.id, name))
    return existing or table.add(RunnerManager(table.next_id(), runner.id, name, ctx.now_iso, ctx.now_iso))


def record_manager_contact(
    ctx: WriteContext, manager: RunnerManager | None, ip_address: str | None, details: Mapping[str, str]
) -> None:
    """Record that a manager contacted the platform, and what it said of itself."""
    stated = {name: value for name, value in details.items() if name != "name"}
    if manager is not None:
        ctx.world.runner_managers.change(manager, ip_address=ip_address, contacted_at=ctx.now_iso, **stated)


def delete_manager(ctx: WriteContext, runner: Runner, manager: RunnerManager) -> None:
    """Delete a manager of a runner; without managers, the runner has never contacted the platform."""
    purge(ctx, manager)
    if not list_managers(ctx.world, runner):
        ctx.world.runners.change(runner, contacted_at=None)


# Activity


def sort_by_activity(world: World, found: Iterable[Runner]) -> list[Runner]:
    """Return the runners that run jobs, those with the most jobs first; from a thousand jobs on all count the same."""
    counts = {runner: min(len(list_jobs(world, runner, "running")), _MOST_COUNTED) for runner in found}
    busy = (runner for runner, count in counts.items() if count)
    return sorted(busy, key=lambda runner: (-counts[runner], -runner.id))


def list_waits(world: World, found: Iterable[Runner]) -> list[int]:
    """Return how long (ms) each of the last hundred jobs that runners started had been queued."""
    newest = sorted(found, key=lambda runner: -runner.id)[:_MOST_RUNNERS]
    started = [job for runner in newest for job in world.jobs.where("runner", runner.id) if job.started_at is not None]
    last = sorted(started, key=lambda job: -job.id)[:_MOST_JOBS]
    return [from_iso(job.started_at) - from_iso(job.queued_at) for job in last if job.started_at and job.queued_at]


def find_percentile(ordered: Sequence[int], percent: int) -> float | None:
    """Return the seconds at a place in times (ms) in ascending order, between two of them in proportion."""
    if not ordered:
        return None
    index, part = divmod((len(ordered) - 1) * percent, 100)
    following = ordered[min(index + 1, len(ordered) - 1)]
    return round((ordered[index] + (following - ordered[index]) * part / 100) / SECOND, 3)


# Projects


def set_projects(ctx: WriteContext, runner: Runner, projects: Iterable[Project]) -> Runner:
    """Enable a runner of projects for exactly some projects, besides that which it was enabled for first."""
    links = list(ctx.world.runner_projects.where("runner", runner.id))
    wanted = {link.project_id for link in links[:1]} | {project.id for project in projects}
    for link in links:
        if link.project_id not in wanted:
            purge(ctx, link)
    for id_ in sorted(wanted - {link.project_id for link in links}):
        runner = enable(ctx, runner, ctx.world.projects[id_])
    return runner


def enable(ctx: WriteContext, runner: Runner, project: Project) -> Runner:
    """Enable a runner for a project. A runner of the instance becomes one of the project."""
    if ctx.world.runner_projects.find("pair", (runner.id, project.id)) is not None:
        invalid = _INVALID_LINK if ctx.profile.has(RUNNER_ASSIGNMENTS_NAME_REASONS) else _TAKEN
        raise InvalidRecord({"assign_to": [f"Validation failed: {invalid}"]})
    _link(ctx, runner, project)
    if runner.runner_type == "instance_type":
        return ctx.world.runners.change(runner, runner_type="project_type", updated_at=ctx.now_iso)
    return runner


def _link(ctx: WriteContext, runner: Runner, project: Project) -> None:
    table, now = ctx.world.runner_projects, ctx.now_iso
    table.add(RunnerProject(table.next_id(), runner.id, project.id, now, now))


def authorize_disabling(ctx: ReadContext, project: Project, runner_id: int) -> None:
    """Refuse with 403 a caller who may not disable a runner: a locked one, or for the project that owns it."""
    if ctx.admin or not ctx.profile.has(DISABLING_RUNNERS_NEEDS_ACCESS):
        return
    link = _get_link(ctx.world, project, runner_id)
    if ctx.world.runners[runner_id].locked:
        raise Forbidden("Runner is locked")
    if link == ctx.world.runner_projects.where("runner", runner_id)[0]:
        raise Forbidden(_NO_ACCESS, reason="the project owns the runner")


def _get_link(world: World, project: Project, runner_id: int) -> RunnerProject:
    link = world.runner_projects.find("pair", (runner_id, project.id))
    if link is None:
        raise NotFound("Runner", reason=f"runner {runner_id} is not enabled for {describe(world, project)}")
    return link


def disable(ctx: WriteContext, project: Project, runner_id: int) -> None:
    """Disable a runner for a project: 404 if it is not enabled, 403 if it would be left without owner."""
    link = _get_link(ctx.world, project, runner_id)
    links = ctx.world.runner_projects.where("runner", runner_id)
    if ctx.profile.has(RUNNERS_STAY_WITH_THEIR_OWNER):
        if link == links[0]:
            raise Forbidden(_STAYS_WITH_OWNER)
    elif len(links) == 1:
        raise Forbidden("Only one project associated with the runner. Please remove the runner instead")
    ctx.check_unmodified_since(link.updated_at)
    purge(ctx, link)
