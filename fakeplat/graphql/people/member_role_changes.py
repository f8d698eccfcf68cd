"""Mutations of custom roles. Source: docs/platform/project-members.md."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from graphql import GraphQLError

from fakeplat.domain.people import member_roles, role_lists, role_permissions
from fakeplat.domain.people.member_roles import RoleChanges
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.member_roles import ADMIN_SINCE, KIND, ROLES_SINCE
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.people import ADMIN_PERMISSIONS, ROLE_PERMISSIONS, BaseLevel, Group, MemberRole
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_STANDARD: Final = [name for name in ROLE_PERMISSIONS if name not in ADMIN_PERMISSIONS]
_ATTRIBUTES: Final = '''
"""The name."""
name: String
"""The description."""
description: String
'''
_ANY: Final = '"""The permissions that it adds."""\npermissions: [MemberRolePermission!]\n'
_ADMIN: Final = '"""The permissions that it adds."""\npermissions: [MemberRoleAdminPermission!]\n'
_ID: Final = '"""The global ID of the role."""\nid: MemberRoleID!\n'
_GIVES: Final = f'"""The role."""\nmemberRole: {KIND}'
_GIVES_ADMIN: Final = '"""The role."""\nmemberRole: AdminMemberRole'
_EMPTY: Final = "The list of member_role attributes is empty"
_OFF: Final = "`custom_admin_roles` feature flag is disabled."


class RoleInput(TypedDict, total=False):
    """The attributes of a custom role."""

    name: str | None
    description: str | None
    permissions: Sequence[str] | None


def _to_changes(attributes: RoleInput, absent: Collection[str] = ()) -> RoleChanges:
    """Return the attributes of a role, with the permissions ``absent`` off that are not given."""
    given: dict[str, Any] = dict.fromkeys(absent, False)
    given |= dict.fromkeys(attributes.get("permissions") or (), True)
    given |= {name: value for name, value in attributes.items() if name != "permissions"}
    if "name" in given:
        given["name"] = given["name"] or ""
    return cast("RoleChanges", given)


def _require_attributes(attributes: RoleInput) -> None:
    if not attributes:
        raise GraphQLError(_EMPTY)


def _require_role(ctx: ReadContext, text: str) -> MemberRole:
    role = ctx.world.member_roles.get(parse_id(ctx, text, KIND))
    if role is None or not role_lists.can_administer_role(ctx, role):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} changes no role {text}")
    return role


def _require_administration(ctx: ReadContext, group: Group | None = None) -> None:
    if not role_lists.can_administer(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} changes no custom roles here")


def _require_admin_roles(ctx: ReadContext) -> None:
    if not role_permissions.are_admin_roles_on(ctx.world):
        raise GraphQLError(_OFF)


# Roles of members


@mutation(
    "memberRoleCreate",
    input_fields=f'''
"""The role to which it adds permissions."""
baseAccessLevel: MemberRolesAccessLevel!
"""The full path of the group, in the hosted offering only."""
groupPath: ID
{_ATTRIBUTES}{_ANY}''',
    payload_fields=_GIVES,
    since=ROLES_SINCE,
)
def create_role(
    ctx: WriteContext,
    base_access_level: BaseLevel,
    group_path: str | None = None,
    **attributes: Unpack[RoleInput],
) -> Payload:
    """Create a custom role of members."""
    if ctx.instance.hosted and not group_path:
        raise GraphQLError("group_path argument is required.")
    if not ctx.instance.hosted and group_path:
        raise GraphQLError("group_path argument is not allowed on self-managed instances.")
    group = _require_group(ctx, group_path) if group_path else None
    _require_administration(ctx, group)
    with collect_errors(member_role=None):
        values = _to_changes(attributes)
        return {"member_role": member_roles.create(ctx, base_access_level=base_access_level, group=group, **values)}


def _require_group(ctx: ReadContext, path: str) -> Group:
    group = find_namespace(ctx, path)
    if not isinstance(group, Group):
        raise ResourceNotAvailable(f"there is no group {path!r}")
    return group


@mutation("memberRoleUpdate", input_fields=_ID + _ATTRIBUTES + _ANY, payload_fields=_GIVES, since="<=18.9")
def update_role(ctx: WriteContext, id: str, **attributes: Unpack[RoleInput]) -> Payload:
    """Change a custom role of members; permissions that are not sent are removed."""
    _require_attributes(attributes)
    role = _require_role(ctx, id)
    with collect_errors(member_role=role):
        return {"member_role": member_roles.update(ctx, role, **_to_changes(attributes, _STANDARD))}


@mutation("memberRoleDelete", input_fields=_ID, payload_fields=_GIVES, since="16.7")
def delete_role(ctx: WriteContext, id: str) -> Payload:
    """Delete a custom role that no member has."""
    role = _require_role(ctx, id)
    if role.base_access_level is None:
        raise GraphQLError("This mutation can only be used to delete standard member roles")
    return _delete(ctx, role)


def _delete(ctx: WriteContext, role: MemberRole) -> Payload:
    with collect_errors(member_role=role):
        member_roles.delete(ctx, role)
    return {"member_role": role}


# Roles of administrators


@mutation("memberRoleAdminCreate", input_fields=_ATTRIBUTES + _ADMIN, payload_fields=_GIVES_ADMIN, since=ADMIN_SINCE)
def create_admin_role(ctx: WriteContext, **attributes: Unpack[RoleInput]) -> Payload:
    """Create a custom role of administrators."""
    _require_admin_roles(ctx)
    _require_administration(ctx)
    with collect_errors(member_role=None):
        return {"member_role": member_roles.create(ctx, **_to_changes(attributes))}


@mutation("memberRoleAdminUpdate", input_fields=_ID + _ATTRIBUTES + _ADMIN, payload_fields=_GIVES_ADMIN, since="17.10")
def update_admin_role(ctx: WriteContext, id: str, **attributes: Unpack[RoleInput]) -> Payload:
    """Change a custom role of administrators; permissions that are not sent are removed."""
    _require_attributes(attributes)
    _require_admin_roles(ctx)
    role = _require_admin_role(ctx, id, "This mutation can only be used to update admin member roles")
    with collect_errors(member_role=role):
        return {"member_role": member_roles.update(ctx, role, **_to_changes(attributes, ADMIN_PERMISSIONS))}


def _require_admin_role(ctx: ReadContext, text: str, objection: str) -> MemberRole:
    role = _require_role(ctx, text)
    _require_admin_roles(ctx)
    if role.base_access_level is not None:
        raise GraphQLError(objection)
    return role


@mutation("memberRoleAdminDelete", input_fields=_ID, payload_fields=_GIVES, since="17.10")
def delete_admin_role(ctx: WriteContext, id: str) -> Payload:
    """Delete a custom role of administrators that no user has."""
    role = _require_admin_role(ctx, id, "This mutation is restricted to deleting admin roles only")
    return _delete(ctx, role)


@mutation(
    "memberRoleToUserAssign",
    input_fields='''
"""The global ID of the user."""
userId: UserID!
"""The global ID of the role; without it, the user has none any more."""
memberRoleId: MemberRoleID
''',
    payload_fields='"""The role of the user, unless it was taken away."""\nuserMemberRole: UserMemberRole',
    since=ADMIN_SINCE,
)
def assign_role(ctx: WriteContext, user_id: str, member_role_id: str | None = None) -> Payload:
    """Give a user a custom role of administrators, which administrators do not need."""
    if not role_permissions.are_admin_roles_on(ctx.world):
        raise ResourceNotAvailable(_OFF)
    _require_administration(ctx)
    user = ctx.world.users.get(parse_id(ctx, user_id, "User"))
    role = ctx.world.member_roles.get(parse_id(ctx, member_role_id, KIND)) if member_role_id is not None else None
    if user is None or (member_role_id is not None and role is None):
        raise ResourceNotAvailable(f"there is no user {user_id}, or no role {member_role_id}")
    if role is not None and role.base_access_level is not None:
        return {"user_member_role": None, "errors": ["Only admin custom roles can be assigned directly to a user."]}
    if role is None or user.admin:
        member_roles.unassign(ctx, user)
        return {"user_member_role": None}
    return {"user_member_role": member_roles.assign(ctx, user, role)}
