"""Runners. Source: docs/platform/graphql.md, docs/platform/runners.md."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypedDict, Unpack, get_args

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import HOUR, from_iso
from fakeplat.domain.ci import runners
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.graphql.ci.job_fields import select as select_jobs
from fakeplat.graphql.ci.jobs import JOB
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import CURRENT_USER
from fakeplat.graphql.project_lists import ProjectFilters, parse_sort, select_projects
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Scalar, Type
from fakeplat.model.ci import Job, Runner, RunnerAccessLevel, RunnerManager, RunnerType
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.behaviours import RUNNER_STATUSES_LEAVE_PAUSES_OUT
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=14.1"
_NEVER: Final = "9999"
_STATUSES: Final[Mapping[str, EnumValue]] = {
    "ONLINE": ("online", "It contacted the platform lately."),
    "OFFLINE": ("offline", "It has not contacted the platform for some time."),
    "STALE": ("stale", "It has not contacted the platform for long.", Lifetime(since="14.6")),
    "NEVER_CONTACTED": ("never_contacted", "It never contacted the platform.", Lifetime(since="14.6")),
    "NOT_CONNECTED": ("not_connected", "It never contacted the platform.", Lifetime(until="15.0")),
    "ACTIVE": ("active", "It takes jobs.", Lifetime(until="<=18.5")),
    "PAUSED": ("paused", "It takes no jobs.", Lifetime(until="<=18.5")),
}
Enumeration("CiRunnerStatus", "Whether a runner is there.", _STATUSES, since=_SINCE)


def _enumerate(name: str, description: str, values: Iterable[str]) -> None:
    Enumeration(name, description, {value.upper(): (value, f"The value {value}.") for value in values}, since=_SINCE)


_enumerate("CiRunnerType", "For whom a runner runs jobs.", get_args(RunnerType))
_enumerate("CiRunnerAccessLevel", "Of which refs a runner runs jobs.", get_args(RunnerAccessLevel))
_BY_CREATION: Final = ("created_at", True)
_BY_ACTIVITY: Final = "activity"
_SORTS: Final[Mapping[str, EnumValue]] = {
    "CONTACTED_ASC": (("contacted_at", False), "By contact, oldest first."),
    "CONTACTED_DESC": (("contacted_at", True), "By contact, newest first."),
    "CREATED_ASC": (("created_at", False), "By creation, oldest first."),
    "CREATED_DESC": (_BY_CREATION, "By creation, newest first."),
    "TOKEN_EXPIRES_AT_ASC": (("token_expires_at", False), "By the end of the token.", Lifetime(since="<=14.9")),
    "MOST_ACTIVE_DESC": ((_BY_ACTIVITY, True), "By running jobs, most first.", Lifetime(since="16.2")),
    "TOKEN_EXPIRES_AT_DESC": (("token_expires_at", True), "By the end of the token.", Lifetime(since="<=14.9")),
}
Enumeration("CiRunnerSort", "The order of runners.", _SORTS, since=_SINCE)
Enumeration(
    "CiRunnerJobExecutionStatus",
    "Whether a runner is at work.",
    {
        "IDLE": ("idle", "It is not."),
        "RUNNING": ("running", "It runs jobs.", Lifetime(until="<=18.2")),
        "ACTIVE": ("running", "It runs jobs.", Lifetime(since="<=18.2")),
    },
    since="15.7",
)
Enumeration(
    "CiRunnerMembershipFilter",
    "Of which groups to list runners.",
    {
        "DIRECT": ("direct", "Of the group."),
        "DESCENDANTS": ("descendants", "Of the group, and of the groups and projects below it."),
        "ALL_AVAILABLE": ("all_available", "All that the group can use."),
    },
    since="<=15.8",
)
Enumeration(
    "RunnerMembershipFilter",
    "Of which groups to list runners.",
    {
        "DIRECT": ("direct", "Of the group."),
        "DESCENDANTS": ("descendants", "Of the group, and of the groups and projects below it."),
    },
    since="<=14.3",
    until="<=15.8",
)
Scalar("CiRunnerID", "The global ID of a runner.", since=_SINCE)

RUNNER = Type("CiRunner", "A runner.", gid="Ci::Runner", since=_SINCE, has_count=True, count_since="<=14.9")
RUNNER.attributes(
    {
        "description: String": "The description.",
        "locked: Boolean": "Whether it cannot be enabled for other projects.",
        "maximumTimeout: Int": "The longest time of a job in seconds.",
        "accessLevel: CiRunnerAccessLevel!": "Of which refs it runs jobs.",
        "runUntagged: Boolean!": "Whether it runs jobs without tags.",
        "runnerType: CiRunnerType!": "For whom it runs jobs.",
        "active: Boolean!": "Whether it takes jobs.",
        "tagList: [String!]": "The tags.",
        "contactedAt: Time": "Timestamp of the last contact.",
    }
)
RUNNER.attributes({"createdAt: Time": "Timestamp of creation."}, since="<=14.9")
RUNNER.attributes({"maintenanceNote: String": "A note of its managers."}, since="<=15.3")
RUNNER.attributes(
    {"ipAddress: String": "The address.", "version: String": "The version.", "revision: String": "The revision."},
    until="<=18.5",
)


@RUNNER.field("shortSha: String")
def short_sha(_ctx: ReadContext, runner: Runner) -> str:
    """The beginning of its token, without the prefix."""
    return runner.token.rpartition("-")[2][:8]


@RUNNER.field("paused: Boolean!", since="<=14.9")
def is_paused(_ctx: ReadContext, runner: Runner) -> bool:
    """Whether it takes no jobs."""
    return not runner.active


_WITH_PAUSED: Final = "14.5"
_STATUS: Final = (
    f'legacyMode: String = "{_WITH_PAUSED}" @lifetime(since: "14.6", until: "15.0"), '
    'legacyMode: String @lifetime(since: "15.0", until: "<=18.2")'
)


@RUNNER.field(f"status({_STATUS}): CiRunnerStatus!")
def status_of(ctx: ReadContext, runner: Runner, legacy_mode: str | None = None) -> str:
    """Whether it is there; at first and in legacy mode also whether it is paused."""
    if legacy_mode == _WITH_PAUSED or not ctx.profile.has(RUNNER_STATUSES_LEAVE_PAUSES_OUT):
        return runners.status_of(ctx, runner)
    if runners.is_stale(ctx, runner):
        return "stale"
    if runner.contacted_at is None:
        return "never_contacted"
    return "online" if runners.is_online(ctx, runner) else "offline"


@RUNNER.field("jobExecutionStatus: CiRunnerJobExecutionStatus", since="15.7")
def job_execution_status(ctx: ReadContext, runner: Runner) -> str:
    """Whether it is at work."""
    return "running" if runners.is_busy(ctx.world, runner) else "idle"


@RUNNER.field('jobCount(statuses: [CiJobStatus!] @lifetime(since: "16.2")): Int')
def job_count(ctx: ReadContext, runner: Runner, statuses: Sequence[str] | None = None) -> int:
    """Number of the jobs that it took."""
    return len(select_jobs(runners.list_jobs(ctx.world, runner), statuses))


@RUNNER.field("maintenanceNoteHtml: String", since="<=15.3")
def maintenance_note_html(ctx: ReadContext, runner: Runner) -> str:
    """The note of its managers rendered as HTML."""
    return markup.render_html(ctx, runner.maintenance_note or "", None)


Enumeration(
    "CiRunnerCreationMethod",
    "How a runner came to be.",
    {
        "REGISTRATION_TOKEN": ("registration_token", "By a registration token."),
        "AUTHENTICATED_USER": ("authenticated_user", "By a user."),
    },
    since="17.0",
)
Enumeration(
    "CiRunnerCreationState",
    "Whether the creation of a runner is done.",
    {"STARTED": ("started", "It was not there yet."), "FINISHED": ("finished", "It was there.")},
    since="<=18.5",
)


@RUNNER.field("creationMethod: CiRunnerCreationMethod", since="17.0")
def creation_method(_ctx: ReadContext, runner: Runner) -> str:
    """How it came to be."""
    return "registration_token" if runner.creator_id is None else "authenticated_user"


@RUNNER.field("creationState: CiRunnerCreationState", since="<=18.5")
def creation_state(_ctx: ReadContext, runner: Runner) -> str:
    """Whether its creation is done: a runner that a user created has to register."""
    is_done = runner.creator_id is None or runner.contacted_at is not None
    return "finished" if is_done else "started"


_OLD: Final = "<=15.0"


@RUNNER.field("executorName: String", since=_OLD, until="<=18.5")
def executor_of_runner(_ctx: ReadContext, runner: Runner) -> str | None:
    """How it runs jobs."""
    return runner.executor


@RUNNER.field("platformName: String", since=_OLD, until="<=18.5")
def platform_of_runner(_ctx: ReadContext, runner: Runner) -> str | None:
    """The platform."""
    return runner.platform


@RUNNER.field("architectureName: String", since=_OLD, until="<=18.5")
def architecture_of_runner(_ctx: ReadContext, runner: Runner) -> str | None:
    """The architecture."""
    return runner.architecture


@RUNNER.field("registerAdminUrl: String", since="<=16.2")
def register_admin_url(ctx: ReadContext, runner: Runner) -> str | None:
    """The URL at which administrators register it, as long as that can be done."""
    is_new = ephemeral_token(ctx, runner) is not None and runner.runner_type == "instance_type"
    return f"{ctx.origin}/admin/runners/{runner.id}/register" if ctx.admin and is_new else None


@RUNNER.field("projectCount: Int")
def project_count(ctx: ReadContext, runner: Runner) -> int | None:
    """Number of the projects that it is enabled for, if it is a runner of projects."""
    return len(runners.list_projects(ctx.world, runner)) if runner.runner_type == "project_type" else None


@RUNNER.field("jobs(statuses: [CiJobStatus!]): CiJobInterfaceConnection", since="<=18.5", calls=1)
@RUNNER.field("jobs(statuses: [CiJobStatus!]): CiJobConnection", since="<=14.9", until="<=18.5", calls=1)
def jobs_of(ctx: ReadContext, runner: Runner, statuses: Sequence[str] | None = None) -> Sequence[Job] | None:
    """The jobs that it took and that the caller may read, newest first, for those who manage it."""
    if not may_update(ctx, runner):
        return None
    found = runners.list_jobs(ctx.world, runner)
    readable = [job for job in found if can(ctx, Ability.READ_BUILD, ctx.world.projects[job.project_id])]
    return select_jobs(readable, statuses)


_SEARCH_SINCE: Final = "<=15.8"


@RUNNER.field(
    f'projects(search: String @lifetime(since: "{_SEARCH_SINCE}"), '
    f'searchNamespaces: Boolean @lifetime(since: "{_SEARCH_SINCE}"), '
    f'topics: [String!] @lifetime(since: "{_SEARCH_SINCE}"), membership: Boolean @lifetime(since: "{_SEARCH_SINCE}"), '
    f'sort: String = "id_asc" @lifetime(since: "{_SEARCH_SINCE}"), '
    'personal: Boolean @lifetime(since: "<=18.5"), namespacePath: ID @lifetime(since: "<=18.5")): ProjectConnection',
    since="<=14.9",
)
def projects_of(
    ctx: ReadContext, runner: Runner, sort: str | None = None, **filters: Unpack[ProjectFilters]
) -> Sequence[Project] | None:
    """The projects that it is enabled for, if it is a runner of projects."""
    if runner.runner_type != "project_type":
        return None
    return select_projects(ctx, runners.list_projects(ctx.world, runner), parse_sort(sort or "id_asc"), filters)


@RUNNER.field("groups: GroupConnection", since="<=14.9")
def groups_of(ctx: ReadContext, runner: Runner) -> Sequence[Group] | None:
    """The group, if it is a runner of one."""
    group = ctx.world.namespaces.get(runner.group_id) if runner.group_id is not None else None
    return [group] if isinstance(group, Group) and can_see(ctx, group) else None


@RUNNER.field("ownerProject: Project", since="<=15.3")
def owner_project(ctx: ReadContext, runner: Runner) -> Project | None:
    """The first of the projects that it is enabled for, if the caller can see it."""
    owner = next(iter(runners.list_projects(ctx.world, runner)), None)
    return owner if owner is not None and runner.runner_type == "project_type" and can_see(ctx, owner) else None


@RUNNER.field("createdBy: User", since="<=16.2")
def created_by(ctx: ReadContext, runner: Runner) -> User | None:
    """The user who created it."""
    return ctx.world.users.get(runner.creator_id) if runner.creator_id is not None else None


@RUNNER.field("adminUrl: String", since="<=14.9")
def admin_url(ctx: ReadContext, runner: Runner) -> str | None:
    """The URL of the page for administrators."""
    return f"{ctx.origin}/admin/runners/{runner.id}" if ctx.admin else None


@RUNNER.field("editAdminUrl: String", since="<=14.9")
def edit_admin_url(ctx: ReadContext, runner: Runner) -> str | None:
    """The URL at which administrators change it."""
    return f"{ctx.origin}/admin/runners/{runner.id}/edit" if ctx.admin else None


@RUNNER.field("tokenExpiresAt: Time", since="<=14.9")
def token_expires_at(_ctx: ReadContext, runner: Runner) -> str | None:
    """Timestamp at which the token ends."""
    return runner.token_expires_at


@RUNNER.field("ephemeralAuthenticationToken: String", since="15.9")
def ephemeral_token(ctx: ReadContext, runner: Runner) -> str | None:
    """The token, for the user who created it, within an hour and until it is used."""
    is_creator = ctx.viewer is not None and ctx.viewer.id == runner.creator_id
    is_new = runner.contacted_at is None and not ctx.has_passed(from_iso(runner.created_at) + HOUR)
    return runner.token if is_creator and is_new else None


@RUNNER.field("ephemeralRegisterUrl: String", since="15.11")
def ephemeral_register_url(ctx: ReadContext, runner: Runner) -> str | None:
    """The URL at which the user who created it registers it, as long as that can be done."""
    if ephemeral_token(ctx, runner) is None:
        return None
    if runner.runner_type == "instance_type":
        return f"{ctx.origin}/admin/runners/{runner.id}/register"
    if runner.group_id is not None:
        return f"{urls.namespace_url(ctx, ctx.world.namespaces[runner.group_id])}/-/runners/{runner.id}/register"
    owner = next(iter(runners.list_projects(ctx.world, runner)), None)
    return f"{urls.project_url(ctx, owner)}/-/runners/{runner.id}/register" if owner is not None else None


PERMISSIONS = Type("RunnerPermissions", "What the caller may do with a runner.", since="<=14.9")


@RUNNER.field("userPermissions: RunnerPermissions!", since="<=14.9")
def user_permissions(_ctx: ReadContext, runner: Runner) -> Runner:
    """What the caller may do."""
    return runner


@PERMISSIONS.field("readRunner: Boolean!")
def may_read(ctx: ReadContext, runner: Runner) -> bool:
    """Whether the caller may read it."""
    return may_update(ctx, runner) or (runner.runner_type == "instance_type" and _is_maintainer_somewhere(ctx))


def _is_maintainer_somewhere(ctx: ReadContext) -> bool:
    """Return whether the caller maintains a project or group, which can use the runners of the instance."""
    user_id = ctx.viewer.id if ctx.viewer is not None else 0
    return any(member.access_level >= Level.MAINTAINER for member in ctx.world.members.where("user", user_id))


@PERMISSIONS.field("updateRunner: Boolean!")
@PERMISSIONS.field("assignRunner: Boolean!", since="<=15.8")
@PERMISSIONS.field("deleteRunner: Boolean!")
def may_update(ctx: ReadContext, runner: Runner) -> bool:
    """Whether the caller manages it."""
    return ctx.admin or runners.is_owned(ctx, runner)


# Managers

MANAGER = Type(
    "CiRunnerManager",
    "A machine that runs the jobs of a runner.",
    gid="Ci::RunnerManager",
    since="15.10",
    has_count=True,
    count_since="<=18.2",
)
MANAGER.attributes(
    {
        "systemId: String!": "The name of the machine.",
        "contactedAt: Time": "Timestamp of the last contact.",
        "createdAt: Time": "Timestamp of the first contact.",
        "ipAddress: String": "The address.",
        "version: String": "The version.",
        "revision: String": "The revision.",
    }
)


@MANAGER.field("platformName: String")
def platform_name(_ctx: ReadContext, manager: RunnerManager) -> str | None:
    """The platform."""
    return manager.platform


@MANAGER.field("architectureName: String")
def architecture_name(_ctx: ReadContext, manager: RunnerManager) -> str | None:
    """The architecture."""
    return manager.architecture


@MANAGER.field("executorName: String")
def executor_name(_ctx: ReadContext, manager: RunnerManager) -> str | None:
    """How it runs jobs."""
    return manager.executor


@MANAGER.field("status: CiRunnerStatus!")
def status_of_manager(ctx: ReadContext, manager: RunnerManager) -> str:
    """Whether it is there."""
    return runners.status_of(ctx, manager)


@MANAGER.field("jobExecutionStatus: CiRunnerJobExecutionStatus", since="16.3")
def job_execution_status_of_manager(ctx: ReadContext, manager: RunnerManager) -> str:
    """Whether it is at work."""
    return "running" if runners.is_manager_busy(ctx.world, manager) else "idle"


@MANAGER.field("runner: CiRunner")
def runner_of(ctx: ReadContext, manager: RunnerManager) -> Runner:
    """The runner."""
    return ctx.world.runners[manager.runner_id]


@RUNNER.field(
    'managers(systemId: String @lifetime(since: "<=18.5"), status: CiRunnerStatus @lifetime(since: "<=18.5")): '
    "CiRunnerManagerConnection",
    since="15.10",
)
def managers_of(
    ctx: ReadContext, runner: Runner, system_id: str | None = None, status: str | None = None
) -> Sequence[RunnerManager]:
    """The machines that run its jobs, the newest first."""
    found = sorted(runners.list_managers(ctx.world, runner), key=lambda manager: -manager.id)
    return [
        manager
        for manager in found
        if system_id in (None, manager.system_id) and status in (None, runners.status_of(ctx, manager))
    ]


# Lists


class RunnerFilters(TypedDict, total=False):
    """The arguments of lists of runners."""

    paused: bool | None
    active: bool | None
    status: str | None
    type: str | None
    tag_list: list[str] | None
    search: str | None
    sort: tuple[str, bool] | None
    creator_id: str | None
    creator_username: str | None
    version_prefix: str | None
    owner_full_path: str | None


_ONLY_OF_GROUPS: Final = "MOST_ACTIVE_DESC sorting is only available for groups or when type is INSTANCE_TYPE"
_ONLY_DIRECT: Final = "MOST_ACTIVE_DESC sorting is only supported on groups when membership is DIRECT"
_WITHOUT_PAUSED: Final = """status: CiRunnerStatus, type: CiRunnerType, tagList: [String!], search: String,
    sort: CiRunnerSort, creatorId: UserID @lifetime(since: "<=16.9"),
    creatorUsername: String @lifetime(since: "16.7"),
    versionPrefix: String @lifetime(since: "16.6"), ownerFullPath: String @lifetime(since: "17.8")"""
_ARGUMENTS: Final = f"""paused: Boolean @lifetime(since: "<=14.9"), active: Boolean @lifetime(since: "<=15.3"),
    {_WITHOUT_PAUSED}"""


def _select(ctx: ReadContext, found: Iterable[Runner], filters: RunnerFilters) -> list[Runner]:
    paused, tags = filters.get("paused"), filters.get("tag_list")
    if filters.get("active") is not None:
        paused = not filters.get("active")
    text = (filters.get("search") or "").lower()
    creator_id = filters.get("creator_id")
    creator = parse_id(ctx, creator_id, "User") if creator_id else None
    username, prefix = filters.get("creator_username"), filters.get("version_prefix") or ""
    matching = [
        runner
        for runner in runners.select(ctx, found, [filters.get("status"), filters.get("type")], tags or None)
        if paused in (None, not runner.active)
        and (not text or text in (runner.description or "").lower() or runner.token == filters.get("search"))
        and creator in (None, runner.creator_id)
        and (not username or _is_named(ctx, runner.creator_id, username))
        and (runner.version or "").startswith(prefix)
        and (not filters.get("owner_full_path") or _is_owned_by(ctx, runner, filters["owner_full_path"] or ""))
    ]
    column, descending = filters.get("sort") or _BY_CREATION
    if column == _BY_ACTIVITY:
        return runners.sort_by_activity(ctx.world, matching)
    # Runners without contact are the oldest, and tokens without end those that end last.
    missing = _NEVER if column == "token_expires_at" else ""
    newest_first = sorted(matching, key=lambda runner: -runner.id)
    return sorted(newest_first, key=lambda runner: getattr(runner, column) or missing, reverse=descending)


def _is_by_activity(filters: RunnerFilters) -> bool:
    return (filters.get("sort") or _BY_CREATION)[0] == _BY_ACTIVITY


def _check_sort(ctx: ReadContext, filters: RunnerFilters) -> None:
    """Refuse the order by activity but for runners of the instance."""
    if _is_by_activity(filters):
        if filters.get("type") != "instance_type":
            raise GraphQLError(_ONLY_OF_GROUPS)
        _check_licence(ctx, "runner_performance_insights")


def _check_group_sort(ctx: ReadContext, group: Group, membership: str | None) -> None:
    """Refuse the order by activity but for the runners of a group itself."""
    if membership != "direct":
        raise GraphQLError(_ONLY_DIRECT)
    _check_licence(ctx, "runner_performance_insights_for_namespace", group)


def _check_licence(ctx: ReadContext, feature: str, group: Group | None = None) -> None:
    if not has_feature(ctx.world, "ultimate", group):
        raise GraphQLError(f"{feature} feature is required for MOST_ACTIVE_DESC sorting")


def _is_owned_by(ctx: ReadContext, runner: Runner, full_path: str) -> bool:
    """Return whether a runner is one of the group, or of the project, at a path."""
    group = namespaces.find_by_path(ctx.world, full_path)
    if group is not None:
        return runner.group_id == group.id
    project = namespaces.find_project_by_path(ctx.world, full_path)
    return project is not None and project in runners.list_projects(ctx.world, runner)


def _is_named(ctx: ReadContext, user_id: int | None, username: str) -> bool:
    user = ctx.world.users.get(user_id) if user_id is not None else None
    return user is not None and user.username.lower() == username.lower()


def _check(ctx: ReadContext, allowed: bool) -> None:
    if not allowed:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not list these runners")


@QUERY.field("runner(id: CiRunnerID!): CiRunner", since=_SINCE)
def find_runner(ctx: ReadContext, id: str) -> Runner | None:
    """The runner with a global ID, if the caller may read it."""
    runner = ctx.world.runners.get(parse_id(ctx, id, "Ci::Runner"))
    return runner if runner is not None and ctx.viewer is not None and may_read(ctx, runner) else None


@QUERY.field(f"runners({_ARGUMENTS}): CiRunnerConnection", since=_SINCE)
def list_runners(ctx: ReadContext, **filters: Unpack[RunnerFilters]) -> Sequence[Runner]:
    """All runners, for administrators."""
    _check_sort(ctx, filters)
    _check(ctx, ctx.admin)
    return _select(ctx, runners.list_all(ctx.world), filters)


_OF_CALLER: Final = re.sub(r" @lifetime\([^)]*\)", "", _WITHOUT_PAUSED)
_IN_PROJECT: Final = _ARGUMENTS.replace(' @lifetime(since: "<=14.9")', "").replace(' @lifetime(since: "<=15.3")', "")


@PROJECT.field(f"runners({_IN_PROJECT}): CiRunnerConnection", since="<=15.8")
def runners_of_project(ctx: ReadContext, project: Project, **filters: Unpack[RunnerFilters]) -> Sequence[Runner]:
    """The runners that the project can use, for its maintainers."""
    _check_sort(ctx, filters)
    _check(ctx, can(ctx, Ability.ADMIN_PROJECT, project))
    return _select(ctx, runners.list_available_to_project(ctx.world, project), filters)


@GROUP.field(
    f'runners({_ARGUMENTS}, membership: RunnerMembershipFilter = DESCENDANTS @lifetime(until: "<=15.8"), '
    'membership: CiRunnerMembershipFilter = DESCENDANTS @lifetime(since: "<=15.8")): '
    "CiRunnerConnection",
    since="<=14.3",
)
def runners_of_group(
    ctx: ReadContext,
    group: Group,
    membership: Literal["direct", "descendants", "all_available"] | None = "descendants",
    **filters: Unpack[RunnerFilters],
) -> Sequence[Runner]:
    """The runners of the group, by default with those of the groups and projects below it."""
    if _is_by_activity(filters):
        _check_group_sort(ctx, group, membership)
    _check(ctx, can(ctx, Ability.READ_GROUP_RUNNERS, group))
    found: list[Runner] = [*ctx.world.runners.where("group", group.id)]
    if membership != "direct":
        found += _list_below(ctx, group)
    if membership == "all_available":
        found += runners.list_available_to_group(ctx, group)
    return _select(ctx, {runner.id: runner for runner in found}.values(), filters)


def _list_below(ctx: ReadContext, group: Group) -> Iterable[Runner]:
    for each in namespaces.list_descendants(ctx.world, group):
        yield from ctx.world.runners.where("group", each.id)
    for project in namespaces.list_projects_within(ctx.world, group):
        for link in ctx.world.runner_projects.where("project", project.id):
            yield ctx.world.runners[link.runner_id]


@CURRENT_USER.field(f"runners({_OF_CALLER}, paused: Boolean): CiRunnerConnection", since="18.3")
def own_runners(ctx: ReadContext, _user: User, **filters: Unpack[RunnerFilters]) -> Sequence[Runner]:
    """The runners that the caller manages."""
    _check_sort(ctx, filters)
    return _select(ctx, runners.list_owned(ctx), filters)


@JOB.field("runner: CiRunner", since="<=16.2")
def runner_of_job(ctx: ReadContext, job: Job) -> Runner | None:
    """The runner that took it, for those who may read its details."""
    runner = ctx.world.runners.get(job.runner_id) if job.runner_id is not None else None
    project = ctx.world.projects[job.project_id]
    return runner if runner is not None and can(ctx, Ability.READ_BUILD, project) else None


@JOB.field("runnerManager: CiRunnerManager", since="15.11")
def manager_of_job(ctx: ReadContext, job: Job) -> RunnerManager | None:
    """The machine that took it."""
    manager = ctx.world.runner_managers.get(job.runner_manager_id) if job.runner_manager_id is not None else None
    return manager if runner_of_job(ctx, job) is not None else None
