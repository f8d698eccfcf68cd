"""Custom roles of the instance. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import member_roles
from fakeplat.entities.people.member_roles import MemberRoleView
from fakeplat.model.people import BaseLevel, MemberRole
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Instance", login=Login.ALWAYS)
_PATH: Final = "member_roles"


@area.operation(
    "GET",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    view=MemberRoleView,
    many=True,
    paging=None,
    tier="ultimate",
    since="newer",
    refusals=(400,),
)
def list_member_roles(ctx: ReadContext) -> Sequence[MemberRole]:
    """List the custom roles of the instance."""
    _require_own_instance(ctx)
    return member_roles.list_member_roles(ctx.world)


def _require_own_instance(ctx: ReadContext) -> None:
    if ctx.instance.hosted:
        raise BadRequest("400 Bad request", reason="the hosted offering has custom roles of groups only")


class CreateMemberRole(Params):
    """A new custom role and the permissions that it adds."""

    base_access_level: BaseLevel
    name: str | None = None
    description: str | None = None
    admin_cicd_variables: bool = False
    admin_compliance_framework: bool = False
    admin_group_member: bool = False
    admin_merge_request: bool = False
    admin_push_rules: bool = False
    admin_terraform_state: bool = False
    admin_vulnerability: bool = False
    admin_web_hook: bool = False
    archive_project: bool = False
    manage_deploy_tokens: bool = False
    manage_group_access_tokens: bool = False
    manage_merge_request_settings: bool = False
    manage_project_access_tokens: bool = False
    manage_security_policy_link: bool = False
    read_code: bool = False
    read_dependency: bool = False
    read_runners: bool = False
    read_vulnerability: bool = False
    remove_group: bool = False
    remove_project: bool = False


@area.operation(
    "POST",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    params=CreateMemberRole,
    view=MemberRoleView,
    tier="ultimate",
    since="newer",
    refusals=(400,),
)
def create_member_role(ctx: WriteContext, p: CreateMemberRole) -> MemberRole:
    """Create a custom role of the instance."""
    _require_own_instance(ctx)
    # A null means the default.
    return member_roles.create(ctx, **{name: value for name, value in p.given().items() if value is not None})


@area.operation(
    "DELETE",
    f"{_PATH}/:id",
    ability=Ability.ADMIN_MEMBER_ROLES,
    tier="ultimate",
    since="newer",
    refusals=(400, 404),
)
def delete_member_role(ctx: WriteContext, id: int) -> None:
    """Delete a custom role of the instance."""
    _require_own_instance(ctx)
    member_roles.delete(ctx, member_roles.get_member_role(ctx.world, id))
