"""Security settings of the instance, of groups and of projects. Source: docs/platform/settings.md."""

from typing import Annotated, Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import Forbidden, Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.instance import policy_settings
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.entities.projects.security_settings import SecuritySettingView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Security settings", login=Login.ALWAYS, located_first=True)


def _authorize(ctx: ReadContext, ability: Ability, container: Project | Group) -> None:
    """Refuse with 401, as the platform does here, unless the caller has an ability."""
    decision = decide(ctx, ability, container)
    if not decision.allowed:
        raise Unauthorized(reason=decision.why)


@area.operation(
    "GET",
    "security_settings",
    scope=PROJECT,
    view=SecuritySettingView,
    tier="ultimate",
    since="17.2",
)
def get_project_security_settings(ctx: ReadContext, project: Project) -> Project:
    """Get the security settings of a project. Those who may not are told 401."""
    _authorize(ctx, Ability.READ_SECURITY_SETTINGS, project)
    return project


class UpdateSecuritySettings(Params):
    """Whether pushes with secrets are refused, by either of two names."""

    secret_push_protection_enabled: Annotated[bool | None, Lifetime(since="17.11")] = None
    pre_receive_secret_detection_enabled: bool | None = None

    rules = (at_least_one_of("secret_push_protection_enabled", "pre_receive_secret_detection_enabled"),)


@area.operation(
    "PUT",
    "security_settings",
    scope=PROJECT,
    params=UpdateSecuritySettings,
    view=SecuritySettingView,
    refusals=(403,),
    tier="ultimate",
    since="17.2",
)
def update_project_security_settings(ctx: WriteContext, project: Project, p: UpdateSecuritySettings) -> Project:
    """Set the protection of a project against secrets in pushes."""
    _authorize(ctx, Ability.ADMIN_SECURITY_SETTINGS, project)
    given = p.given()
    enabled = bool(given.get("secret_push_protection_enabled", given.get("pre_receive_secret_detection_enabled")))
    if project.archived:
        raise Forbidden(reason="the project is archived")
    return ctx.world.projects.change(project, secret_push_protection_enabled=enabled)


class UpdateGroupSecuritySettings(Params):
    """Whether pushes with secrets are refused in the projects of a group, and the projects that are left out."""

    secret_push_protection_enabled: bool
    projects_to_exclude: list[int] | None = None


@area.operation(
    "PUT",
    "security_settings",
    scope=GROUP,
    params=UpdateGroupSecuritySettings,
    tier="ultimate",
    since="17.7",
)
def update_group_security_settings(ctx: WriteContext, group: Group, p: UpdateGroupSecuritySettings) -> dict[str, Any]:
    """Set the protection of all projects of a group against secrets in pushes."""
    _authorize(ctx, Ability.ADMIN_SECURITY_SETTINGS, group)
    excluded = p.projects_to_exclude or ()
    for project in list(list_projects_within(ctx.world, group)):
        if project.id not in excluded:
            ctx.world.projects.change(project, secret_push_protection_enabled=p.secret_push_protection_enabled)
    return {"secret_push_protection_enabled": p.secret_push_protection_enabled, "errors": []}


@area.operation(
    "GET",
    "admin/security/compliance_policy_settings",
    ability=Ability.ADMIN_SECURITY_POLICIES,
    tier="ultimate",
    since="18.3",
)
def get_compliance_policy_settings(ctx: ReadContext) -> dict[str, int | None]:
    """Get the group that manages the security policies of the instance."""
    return {"csp_namespace_id": policy_settings.get_setting(ctx.world).csp_namespace_id}


class UpdateCompliancePolicySettings(Params):
    """A top-level group, or null for none."""

    csp_namespace_id: int | None


@area.operation(
    "PUT",
    "admin/security/compliance_policy_settings",
    ability=Ability.ADMIN_SECURITY_POLICIES,
    params=UpdateCompliancePolicySettings,
    refusals=(422,),
    tier="ultimate",
    since="18.3",
)
def update_compliance_policy_settings(ctx: WriteContext, p: UpdateCompliancePolicySettings) -> dict[str, int | None]:
    """Set the group that manages the security policies of the instance."""
    return {"csp_namespace_id": policy_settings.set_group(ctx, p.csp_namespace_id).csp_namespace_id}
