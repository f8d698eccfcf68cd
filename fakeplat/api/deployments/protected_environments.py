"""Protected environments: a job that would deploy to one for somebody without access fails."""

from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.deployments import protected_environments
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.environments import ProtectedEnvironmentView
from fakeplat.model.deployments import ProtectedEnvironment
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Protected environments", login=Login.NEVER, located_first=True)
_LIST: Final = "protected_environments"
_ONE: Final = f"{_LIST}/:name"
_ABILITY: Final = Ability.ADMIN_PROTECTED_ENVIRONMENTS


@area.operation(
    "GET",
    _LIST,
    scope=PROJECT,
    ability=_ABILITY,
    params=Paged,
    view=ProtectedEnvironmentView,
    many=True,
    tier="premium",
)
def list_protected_environments(ctx: ReadContext, project: Project) -> Sequence[ProtectedEnvironment]:
    """List the protected environments of a project."""
    return protected_environments.list_protected(ctx.world, project)


@area.operation(
    "GET", _ONE, scope=PROJECT, ability=_ABILITY, view=ProtectedEnvironmentView, tier="premium", refusals=(404,)
)
def get_protected_environment(ctx: ReadContext, project: Project, name: str) -> ProtectedEnvironment:
    """Get a protected environment of a project."""
    return protected_environments.get_protected(ctx.world, project, name)


class DeployAccess(Params):
    """Who may deploy: an access level, a user or the members of a group."""

    access_level: Literal[30, 40, 60] | None = None
    user_id: int | None = None
    group_id: int | None = None


class ProtectEnvironment(Params):
    """An environment to protect."""

    name: str
    deploy_access_levels: list[DeployAccess]


@area.operation(
    "POST",
    _LIST,
    scope=PROJECT,
    ability=_ABILITY,
    params=ProtectEnvironment,
    view=ProtectedEnvironmentView,
    tier="premium",
    refusals=(409, 422),
)
def protect_environment(ctx: WriteContext, project: Project, p: ProtectEnvironment) -> ProtectedEnvironment:
    """Protect an environment of a project."""
    deploy = [Access(entry.access_level, entry.user_id, entry.group_id) for entry in p.deploy_access_levels]
    return protected_environments.protect(ctx, project, p.name, deploy)


@area.operation("DELETE", _ONE, scope=PROJECT, ability=_ABILITY, tier="premium", refusals=(404, 412))
def unprotect_environment(ctx: WriteContext, project: Project, name: str) -> None:
    """Unprotect an environment of a project."""
    environment = protected_environments.get_protected(ctx.world, project, name)
    ctx.check_unmodified_since(environment.updated_at)
    purge(ctx, environment)
