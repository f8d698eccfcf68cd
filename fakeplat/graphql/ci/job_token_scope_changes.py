"""Mutations of who may access a project with job tokens. Source: docs/platform/graphql.md ('Job tokens')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.ci import job_token_log, job_token_scope
from fakeplat.domain.people import namespaces
from fakeplat.graphql.ci.job_token_scope import (
    AUTOPOPULATED_SINCE,
    GROUPS_SINCE,
    INBOUND_SINCE,
    LOG_SINCE,
    SCOPE_SINCE,
)
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.ci import JobTokenAllowance, JobTokenPolicy
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import INBOUND_JOB_TOKEN_SCOPE
from fakeplat.policy.context import WriteContext

_NO_TARGET: Final = "The group or project does not exist."
_ONLY_INBOUND: Final = "direction: OUTBOUND scope entries can only be removed. Only INBOUND scope can be expanded."
_PROJECT: Final = '"""The full path of the project that is accessed."""\nprojectPath: ID!\n'
_TARGET: Final = '"""The full path of the project or group whose jobs get access."""\ntargetPath: ID!\n'
_TARGET_PROJECT: Final = f'''
{_PROJECT}
"""The full path of the project whose jobs get access."""
targetProjectPath: ID!
"""Whose jobs get access to whom."""
direction: CiJobTokenScopeDirection @lifetime(since: "{INBOUND_SINCE}")
'''
_POLICIES: Final = (
    '"""What the jobs may do without default permissions."""\njobTokenPolicies: [CiJobTokenScopePolicies!]'
)
_GIVES: Final = '"""Who may access the project."""\nciJobTokenScope: CiJobTokenScopeType\n'
_ENTRY: Final = '"""The entry."""\nciJobTokenScopeAllowlistEntry: CiJobTokenScopeAllowlistEntry'
_GIVES_ENTRY: Final = f'{_GIVES}{_ENTRY} @lifetime(since: "{LOG_SINCE}")'


def _require_managed(ctx: WriteContext, full_path: str) -> Project:
    project = require_project(ctx, full_path)
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    return project


def _find_target(ctx: WriteContext, full_path: str) -> Routable | None:
    namespace = namespaces.find_by_path(ctx.world, full_path)
    return namespace if isinstance(namespace, Group) else namespaces.find_project_by_path(ctx.world, full_path)


def _show_added(project: Project, allowance: JobTokenAllowance) -> Mapping[str, Any]:
    return {"ci_job_token_scope": project, "ci_job_token_scope_allowlist_entry": allowance}


@mutation("ciJobTokenScopeAddProject", input_fields=_TARGET_PROJECT, payload_fields=_GIVES_ENTRY, since=SCOPE_SINCE)
def add_project(
    ctx: WriteContext, project_path: str, target_project_path: str, direction: str | None = None
) -> Mapping[str, Any]:
    """Give jobs of another project access to a project."""
    project = _require_managed(ctx, project_path)
    if direction == "outbound":
        raise GraphQLError(_ONLY_INBOUND)
    with collect_errors():
        other = namespaces.find_project_by_path(ctx.world, target_project_path)
        target = job_token_scope.check_target(ctx, other, "project")
        return _show_added(project, job_token_scope.add_target(ctx, project, target))


@mutation(
    "ciJobTokenScopeRemoveProject",
    input_fields=_TARGET_PROJECT,
    payload_fields=_GIVES,
    since=SCOPE_SINCE,
)
def remove_project(
    ctx: WriteContext, project_path: str, target_project_path: str, direction: str | None = None
) -> Mapping[str, Any]:
    """Take the access to a project from jobs of another one."""
    project = _require_managed(ctx, project_path)
    with collect_errors():
        other = namespaces.find_project_by_path(ctx.world, target_project_path)
        target = job_token_scope.check_target(ctx, other, "project")
        # The default is the direction that came first, of which there are no entries any more.
        is_listed = direction == "inbound" or target == project or not ctx.profile.has(INBOUND_JOB_TOKEN_SCOPE)
        job_token_scope.remove_target(ctx, project, target if is_listed else None, "project")
    return {"ci_job_token_scope": project}


@mutation(
    "ciJobTokenScopeAddGroupOrProject",
    input_fields=f'''
{_PROJECT}
{_TARGET}
"""Whether the jobs may do all that their user may."""
defaultPermissions: Boolean = true @lifetime(since: "17.8")
{_POLICIES} = []
''',
    payload_fields=_GIVES_ENTRY,
    since=GROUPS_SINCE,
)
def add_group_or_project(
    ctx: WriteContext,
    project_path: str,
    target_path: str,
    default_permissions: bool | None = True,
    job_token_policies: Sequence[JobTokenPolicy] | None = None,
) -> Mapping[str, Any]:
    """Give jobs of a project, or of all projects of a group, access to a project."""
    project, target = _require_managed(ctx, project_path), _find_target(ctx, target_path)
    policies = tuple(job_token_policies or ())
    with collect_errors():
        if target is None:
            raise BadRequest(_NO_TARGET, reason=f"there is no project or group {target_path}")
        added = job_token_scope.add_target(
            ctx, project, target, default_permissions=default_permissions is not False, job_token_policies=policies
        )
        return _show_added(project, added)


@mutation(
    "ciJobTokenScopeRemoveGroup",
    input_fields=f'{_PROJECT}\n"""The full path of the group."""\ntargetGroupPath: ID!',
    payload_fields=_GIVES,
    since=GROUPS_SINCE,
)
def remove_group(ctx: WriteContext, project_path: str, target_group_path: str) -> Mapping[str, Any]:
    """Take the access to a project from jobs of a group."""
    project, target = _require_managed(ctx, project_path), namespaces.find_by_path(ctx.world, target_group_path)
    with collect_errors():
        group = target if isinstance(target, Group) else None
        job_token_scope.remove_target(ctx, project, group, "group")
    return {"ci_job_token_scope": project}


@mutation(
    "ciJobTokenScopeUpdatePolicies",
    input_fields=f'''
{_PROJECT}
{_TARGET}
"""Whether the jobs may do all that their user may."""
defaultPermissions: Boolean!
{_POLICIES}!
''',
    payload_fields=_ENTRY,
    since=LOG_SINCE,
)
def update_policies(
    ctx: WriteContext,
    project_path: str,
    target_path: str,
    default_permissions: bool,
    job_token_policies: Sequence[JobTokenPolicy],
) -> Mapping[str, Any]:
    """Change what jobs of a project or group may do in a project."""
    project, target = _require_managed(ctx, project_path), _find_target(ctx, target_path)
    with collect_errors():
        policies = tuple(job_token_policies)
        changed = job_token_scope.update_policies(
            ctx, project, target, default_permissions=default_permissions, job_token_policies=policies
        )
        return {"ci_job_token_scope_allowlist_entry": changed}


_STATUS: Final = '"""Whether it is complete."""\nstatus: String!'


@mutation(
    "ciJobTokenScopeAutopopulateAllowlist",
    input_fields=_PROJECT,
    payload_fields=_STATUS,
    since=AUTOPOPULATED_SINCE,
    until="<=18.9",
)
def autopopulate_allowlist(ctx: WriteContext, project_path: str) -> Mapping[str, Any]:
    """Give access to the projects in the log, or to their groups if they are many, and limit it to those."""
    project = _require_managed(ctx, project_path)
    with collect_errors(status="error"):
        job_token_log.autopopulate(ctx, project)
    return {"status": "complete"}


@mutation(
    "ciJobTokenScopeClearAllowlistAutopopulations",
    input_fields=_PROJECT,
    payload_fields=_STATUS,
    since=AUTOPOPULATED_SINCE,
    until="<=18.9",
)
def clear_autopopulations(ctx: WriteContext, project_path: str) -> Mapping[str, Any]:
    """Take the access from the projects and groups that come from the log."""
    job_token_log.clear_autopopulated(ctx, _require_managed(ctx, project_path))
    return {"status": "complete"}
