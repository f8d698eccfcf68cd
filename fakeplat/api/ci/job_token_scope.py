"""Which jobs may access a project with their tokens."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import PROJECT, get_project
from fakeplat.core.operations.errors import prefix_bad_request
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import job_token_scope
from fakeplat.entities.people.namespaces import GroupBasic
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Job token scope", login=Login.ALWAYS)
_PROJECTS_SINCE: Final = "<=16.2"
_GROUPS_SINCE: Final = "<=16.10"
_SETTINGS: Final = "job_token_scope"
_PROJECTS: Final = f"{_SETTINGS}/allowlist"
_GROUPS: Final = f"{_SETTINGS}/groups_allowlist"


@area.operation("GET", _SETTINGS, scope=PROJECT, ability=Ability.ADMIN_PROJECT, since="16.1")
def get_job_token_scope(_ctx: ReadContext, project: Project) -> dict[str, bool]:
    """Get whether the job token access to a project is limited."""
    return {"inbound_enabled": project.job_token_scope_enabled, "outbound_enabled": False}


class UpdateJobTokenScope(Params):
    """Whether to limit the access."""

    enabled: bool


@area.operation(
    "PATCH",
    _SETTINGS,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdateJobTokenScope,
    since="16.1",
    status=204,
)
def update_job_token_scope(ctx: WriteContext, project: Project, p: UpdateJobTokenScope) -> None:
    """Update whether the job token access to a project is limited."""
    ctx.world.projects.change(project, job_token_scope_enabled=p.enabled)


@area.operation(
    "GET",
    _PROJECTS,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=Paged,
    view=ProjectSimple,
    many=True,
    since=_PROJECTS_SINCE,
)
def list_job_token_scope_projects(ctx: ReadContext, project: Project) -> Sequence[Any]:
    """List the projects whose jobs may access a project, the project itself first."""
    return job_token_scope.list_targets(ctx, project, "project")


@area.operation(
    "GET",
    _GROUPS,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=Paged,
    view=GroupBasic,
    many=True,
    since=_GROUPS_SINCE,
)
def list_job_token_scope_groups(ctx: ReadContext, project: Project) -> Sequence[Any]:
    """List the groups whose jobs may access a project."""
    return job_token_scope.list_targets(ctx, project, "group")


class AddProject(Params):
    """A project whose jobs may access the project."""

    target_project_id: int


@area.operation(
    "POST",
    _PROJECTS,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=AddProject,
    since=_PROJECTS_SINCE,
    refusals=(400, 404),
)
def add_job_token_scope_project(ctx: WriteContext, project: Project, p: AddProject) -> dict[str, int]:
    """Add a project whose jobs may access a project."""
    target = job_token_scope.get_target(ctx.world, "project", p.target_project_id)
    with prefix_bad_request():
        job_token_scope.add_target(ctx, project, target)
    return {"source_project_id": project.id, "target_project_id": target.id}


class AddGroup(Params):
    """A group whose jobs may access the project."""

    target_group_id: int


@area.operation(
    "POST",
    _GROUPS,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=AddGroup,
    since=_GROUPS_SINCE,
    refusals=(400, 404),
)
def add_job_token_scope_group(ctx: WriteContext, project: Project, p: AddGroup) -> dict[str, int]:
    """Add a group whose jobs may access a project."""
    target = job_token_scope.get_target(ctx.world, "group", p.target_group_id)
    with prefix_bad_request():
        job_token_scope.add_target(ctx, project, target)
    return {"source_project_id": project.id, "target_group_id": target.id}


# The service checks the ability, after the target was found.


@area.operation(
    "DELETE", f"{_PROJECTS}/:target_project_id", scope=PROJECT, since=_PROJECTS_SINCE, refusals=(400, 403, 404)
)
def delete_job_token_scope_project(ctx: WriteContext, project: Project, target_project_id: int) -> None:
    """Remove a project whose jobs may access a project."""
    target = get_project(ctx, str(target_project_id))
    with prefix_bad_request():
        job_token_scope.remove_target(ctx, project, target, "project")


@area.operation("DELETE", f"{_GROUPS}/:target_group_id", scope=PROJECT, since=_GROUPS_SINCE, refusals=(400, 403, 404))
def delete_job_token_scope_group(ctx: WriteContext, project: Project, target_group_id: int) -> None:
    """Remove a group whose jobs may access a project."""
    target = job_token_scope.get_target(ctx.world, "group", target_group_id)
    with prefix_bad_request():
        job_token_scope.remove_target(ctx, project, target, "group")
