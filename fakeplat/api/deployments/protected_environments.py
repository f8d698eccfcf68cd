"""Protected environments: a job that would deploy to one for somebody without access fails."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Named, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.deployments import protected_environments
from fakeplat.domain.deployments.protected_environments import ApprovalFields, Protection, ProtectionChanges
from fakeplat.domain.purging import purge
from fakeplat.domain.repository.access_levels import AccessChange
from fakeplat.entities.deployments.environments import GroupProtectedEnvironmentView, ProtectedEnvironmentView
from fakeplat.model.deployments import DeploymentRule, GroupProtectedEnvironment, ProtectedEnvironment
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import ENVIRONMENTS_HAVE_NO_COUNT
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Protected environments", login=Login.NEVER, located_first=True)
_LIST: Final = "protected_environments"
_ONE: Final = f"{_LIST}/:name"
_ABILITY: Final = Ability.ADMIN_PROTECTED_ENVIRONMENTS
_DEPRECATED_COUNT: Final = (
    "Parameter 'required_approval_count' is deprecated and shouldn't be used. "
    "See https://gitlab.com/groups/gitlab-org/-/epics/9662"
)


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
def get_protected_environment(ctx: ReadContext, project: Project, name: str) -> Protection:
    """Get a protected environment of a project."""
    return protected_environments.get_protected(ctx.world, project, name)


class DeployAccess(Params):
    """Who may deploy: an access level, a user or the members of a group."""

    access_level: Literal[30, 40, 60] | None = None
    user_id: int | None = None
    group_id: int | None = None
    group_inheritance_type: Annotated[Literal[0, 1] | None, Lifetime(since="<=16.9")] = None


class ApprovalRuleParams(DeployAccess):
    """Who approves deployments, and how many of them have to."""

    required_approvals: int | None = None


class ProtectEnvironment(Params):
    """An environment to protect."""

    name: str
    deploy_access_levels: list[DeployAccess]
    required_approval_count: Annotated[int | None, Lifetime(since="14.7")] = None
    approval_rules: Annotated[list[ApprovalRuleParams] | None, Lifetime(since="14.10")] = None


def _read_grant(entry: DeployAccess) -> dict[str, Any]:
    return {
        "level": entry.access_level,
        "user_id": entry.user_id,
        "group_id": entry.group_id,
        "group_inheritance_type": entry.group_inheritance_type or 0,
    }


def _refuse_count(ctx: ReadContext, count: int | None) -> None:
    """Refuse the number of approvals with 422, which approval rules replaced."""
    if count and count > 0 and ctx.profile.has(ENVIRONMENTS_HAVE_NO_COUNT):
        raise Unprocessable(_DEPRECATED_COUNT)


def _protect(ctx: WriteContext, container: Project | Group, p: ProtectEnvironment) -> Protection:
    _refuse_count(ctx, p.required_approval_count)
    deploy = [Access(**_read_grant(entry)) for entry in p.deploy_access_levels]
    rules = tuple(
        DeploymentRule(**_read_grant(rule), required_approvals=rule.required_approvals or 1)
        for rule in p.approval_rules or ()
    )
    approvals: ApprovalFields = {
        "required_approval_count": p.required_approval_count or 0,
        "approval_rules": rules,
    }
    return protected_environments.protect(ctx, container, p.name, deploy, approvals)


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
def protect_environment(ctx: WriteContext, project: Project, p: ProtectEnvironment) -> Protection:
    """Protect an environment of a project."""
    return _protect(ctx, project, p)


class ChangedDeployAccess(DeployAccess):
    """Who may deploy: a new entry, or with an ``id`` the change or the deletion of one."""

    id: int | None = None
    destroy: Annotated[bool | None, Named("_destroy")] = None


class ChangedApprovalRule(ChangedDeployAccess):
    """Who approves: a new entry, or with an ``id`` the change or the deletion of one."""

    required_approvals: int | None = None


class UpdateProtectedEnvironment(Params):
    """Changes of a protected environment."""

    deploy_access_levels: list[ChangedDeployAccess] | None = None
    required_approval_count: int | None = None
    approval_rules: list[ChangedApprovalRule] | None = None


_FIELDS: Final = {
    "access_level": "level",
    "user_id": "user_id",
    "group_id": "group_id",
    "group_inheritance_type": "group_inheritance_type",
    "required_approvals": "required_approvals",
}

_GRANTEES: Final = ("access_level", "user_id", "group_id")


def _read_change(row: ChangedDeployAccess) -> AccessChange:
    given = row.given()
    # A null changes an entry from one kind of grantee to another; a new entry has nothing to clear.
    names = [
        name for name in _FIELDS if given.get(name) is not None or (row.id and name in _GRANTEES and name in given)
    ]
    grant: Any = {_FIELDS[name]: given[name] for name in names}
    return AccessChange(grant, row.id, bool(row.destroy))


def _update(ctx: WriteContext, container: Project | Group, name: str, p: UpdateProtectedEnvironment) -> Protection:
    environment = protected_environments.get_protected(ctx.world, container, name)
    _refuse_count(ctx, p.required_approval_count)
    deploy = [_read_change(row) for row in p.deploy_access_levels or ()]
    rules = [_read_change(row) for row in p.approval_rules or ()]
    changes = ProtectionChanges(deploy, rules, p.required_approval_count)
    return protected_environments.update(ctx, container, environment, changes)


@area.operation(
    "PUT",
    _ONE,
    scope=PROJECT,
    ability=_ABILITY,
    params=UpdateProtectedEnvironment,
    view=ProtectedEnvironmentView,
    tier="premium",
    refusals=(404, 422),
    since="15.4",
)
def update_protected_environment(
    ctx: WriteContext, project: Project, name: str, p: UpdateProtectedEnvironment
) -> Protection:
    """Update a protected environment of a project."""
    return _update(ctx, project, name, p)


@area.operation("DELETE", _ONE, scope=PROJECT, ability=_ABILITY, tier="premium", refusals=(404, 412))
def unprotect_environment(ctx: WriteContext, project: Project, name: str) -> None:
    """Unprotect an environment of a project."""
    environment = protected_environments.get_protected(ctx.world, project, name)
    ctx.check_unmodified_since(environment.updated_at)
    purge(ctx, environment)


# Of groups


@area.operation(
    "GET",
    _LIST,
    scope=GROUP,
    ability=Ability.ADMIN_PROTECTED_TIERS,
    params=Paged,
    view=GroupProtectedEnvironmentView,
    many=True,
    tier="premium",
    since="14.0",
)
def list_group_protected_environments(ctx: ReadContext, group: Group) -> Sequence[GroupProtectedEnvironment]:
    """List the tiers of environments that a group protects."""
    return protected_environments.list_protected_of_group(ctx.world, group)


@area.operation(
    "GET",
    _ONE,
    scope=GROUP,
    ability=Ability.ADMIN_PROTECTED_TIERS,
    view=GroupProtectedEnvironmentView,
    tier="premium",
    refusals=(404,),
    since="14.0",
)
def get_group_protected_environment(ctx: ReadContext, group: Group, name: str) -> Protection:
    """Get a tier of environments that a group protects."""
    return protected_environments.get_protected(ctx.world, group, name)


@area.operation(
    "POST",
    _LIST,
    scope=GROUP,
    ability=Ability.ADMIN_PROTECTED_TIERS,
    params=ProtectEnvironment,
    view=GroupProtectedEnvironmentView,
    tier="premium",
    refusals=(409, 422),
    since="14.0",
)
def create_group_protected_environment(ctx: WriteContext, group: Group, p: ProtectEnvironment) -> Protection:
    """Protect a tier of environments in the projects of a group."""
    return _protect(ctx, group, p)


@area.operation(
    "PUT",
    _ONE,
    scope=GROUP,
    ability=Ability.ADMIN_PROTECTED_TIERS,
    params=UpdateProtectedEnvironment,
    view=GroupProtectedEnvironmentView,
    tier="premium",
    refusals=(404, 422),
    since="15.4",
)
def update_group_protected_environment(
    ctx: WriteContext, group: Group, name: str, p: UpdateProtectedEnvironment
) -> Protection:
    """Update the protection of a tier of environments by a group."""
    return _update(ctx, group, name, p)


@area.operation(
    "DELETE",
    _ONE,
    scope=GROUP,
    ability=Ability.ADMIN_PROTECTED_TIERS,
    tier="premium",
    refusals=(404, 412),
    since="14.0",
)
def delete_group_protected_environment(ctx: WriteContext, group: Group, name: str) -> None:
    """Remove the protection of a tier of environments by a group."""
    environment = protected_environments.get_protected(ctx.world, group, name)
    ctx.check_unmodified_since(environment.updated_at)
    purge(ctx, environment)
