"""Which jobs may access a project with their tokens. Source: docs/platform/graphql.md ('Job tokens')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.ci import job_token_log, job_token_scope
from fakeplat.domain.people.members import container_of
from fakeplat.entities import urls
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.lookups import require_ability
from fakeplat.graphql.people import groups
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, Union
from fakeplat.model.ci import JobTokenAllowance, JobTokenAuthorization
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE
from fakeplat.policy.context import ReadContext

SCOPE_SINCE: Final = "<=14.1"
INBOUND_SINCE: Final = "<=16.2"
GROUPS_SINCE: Final = "<=17.5"
ENTRIES_SINCE: Final = "17.5"
LOG_SINCE: Final = "17.6"
AUTOPOPULATED_SINCE: Final = "17.9"
_POLICIES: Final = ("deployments", "environments", "jobs", "packages", "pipelines", "releases", "secure_files")

Enumeration(
    "CiJobTokenScopeDirection",
    "Whose jobs get access to whom.",
    {
        "INBOUND": ("inbound", "Jobs of other projects to the project."),
        "OUTBOUND": ("outbound", "Jobs of the project to other projects."),
    },
    since=INBOUND_SINCE,
)
Enumeration(
    "CiJobTokenScopePolicies",
    "What a job may do with its token.",
    {
        f"{verb}_{subject}".upper(): (f"{verb}_{subject}", f"{action} {subject.replace('_', ' ')}.")
        for subject in (*_POLICIES, "terraform_state")
        for verb, action in {"read": "Read", "admin": "Read and change"}.items()
    },
    since=ENTRIES_SINCE,
)
ACCESSIBLE_PROJECT: Final = Type(
    "CiJobTokenAccessibleProject",
    "A project whose jobs may access the project.",
    gid="Project",
    since=ENTRIES_SINCE,
)
ACCESSIBLE_GROUP: Final = Type(
    "CiJobTokenAccessibleGroup",
    "A group whose projects' jobs may access the project.",
    gid="Group",
    since=ENTRIES_SINCE,
)
for _type in (ACCESSIBLE_PROJECT, ACCESSIBLE_GROUP):
    _type.attributes({"name: String!": "The name.", "path: String!": "The last segment of the full path."})
TARGET: Final = Union(
    "CiJobTokenScopeTarget",
    "What an entry of the list gives access.",
    (ACCESSIBLE_PROJECT, ACCESSIBLE_GROUP),
    lambda target: (ACCESSIBLE_GROUP if isinstance(target, Group) else ACCESSIBLE_PROJECT).name,
    since=ENTRIES_SINCE,
)


@ACCESSIBLE_PROJECT.field("fullPath: ID!")
@ACCESSIBLE_GROUP.field("fullPath: ID!")
def full_path(ctx: ReadContext, target: Project | Group) -> str:
    """The full path."""
    return groups.full_path(ctx, target)


@ACCESSIBLE_PROJECT.field("webUrl: String")
@ACCESSIBLE_GROUP.field("webUrl: String")
def web_url(ctx: ReadContext, target: Project | Group) -> str:
    """The URL of the page."""
    return urls.namespace_url(ctx, target) if isinstance(target, Group) else urls.project_url(ctx, target)


@ACCESSIBLE_PROJECT.field("avatarUrl: String")
@ACCESSIBLE_GROUP.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, target: Project | Group) -> str | None:
    """The URL of the avatar."""
    return urls.avatar_url(ctx, "group" if isinstance(target, Group) else "project", target.id, target.avatar)


# The whole list


SCOPE: Final = Type("CiJobTokenScopeType", "Who may access a project with job tokens.", since=SCOPE_SINCE)


@PROJECT.field("ciJobTokenScope: CiJobTokenScopeType", since=SCOPE_SINCE)
def scope_of(ctx: ReadContext, project: Project) -> Project | None:
    """Who may access the project with job tokens."""
    require_ability(ctx, Ability.ADMIN_PROJECT, project)
    is_shown = project.job_token_scope_enabled or ctx.profile.has(INBOUND_JOB_TOKEN_SCOPE)
    return project if is_shown else None


@SCOPE.field("projects: ProjectConnection!")
@SCOPE.field("outboundAllowlist: ProjectConnection!", since=INBOUND_SINCE)
def outbound_projects(ctx: ReadContext, project: Project) -> Sequence[Routable]:
    """The projects that jobs of the project may access; only the project itself, since access is limited inbound."""
    if ctx.profile.has(INBOUND_JOB_TOKEN_SCOPE):
        return [project]
    return [target for target in _list_projects(ctx, project) if can_see(ctx, target)]


@SCOPE.field("inboundAllowlist: ProjectConnection!", since=INBOUND_SINCE, until=ENTRIES_SINCE)
def inbound_projects_before(ctx: ReadContext, project: Project) -> Sequence[Routable]:
    """The projects whose jobs may access the project, which is one of them."""
    return [target for target in _list_projects(ctx, project) if can_see(ctx, target)]


@SCOPE.field("inboundAllowlist: CiJobTokenAccessibleProjectConnection!", since=ENTRIES_SINCE)
def inbound_projects(ctx: ReadContext, project: Project) -> Sequence[Routable]:
    """The projects whose jobs may access the project, which is one of them."""
    return _list_projects(ctx, project)


@SCOPE.field("inboundAllowlistCount: Int!", since=ENTRIES_SINCE)
def count_inbound_projects(ctx: ReadContext, project: Project) -> int:
    """Number of projects whose jobs may access the project, with itself."""
    return len(_list_projects(ctx, project))


@SCOPE.field("groupsAllowlist: CiJobTokenAccessibleGroupConnection!", since=ENTRIES_SINCE)
def list_groups(ctx: ReadContext, project: Project) -> Sequence[Routable]:
    """The groups whose projects' jobs may access the project."""
    return job_token_scope.list_targets(ctx, project, "group")


@SCOPE.field("groupsAllowlistCount: Int!", since=ENTRIES_SINCE)
def count_groups(ctx: ReadContext, project: Project) -> int:
    """Number of groups whose projects' jobs may access the project."""
    return len(list_groups(ctx, project))


@SCOPE.field("groupAllowlistAutopopulatedIds: [GroupID!]!", since=AUTOPOPULATED_SINCE)
def autopopulated_groups(ctx: ReadContext, project: Project) -> list[str]:
    """The global IDs of the groups that come from the log."""
    return _list_autopopulated(ctx, project, "Group")


@SCOPE.field("inboundAllowlistAutopopulatedIds: [ProjectID!]!", since=AUTOPOPULATED_SINCE)
def autopopulated_projects(ctx: ReadContext, project: Project) -> list[str]:
    """The global IDs of the projects that come from the log."""
    return _list_autopopulated(ctx, project, "Project")


def _list_projects(ctx: ReadContext, project: Project) -> Sequence[Routable]:
    return job_token_scope.list_targets(ctx, project, "project")


def _list_autopopulated(ctx: ReadContext, project: Project, kind: str) -> list[str]:
    allowances = job_token_scope.list_allowances(ctx.world, project, kind.lower())
    return [global_id(ctx, kind, allowance.target[1]) for allowance in allowances if allowance.autopopulated]


# Its entries

ALLOWLIST: Final = Type("CiJobTokenScopeAllowlist", "Who may access a project, as entries.", since=LOG_SINCE)
ENTRY: Final = Type(
    "CiJobTokenScopeAllowlistEntry", "An entry of the list of a project.", has_count=True, since=ENTRIES_SINCE
)
ENTRY.attributes(
    {
        "defaultPermissions: Boolean": "Whether the jobs may do all that their user may.",
        "jobTokenPolicies: [CiJobTokenScopePolicies!]": "What the jobs may do without default permissions.",
    }
)
ENTRY.attributes({"autopopulated: Boolean": "Whether it comes from the log."}, since=AUTOPOPULATED_SINCE)


@PROJECT.field("ciJobTokenScopeAllowlist: CiJobTokenScopeAllowlist", since=LOG_SINCE)
def allowlist_of(ctx: ReadContext, project: Project) -> Project:
    """The entries of the list of those who may access the project with job tokens."""
    require_ability(ctx, Ability.ADMIN_PROJECT, project)
    return project


@ALLOWLIST.field("groupsAllowlist: CiJobTokenScopeAllowlistEntryConnection")
def group_entries(ctx: ReadContext, project: Project) -> Sequence[JobTokenAllowance]:
    """The entries of groups."""
    return job_token_scope.list_allowances(ctx.world, project, "group")


@ALLOWLIST.field("projectsAllowlist: CiJobTokenScopeAllowlistEntryConnection")
def project_entries(ctx: ReadContext, project: Project) -> Sequence[JobTokenAllowance]:
    """The entries of projects."""
    return job_token_scope.list_allowances(ctx.world, project, "project")


@ENTRY.field("sourceProject: Project!")
def source_project(ctx: ReadContext, entry: JobTokenAllowance) -> Project:
    """The project that has the entry."""
    return ctx.world.projects[entry.project_id]


@ENTRY.field("target: CiJobTokenScopeTarget")
def target_of(ctx: ReadContext, entry: JobTokenAllowance) -> Routable:
    """The project or group that gets access."""
    return container_of(ctx.world, entry.target)


@ENTRY.field("direction: String")
def direction_of(_ctx: ReadContext, _entry: JobTokenAllowance) -> str:
    """Whose jobs get access to whom."""
    return "inbound"


@ENTRY.field("addedBy: User")
def added_by(ctx: ReadContext, entry: JobTokenAllowance) -> User | None:
    """The user who added the entry."""
    return ctx.world.users.get(entry.added_by_id or 0)


@ENTRY.field("createdAt: Time!")
def created_at(ctx: ReadContext, entry: JobTokenAllowance) -> str:
    """Timestamp of creation."""
    return entry.created_at or ctx.world.projects[entry.project_id].created_at


# The log

LOG: Final = Type("CiJobTokenAuthLog", "The last access of jobs of a project.", has_count=True, since=LOG_SINCE)
LOG.attributes({"lastAuthorizedAt: Time!": "Timestamp of the last access."})


@PROJECT.field("ciJobTokenAuthLogs: CiJobTokenAuthLogConnection", since=LOG_SINCE)
def authorizations_of(ctx: ReadContext, project: Project) -> Sequence[JobTokenAuthorization]:
    """The projects whose jobs accessed the project."""
    require_ability(ctx, Ability.ADMIN_PROJECT, project)
    return job_token_log.list_authorizations(ctx.world, project)


@LOG.field("originProject: CiJobTokenAccessibleProject!")
def origin_of(ctx: ReadContext, authorization: JobTokenAuthorization) -> Project:
    """The project of the jobs."""
    return ctx.world.projects[authorization.origin_project_id]
