"""The CI/CD settings of projects and namespaces. Source: docs/platform/graphql.md ('CI/CD settings')."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack, get_args

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.ci import variables
from fakeplat.domain.groups import groups
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.lookups import require_group, require_project
from fakeplat.graphql.people.groups import BOTH, GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type, mutation
from fakeplat.model.people import Group, Level, OverrideRole
from fakeplat.model.projects import Project
from fakeplat.model.settings import Settings
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, level_on
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=13.8"
_KEEP_SINCE: Final = "<=13.9"
_TRAINS_SINCE: Final = "<=14.0"
_SCOPE_SINCE: Final = "<=14.1"
_INBOUND_SINCE: Final = "<=15.8"
_PUSH_SINCE: Final = "17.2"
_LATER: Final = "<=18.5"
_DISPLAY_SINCE: Final = "18.10"
_ONLY_FALSE: Final = "job_token_scope_enabled can only be set to false"
SETTINGS: Final = Type("ProjectCiCdSetting", "The CI/CD settings of a project.", since=_SINCE)
SETTINGS.attributes(
    {
        "mergeTrainsSkipTrainAllowed: Boolean!": "Whether a merge request may be merged past those that wait.",
        "groupRunnersEnabled: Boolean": "Whether runners of the groups above take jobs.",
    },
    since=_LATER,
)


@PROJECT.field("ciCdSettings: ProjectCiCdSetting", since=_SINCE)
def settings_of(ctx: ReadContext, project: Project) -> Project | None:
    """The CI/CD settings, for those who manage the project."""
    return project if can(ctx, Ability.ADMIN_PROJECT, project) else None


@SETTINGS.field("project: Project")
def project_of(_ctx: ReadContext, project: Project) -> Project:
    """The project."""
    return project


@SETTINGS.field("mergePipelinesEnabled: Boolean")
def merge_pipelines_enabled(ctx: ReadContext, project: Project) -> bool:
    """Whether pipelines run for the result of merging."""
    return has_feature(ctx.world, "premium", project) and project.merge_pipelines_enabled


@SETTINGS.field("mergeTrainsEnabled: Boolean")
def merge_trains_enabled(ctx: ReadContext, project: Project) -> bool:
    """Whether merge requests are merged one after another."""
    return merge_pipelines_enabled(ctx, project) and project.merge_trains_enabled


@SETTINGS.field("keepLatestArtifact: Boolean", since=_KEEP_SINCE)
def keep_latest_artifact(ctx: ReadContext, project: Project) -> bool:
    """Whether the artifacts of the latest pipelines are kept."""
    return project.keep_latest_artifact and ctx.world.settings.keep_latest_artifact


@SETTINGS.field("jobTokenScopeEnabled: Boolean", since=_SCOPE_SINCE)
def job_token_scope_enabled(ctx: ReadContext, project: Project) -> bool:
    """Whether jobs of the project may access only the projects on its list, until access is limited inbound."""
    return project.job_token_scope_enabled and not ctx.profile.has(INBOUND_JOB_TOKEN_SCOPE)


@SETTINGS.field("inboundJobTokenScopeEnabled: Boolean", since=_INBOUND_SINCE)
def inbound_job_token_scope_enabled(_ctx: ReadContext, project: Project) -> bool:
    """Whether only jobs of projects on its list may access the project."""
    return project.job_token_scope_enabled


@SETTINGS.field("pushRepositoryForJobTokenAllowed: Boolean", since=_PUSH_SINCE)
def push_allowed(_ctx: ReadContext, project: Project) -> bool:
    """Whether jobs may push to the repository of the project."""
    return project.ci_push_repository_for_job_token_allowed


@SETTINGS.field("pipelineVariablesMinimumOverrideRole: String!", since=_LATER)
def override_role(_ctx: ReadContext, project: Project) -> str:
    """The lowest role that may set variables of pipelines and jobs."""
    return project.ci_pipeline_variables_minimum_override_role


@SETTINGS.field("displayPipelineVariables: Boolean", since=_DISPLAY_SINCE)
def display_variables(_ctx: ReadContext, project: Project) -> bool:
    """Whether pages show the variables of pipelines."""
    return project.ci_display_pipeline_variables


class SettingsInput(TypedDict, total=False):
    """The settings to change; null leaves one as it is."""

    keep_latest_artifact: bool | None
    job_token_scope_enabled: bool | None
    inbound_job_token_scope_enabled: bool | None
    merge_pipelines_enabled: bool | None
    merge_trains_enabled: bool | None
    merge_trains_skip_train_allowed: bool | None
    push_repository_for_job_token_allowed: bool | None
    pipeline_variables_minimum_override_role: str | None
    group_runners_enabled: bool | None
    display_pipeline_variables: bool | None


_NAMES: Final[Mapping[str, str]] = {
    "job_token_scope_enabled": "job_token_scope_enabled",
    "inbound_job_token_scope_enabled": "job_token_scope_enabled",
    "push_repository_for_job_token_allowed": "ci_push_repository_for_job_token_allowed",
    "pipeline_variables_minimum_override_role": "ci_pipeline_variables_minimum_override_role",
    "display_pipeline_variables": "ci_display_pipeline_variables",
}
"""The fields of projects whose names differ."""
_PAID: Final = ("merge_pipelines_enabled", "merge_trains_enabled", "merge_trains_skip_train_allowed")
_FIELDS: Final = '''
"""The full path of the project."""
fullPath: ID!
"""Whether the artifacts of the latest pipelines are kept."""
keepLatestArtifact: Boolean
'''
_TRAINS: Final = '''
"""Whether pipelines run for the result of merging."""
mergePipelinesEnabled: Boolean{0}
"""Whether merge requests are merged one after another."""
mergeTrainsEnabled: Boolean{0}
'''
_GIVES: Final = '"""The settings after the change."""\nciCdSettings: ProjectCiCdSetting!'


def _change(ctx: WriteContext, full_path: str, changes: SettingsInput) -> Mapping[str, Any]:
    limits_outbound = ctx.profile.has(INBOUND_JOB_TOKEN_SCOPE) and "job_token_scope_enabled" in changes
    if limits_outbound and changes.pop("job_token_scope_enabled"):
        raise GraphQLError(_ONLY_FALSE)
    project = require_project(ctx, full_path)
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    with collect_errors(ci_cd_settings=project):
        fields: dict[str, Any] = {_NAMES.get(name, name): value for name, value in changes.items() if value is not None}
        role = fields.get("ci_pipeline_variables_minimum_override_role", "developer")
        if role not in get_args(OverrideRole):
            text = f"'{role}' is not a valid pipeline_variables_minimum_override_role"
            raise BadRequest(text, reason="there is no such role")
        if not has_feature(ctx.world, "premium", project):
            fields = ctx.ignore(fields, _PAID, "it requires the tier premium")
        return {"ci_cd_settings": projects.update(ctx, project, **fields)}


@mutation(
    "ciCdSettingsUpdate",
    input_fields=f'''
{_FIELDS}
{_TRAINS.format(f' @lifetime(since: "{_TRAINS_SINCE}")')}
"""Whether jobs of the project may access only the projects on its list."""
jobTokenScopeEnabled: Boolean @lifetime(since: "{_SCOPE_SINCE}")
"""Whether only jobs of projects on its list may access the project."""
inboundJobTokenScopeEnabled: Boolean @lifetime(since: "{_INBOUND_SINCE}")
''',
    payload_fields=_GIVES,
    since=_KEEP_SINCE,
    until="<=16.2",
)
def ci_cd_settings_update(ctx: WriteContext, full_path: str, **changes: Unpack[SettingsInput]) -> Mapping[str, Any]:
    """Change the CI/CD settings of a project."""
    return _change(ctx, full_path, changes)


@mutation(
    "projectCiCdSettingsUpdate",
    input_fields=f'''
{_FIELDS}
{_TRAINS.format("")}
"""Whether a merge request may be merged past those that wait."""
mergeTrainsSkipTrainAllowed: Boolean @lifetime(since: "{_LATER}")
"""Whether jobs of the project may access only the projects on its list."""
jobTokenScopeEnabled: Boolean
"""Whether only jobs of projects on its list may access the project."""
inboundJobTokenScopeEnabled: Boolean @lifetime(since: "{_INBOUND_SINCE}")
"""Whether jobs may push to the repository of the project."""
pushRepositoryForJobTokenAllowed: Boolean @lifetime(since: "{_PUSH_SINCE}")
"""The lowest role that may set variables of pipelines and jobs."""
pipelineVariablesMinimumOverrideRole: String @lifetime(since: "{_LATER}")
"""Whether runners of the groups above take jobs."""
groupRunnersEnabled: Boolean @lifetime(since: "{_LATER}")
"""Whether pages show the variables of pipelines."""
displayPipelineVariables: Boolean @lifetime(since: "{_DISPLAY_SINCE}")
''',
    payload_fields=_GIVES,
    since="<=15.0",
)
def project_ci_cd_settings_update(
    ctx: WriteContext, full_path: str, **changes: Unpack[SettingsInput]
) -> Mapping[str, Any]:
    """Change the CI/CD settings of a project."""
    return _change(ctx, full_path, changes)


# Namespaces

_ROLES_SINCE: Final = "17.9"
_PRUNING_SINCE: Final = "<=15.0"
OF_NAMESPACE: Final = Type("CiCdSettings", "The CI/CD settings of a namespace.", since=_ROLES_SINCE)
PRUNING: Final = Type("NamespaceCiCdSetting", "Settings for the runners of a namespace.", since=_PRUNING_SINCE)
Enumeration(
    "PipelineVariablesDefaultRoleType",
    "The lowest role that may set variables.",
    {role.upper(): (role, f"The role {role.replace('_', ' ')}.") for role in get_args(OverrideRole)},
    since=_ROLES_SINCE,
)
_PATH: Final = '"""The full path of the namespace."""\nfullPath: ID!'


def settings_of_namespace(ctx: ReadContext, namespace: object) -> Group | None:
    """The CI/CD settings, for those who maintain the group."""
    is_maintained = isinstance(namespace, Group) and level_on(ctx, namespace) >= Level.MAINTAINER
    return namespace if isinstance(namespace, Group) and is_maintained else None


for _type in BOTH:
    _type.field("ciCdSettings: CiCdSettings", since=_ROLES_SINCE)(settings_of_namespace)


@OF_NAMESPACE.field("pipelineVariablesDefaultRole: String")
def default_role(ctx: ReadContext, group: Group) -> str:
    """The lowest role that may set variables of pipelines in new projects, as the top-level group says."""
    root = namespaces.root_of(ctx.world, group)
    return root.pipeline_variables_default_role if isinstance(root, Group) else "developer"


@GROUP.field("allowStaleRunnerPruning: Boolean!", since=_PRUNING_SINCE)
@PRUNING.field("allowStaleRunnerPruning: Boolean")
def allow_stale_runner_pruning(_ctx: ReadContext, group: Group) -> bool:
    """Whether runners that have not been seen for long are deleted, which is not done here."""
    return group.allow_stale_runner_pruning


@PRUNING.field("namespace: Namespace")
def namespace_of(_ctx: ReadContext, group: Group) -> Group:
    """The namespace."""
    return group


@mutation(
    "namespaceSettingsUpdate",
    input_fields=f'''
{_PATH}
"""The lowest role that may set variables of pipelines in new projects."""
pipelineVariablesDefaultRole: PipelineVariablesDefaultRoleType
''',
    payload_fields='"""The settings after the change."""\nciCdSettings: CiCdSettings!',
    since=_ROLES_SINCE,
)
def namespace_settings_update(
    ctx: WriteContext, full_path: str, pipeline_variables_default_role: OverrideRole | None = None
) -> Mapping[str, Any]:
    """Change the CI/CD settings of a group, for those who maintain it."""
    group = require_group(ctx, full_path)
    if level_on(ctx, group) < Level.MAINTAINER:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not maintain {full_path}")
    if pipeline_variables_default_role is not None:
        group = groups.update(
            ctx, group, any_name=True, pipeline_variables_default_role=pipeline_variables_default_role
        )
    return {"ci_cd_settings": group}


@mutation(
    "namespaceCiCdSettingsUpdate",
    input_fields=f'{_PATH}\n"""Whether runners that have not been seen for long are deleted."""\n'
    "allowStaleRunnerPruning: Boolean",
    payload_fields='"""The settings after the change."""\nciCdSettings: NamespaceCiCdSetting!',
    since=_PRUNING_SINCE,
)
def namespace_ci_cd_settings_update(
    ctx: WriteContext, full_path: str, allow_stale_runner_pruning: bool | None = None
) -> Mapping[str, Any]:
    """Change the settings for the runners of a group."""
    group = require_group(ctx, full_path)
    authorize(ctx, Ability.ADMIN_NAMESPACE, group)
    if allow_stale_runner_pruning is not None:
        group = groups.update(ctx, group, any_name=True, allow_stale_runner_pruning=allow_stale_runner_pruning)
    return {"ci_cd_settings": group}


# The instance

INSTANCE_SETTINGS: Final = Type("CiApplicationSettings", "The CI/CD settings of the instance.", since="<=13.10")
INSTANCE_SETTINGS.attributes({"keepLatestArtifact: Boolean": "Whether the artifacts of the newest pipeline are kept."})


@QUERY.field("ciApplicationSettings: CiApplicationSettings", since="<=13.10")
def find_instance_settings(ctx: ReadContext) -> Settings | None:
    """The CI/CD settings of the instance; for administrators."""
    return ctx.world.settings if ctx.admin else None


@mutation(
    "safeDisablePipelineVariables",
    input_fields='"""The full path of the group."""\nfullPath: ID!',
    payload_fields='"""Whether projects are being changed."""\nsuccess: Boolean!',
    since="<=18.5",
)
def safe_disable_pipeline_variables(ctx: WriteContext, full_path: str) -> Mapping[str, Any]:
    """Allow nobody to give variables to pipelines in the projects of a group that never had any."""
    group = require_group(ctx, full_path)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    variables.forbid_where_unused(ctx, group)
    return {"success": True}
