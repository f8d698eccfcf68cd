"""CI variables of projects, groups and the instance. Source: docs/platform/variables.md."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import variables
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.variables import GroupVariableView, InstanceVariableView, ProjectVariableView
from fakeplat.model.ci import CiVariable, VariableType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import GROUP_VARIABLES_ARE_FILTERED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("CI variables", login=Login.ALWAYS, located_first=True)


class VariableAttributes(Params):
    """What may be said of every variable beside its key and its value."""

    protected: bool = False
    masked: bool = False
    variable_type: VariableType = "env_var"
    raw: Annotated[bool, Lifetime(since="15.7")] = False


class CreateVariable(VariableAttributes):
    """A new variable."""

    key: str
    value: str


class CreateInstanceVariable(CreateVariable):
    """A new variable of the instance."""

    description: Annotated[str | None, Lifetime(since="16.8")] = None


class CreateContainerVariable(CreateVariable):
    """A new variable of a project or group."""

    description: Annotated[str | None, Lifetime(since="16.2")] = None
    masked_and_hidden: Annotated[bool, Lifetime(since="17.4")] = False


class CreateGroupVariable(CreateContainerVariable):
    """A new variable of a group."""

    environment_scope: Annotated[str, Lifetime(since="13.11")] = "*"


class CreateProjectVariable(CreateContainerVariable):
    """A new variable of a project."""

    environment_scope: str = "*"


class UpdateVariable(VariableAttributes):
    """Changes of a variable."""

    value: str = ""


class UpdateInstanceVariable(UpdateVariable):
    """Changes of a variable of the instance."""

    description: Annotated[str | None, Lifetime(since="16.8")] = None


class UpdateContainerVariable(UpdateVariable):
    """Changes of a variable of a project or group."""

    description: Annotated[str | None, Lifetime(since="16.2")] = None


class FilterVariables(Params):
    """The choice among variables with the same key."""

    filter: dict[str, object] | None = None


class FilterGroupVariables(Params):
    """The choice among variables of a group with the same key."""

    filter: Annotated[dict[str, object] | None, GROUP_VARIABLES_ARE_FILTERED] = None


class UpdateGroupVariable(FilterGroupVariables, UpdateContainerVariable):
    """Changes of a variable of a group, and the choice among those with the same key."""

    environment_scope: Annotated[str, Lifetime(since="13.11")] = "*"


class UpdateProjectVariable(FilterVariables, UpdateContainerVariable):
    """Changes of a variable of a project, and the choice among those with the same key."""

    environment_scope: str = "*"


def _get_in_project(ctx: ReadContext, project: Project, key: str, p: FilterVariables) -> CiVariable:
    return variables.get_variable(ctx.world, project, key, _scope_of(p))


def _get_in_group(ctx: ReadContext, group: Group, key: str, p: FilterGroupVariables) -> CiVariable:
    """Return the variable of a group with a key; releases without filters take the first one."""
    if ctx.profile.has(GROUP_VARIABLES_ARE_FILTERED):
        return variables.get_variable(ctx.world, group, key, _scope_of(p))
    return variables.get_first_variable(ctx.world, group, key)


def _scope_of(p: FilterVariables | FilterGroupVariables) -> str | None:
    scope = (p.filter or {}).get("environment_scope")
    return None if scope is None else str(scope)


@area.operation(
    "GET",
    "variables",
    scope=PROJECT,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=Paged,
    view=ProjectVariableView,
    many=True,
)
def list_project_variables(ctx: ReadContext, project: Project) -> Sequence[CiVariable]:
    """List the CI variables of a project."""
    return variables.list_variables(ctx.world, project)


@area.operation(
    "GET",
    "variables/:key",
    scope=PROJECT,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=FilterVariables,
    view=ProjectVariableView,
    refusals=(404, 409),
)
def get_project_variable(ctx: ReadContext, project: Project, key: str, p: FilterVariables) -> CiVariable:
    """Get a CI variable of a project."""
    return _get_in_project(ctx, project, key, p)


@area.operation(
    "POST",
    "variables",
    scope=PROJECT,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=CreateProjectVariable,
    view=ProjectVariableView,
    refusals=(400,),
)
def create_project_variable(ctx: WriteContext, project: Project, p: CreateProjectVariable) -> CiVariable:
    """Create a CI variable of a project."""
    return variables.create(ctx, project, **_with_hidden(p.given()))


@area.operation(
    "PUT",
    "variables/:key",
    scope=PROJECT,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=UpdateProjectVariable,
    view=ProjectVariableView,
    refusals=(400, 404, 409),
)
def update_project_variable(ctx: WriteContext, project: Project, key: str, p: UpdateProjectVariable) -> CiVariable:
    """Update a CI variable of a project."""
    changes = {name: value for name, value in p.given().items() if name != "filter"}
    return variables.update(ctx, _get_in_project(ctx, project, key, p), **changes)


@area.operation(
    "DELETE",
    "variables/:key",
    scope=PROJECT,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=FilterVariables,
    refusals=(404, 409),
)
def delete_project_variable(ctx: WriteContext, project: Project, key: str, p: FilterVariables) -> None:
    """Delete a CI variable of a project."""
    purge(ctx, _get_in_project(ctx, project, key, p))


@area.operation(
    "GET",
    "variables",
    scope=GROUP,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=Paged,
    view=GroupVariableView,
    many=True,
)
def list_group_variables(ctx: ReadContext, group: Group) -> Sequence[CiVariable]:
    """List the CI variables of a group."""
    return variables.list_variables(ctx.world, group)


@area.operation(
    "GET",
    "variables/:key",
    scope=GROUP,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=FilterGroupVariables,
    view=GroupVariableView,
    refusals=(404, 409),
)
def get_group_variable(ctx: ReadContext, group: Group, key: str, p: FilterGroupVariables) -> CiVariable:
    """Get a CI variable of a group."""
    return _get_in_group(ctx, group, key, p)


@area.operation(
    "POST",
    "variables",
    scope=GROUP,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=CreateGroupVariable,
    view=GroupVariableView,
    refusals=(400,),
)
def create_group_variable(ctx: WriteContext, group: Group, p: CreateGroupVariable) -> CiVariable:
    """Create a CI variable of a group."""
    return variables.create(ctx, group, **_with_hidden(_scoped_by_tier(ctx, p)))


@area.operation(
    "PUT",
    "variables/:key",
    scope=GROUP,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=UpdateGroupVariable,
    view=GroupVariableView,
    refusals=(400, 404, 409),
)
def update_group_variable(ctx: WriteContext, group: Group, key: str, p: UpdateGroupVariable) -> CiVariable:
    """Update a CI variable of a group: without a filter, the first one with the key."""
    changes = {name: value for name, value in _scoped_by_tier(ctx, p).items() if name != "filter"}
    if p.filter is None:
        return variables.update(ctx, variables.get_first_variable(ctx.world, group, key), **changes)
    return variables.update(ctx, _get_in_group(ctx, group, key, p), **changes)


def _with_hidden(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a new variable; a hidden one is masked too."""
    rest = {name: value for name, value in fields.items() if name != "masked_and_hidden"}
    return {**rest, "masked": True, "hidden": True} if fields.get("masked_and_hidden") else rest


def _scoped_by_tier(ctx: ReadContext, p: Params) -> dict[str, Any]:
    """Return the values that were sent; the scope of a group's variable is a paid feature, and ignored without it."""
    has_scopes = ctx.instance.has("premium")
    return {name: value for name, value in p.given().items() if has_scopes or name != "environment_scope"}


@area.operation(
    "DELETE",
    "variables/:key",
    scope=GROUP,
    ability=Ability.ADMIN_CICD_VARIABLES,
    params=FilterGroupVariables,
    refusals=(404, 409, 412),
)
def delete_group_variable(ctx: WriteContext, group: Group, key: str, p: FilterGroupVariables) -> None:
    """Delete a CI variable of a group."""
    variable = _get_in_group(ctx, group, key, p)
    ctx.check_unmodified_since(variable.updated_at)
    purge(ctx, variable)


@area.operation(
    "GET",
    "admin/ci/variables",
    ability=Ability.ADMIN_INSTANCE_VARIABLES,
    params=Paged,
    view=InstanceVariableView,
    many=True,
)
def list_instance_variables(ctx: ReadContext) -> Sequence[CiVariable]:
    """List the CI variables of the instance."""
    return variables.list_variables(ctx.world, None)


@area.operation(
    "GET",
    "admin/ci/variables/:key",
    ability=Ability.ADMIN_INSTANCE_VARIABLES,
    view=InstanceVariableView,
    refusals=(404,),
)
def get_instance_variable(ctx: ReadContext, key: str) -> CiVariable:
    """Get a CI variable of the instance."""
    return variables.get_variable(ctx.world, None, key)


@area.operation(
    "POST",
    "admin/ci/variables",
    ability=Ability.ADMIN_INSTANCE_VARIABLES,
    params=CreateInstanceVariable,
    view=InstanceVariableView,
    refusals=(400,),
)
def create_instance_variable(ctx: WriteContext, p: CreateInstanceVariable) -> CiVariable:
    """Create a CI variable of the instance."""
    return variables.create(ctx, None, **p.given())


@area.operation(
    "PUT",
    "admin/ci/variables/:key",
    ability=Ability.ADMIN_INSTANCE_VARIABLES,
    params=UpdateInstanceVariable,
    view=InstanceVariableView,
    refusals=(400, 404),
)
def update_instance_variable(ctx: WriteContext, key: str, p: UpdateInstanceVariable) -> CiVariable:
    """Update a CI variable of the instance."""
    return variables.update(ctx, variables.get_variable(ctx.world, None, key), **p.given())


@area.operation("DELETE", "admin/ci/variables/:key", ability=Ability.ADMIN_INSTANCE_VARIABLES, refusals=(404,))
def delete_instance_variable(ctx: WriteContext, key: str) -> None:
    """Delete a CI variable of the instance."""
    purge(ctx, variables.get_variable(ctx.world, None, key))
