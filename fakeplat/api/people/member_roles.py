"""Custom roles of the instance, of groups and of administrators. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, cast

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import member_roles, namespaces
from fakeplat.entities.people.member_roles import MemberRoleView
from fakeplat.model.people import ADMIN_PERMISSIONS, ROLE_PERMISSIONS, BaseLevel, Group, MemberRole
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import ROLE_PERMISSIONS_ARE_CHECKED, ROLES_OF_GROUPS_ARE_HOSTED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Instance", login=Login.ALWAYS)
group_area: Final = Area("Member roles", login=Login.ALWAYS)
_PATH: Final = "member_roles"
_ADMIN_PATH: Final = "admin_member_roles"


@area.operation(
    "GET",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    view=MemberRoleView,
    many=True,
    paging=None,
    tier="ultimate",
    since="16.9",
    refusals=(400,),
)
def list_member_roles(ctx: ReadContext) -> Sequence[MemberRole]:
    """List the custom roles of the instance."""
    _require_own_instance(ctx)
    return member_roles.list_member_roles(ctx.world)


def _require_own_instance(ctx: ReadContext) -> None:
    if ctx.instance.hosted:
        raise BadRequest("400 Bad request", reason="the hosted offering has custom roles of groups only")


class RoleFields(Params):
    """A new custom role, apart from the permissions that it adds."""

    base_access_level: Annotated[BaseLevel, Lifetime(since="17.7", values=(15,))]
    name: str | None = None
    description: str | None = None


CreateMemberRole: Final = cast(
    type[RoleFields],
    type(
        "CreateMemberRole",
        (RoleFields,),
        {
            "__doc__": "A new custom role and the permissions that it adds.",
            "__annotations__": {name: Annotated[bool, lifetime] for name, lifetime in ROLE_PERMISSIONS.items()},
            **dict.fromkeys(ROLE_PERMISSIONS, False),
        },
    ),
)


@area.operation(
    "POST",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    params=CreateMemberRole,
    view=MemberRoleView,
    tier="ultimate",
    since="16.9",
    refusals=(400,),
)
def create_member_role(ctx: WriteContext, p: RoleFields) -> MemberRole:
    """Create a custom role of the instance."""
    _require_own_instance(ctx)
    return member_roles.create(ctx, **_values(p, p.base_access_level))


def _values(p: "RoleFields | AdminRoleFields", base_access_level: BaseLevel | None = None) -> dict[str, Any]:
    # A null means the default.
    given = {name: value for name, value in p.given().items() if value is not None}
    has_name = p.name is not None and p.name.strip()
    return given if has_name else {**given, "name": member_roles.name_by_default(base_access_level)}


@area.operation(
    "DELETE",
    f"{_PATH}/:id",
    ability=Ability.ADMIN_MEMBER_ROLES,
    tier="ultimate",
    since="16.9",
    refusals=(400, 404),
)
def delete_member_role(ctx: WriteContext, id: int) -> None:
    """Delete a custom role of the instance."""
    _require_own_instance(ctx)
    member_roles.delete(ctx, member_roles.get_member_role(ctx.world, id))


def _authorize_on_group(ctx: ReadContext, group: Group) -> None:
    """Refuse with 400 where only the instance has roles, and with 403 whoever does not own the group."""
    if ctx.profile.has(ROLES_OF_GROUPS_ARE_HOSTED) and not ctx.instance.hosted:
        page = f"{ctx.origin}/help/update/deprecations.md"
        anchor = "deprecate-custom-role-creation-for-group-owners-on-self-managed"
        text = f"Group-level custom roles are deprecated on self-managed instances. See {page}#{anchor}"
        raise BadRequest(f"400 Bad request - {text}", reason="only the hosted offering has custom roles of groups")
    authorize(ctx, Ability.ADMIN_GROUP, group)


@group_area.operation(
    "GET",
    _PATH,
    scope=GROUP,
    view=MemberRoleView,
    many=True,
    paging=None,
    tier="ultimate",
    since="15.9",
    refusals=(400, 403),
)
def list_group_member_roles(ctx: ReadContext, group: Group) -> Sequence[MemberRole]:
    """List the custom roles of a top-level group."""
    _authorize_on_group(ctx, group)
    return member_roles.list_member_roles(ctx.world, namespaces.root_of(ctx.world, group))


@group_area.operation(
    "POST",
    _PATH,
    scope=GROUP,
    params=CreateMemberRole,
    view=MemberRoleView,
    tier="ultimate",
    since="15.9",
    refusals=(400, 403),
)
def create_group_member_role(ctx: WriteContext, group: Group, p: RoleFields) -> MemberRole:
    """Create a custom role of a top-level group."""
    _authorize_on_group(ctx, group)
    if group.parent_id is not None and not ctx.profile.has(ROLE_PERMISSIONS_ARE_CHECKED):
        text = "Creation of member role is allowed only for root groups"
        raise BadRequest(text, reason=lambda: f"{describe(ctx.world, group)} has a parent")
    return member_roles.create(ctx, group=group, **_values(p, p.base_access_level))


@group_area.operation(
    "DELETE",
    f"{_PATH}/:member_role_id",
    scope=GROUP,
    tier="ultimate",
    since="15.9",
    refusals=(400, 403, 404),
)
def delete_group_member_role(ctx: WriteContext, group: Group, member_role_id: int) -> None:
    """Delete a custom role of a top-level group."""
    _authorize_on_group(ctx, group)
    member_roles.delete(ctx, member_roles.get_member_role(ctx.world, member_role_id, group))


class AdminRoleFields(Params):
    """A new custom role of administrators, apart from the permissions that it adds."""

    name: str | None = None
    description: str | None = None


CreateAdminRole: Final = cast(
    type[AdminRoleFields],
    type(
        "CreateAdminRole",
        (AdminRoleFields,),
        {
            "__doc__": "A new custom role of administrators, and the permissions that it adds.",
            "__annotations__": {name: Annotated[bool, lifetime] for name, lifetime in ADMIN_PERMISSIONS.items()},
            **dict.fromkeys(ADMIN_PERMISSIONS, False),
        },
    ),
)


@area.operation(
    "GET",
    _ADMIN_PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    view=MemberRoleView,
    many=True,
    paging=None,
    tier="ultimate",
    since="18.3",
)
def list_admin_member_roles(ctx: ReadContext) -> Sequence[MemberRole]:
    """List the custom roles of administrators."""
    return member_roles.list_admin_roles(ctx.world)


@area.operation(
    "POST",
    _ADMIN_PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    params=CreateAdminRole,
    view=MemberRoleView,
    tier="ultimate",
    since="18.3",
    refusals=(400,),
)
def create_admin_member_role(ctx: WriteContext, p: AdminRoleFields) -> MemberRole:
    """Create a custom role of administrators."""
    return member_roles.create(ctx, **_values(p))


@area.operation(
    "DELETE",
    f"{_ADMIN_PATH}/:member_role_id",
    ability=Ability.ADMIN_MEMBER_ROLES,
    tier="ultimate",
    since="18.3",
    refusals=(400, 404),
)
def delete_admin_member_role(ctx: WriteContext, member_role_id: int) -> None:
    """Delete a custom role of administrators."""
    member_roles.delete(ctx, member_roles.get_member_role(ctx.world, member_role_id))
