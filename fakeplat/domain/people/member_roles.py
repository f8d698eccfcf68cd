"""Custom roles of the instance, of groups and of administrators. Source: docs/platform/project-members.md."""

from collections.abc import Iterator, Sequence
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.people import role_permissions
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN
from fakeplat.model.people import (
    ADMIN_PERMISSIONS,
    BaseLevel,
    Group,
    MemberRole,
    Namespace,
    User,
    UserMemberRole,
)
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy import custom_roles
from fakeplat.policy.behaviours import ROLE_PERMISSIONS_ARE_CHECKED
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors_of

_HAS_MEMBERS: Final = (
    "Role is assigned to one or more group members. Remove role from all group members, then delete role."
)
_HAS_USERS: Final = "Admin role is assigned to one or more users. Remove role from all users, then delete role."
_TOO_MANY: Final = (
    "Namespace maximum number of Member Roles are already in use by the group hierarchy. "
    "Please delete an existing Member Role."
)
_MOST_OF_GROUP: Final = 10
_NO_LEVEL: Final = (f"Base access level {BLANK}", "Base access level is not included in the list")
_LEVEL_NAMES: Final = {10: "Guest", 15: "Planner", 20: "Reporter", 30: "Developer", 40: "Maintainer", 50: "Owner"}


def list_member_roles(world: World, group: Namespace | None = None) -> Sequence[MemberRole]:
    """Return the custom roles of the instance or of a group, the oldest first."""
    if group is not None:
        return world.member_roles.where("group", group.id)
    return [role for role in world.member_roles.all() if role.group_id is None and role.base_access_level is not None]


def list_admin_roles(world: World) -> Sequence[MemberRole]:
    """Return the custom roles of administrators, the oldest first."""
    return [role for role in world.member_roles.all() if role.base_access_level is None]


def get_member_role(world: World, id_: int, group: Group | None = None) -> MemberRole:
    """Return the custom role with an id, of a group if one is given, or refuse with 404."""
    role = world.member_roles.get(id_)
    if role is None or (group is not None and role.group_id != group.id):
        raise NotFound("Member Role", reason=f"there is no such custom role {id_}")
    return role


def find_assignable(world: World, container: Routable, id_: int | None) -> int | None:
    """Return the id of the role that a member of a project or group is to get; None where there are no roles.

    400 for an unknown id.
    """
    if id_ is None or not custom_roles.are_available(world, container):
        return None
    role = world.member_roles.get(id_)
    *_, root = ancestors_of(world, container)
    if role is None or role.base_access_level is None or role.group_id not in (None, root.id):
        raise InvalidRecord({"member_role": ["not found"]}, reason=f"there is no custom role {id_} for members here")
    return id_


def delete(ctx: WriteContext, role: MemberRole) -> None:
    """Delete a custom role; 400 if a member or a user has it."""
    if ctx.world.members.where("member_role", role.id):
        raise BadRequest(_HAS_MEMBERS, reason=f"members have the role {role.name!r}")
    if ctx.world.user_member_roles.where("member_role", role.id):
        raise BadRequest(_HAS_USERS, reason=f"users have the role {role.name!r}")
    purge(ctx, role)


class RoleFields(TypedDict, total=False):
    """Further fields of a custom role: its permissions."""

    created_at: str
    description: str | None
    admin_cicd_variables: bool
    admin_compliance_framework: bool
    admin_group_member: bool
    admin_integrations: bool
    admin_merge_request: bool
    admin_protected_branch: bool
    admin_protected_environments: bool
    admin_push_rules: bool
    admin_runners: bool
    admin_security_attributes: bool
    admin_security_testing: bool
    admin_terraform_state: bool
    admin_vulnerability: bool
    admin_web_hook: bool
    apply_security_scan_profiles: bool
    archive_project: bool
    manage_deploy_tokens: bool
    manage_group_access_tokens: bool
    manage_merge_request_settings: bool
    manage_project_access_tokens: bool
    manage_protected_tags: bool
    manage_security_policy_link: bool
    read_admin_cicd: bool
    read_admin_groups: bool
    read_admin_monitoring: bool
    read_admin_projects: bool
    read_admin_subscription: bool
    read_admin_users: bool
    read_code: bool
    read_compliance_dashboard: bool
    read_crm_contact: bool
    read_dependency: bool
    read_runners: bool
    read_security_attribute: bool
    read_security_scan_profiles: bool
    read_vulnerability: bool
    remove_group: bool
    remove_project: bool


def create(
    ctx: WriteContext,
    *,
    name: str | None = None,
    base_access_level: BaseLevel | None = None,
    group: Group | None = None,
    **fields: Unpack[RoleFields],
) -> MemberRole:
    """Create a custom role; 400 with all errors. Without a level, it is a role of administrators."""
    role = build(ctx, name or "", base_access_level, group, **fields)
    _refuse(role, list(_list_errors(ctx.world, role, group)))
    return ctx.world.member_roles.add(role)


def build(
    ctx: WriteContext, name: str, base_access_level: BaseLevel | None, group: Group | None, **fields: Unpack[RoleFields]
) -> MemberRole:
    """Build a custom role without checking it."""
    values: RoleFields = {"created_at": ctx.now_iso, **fields}
    group_id = group.id if group is not None else None
    return MemberRole(ctx.world.member_roles.next_id(), name, base_access_level, group_id=group_id, **values)


def _refuse(role: MemberRole, errors: Sequence[str]) -> None:
    if errors:
        raise BadRequest(", ".join(errors), reason=f"the role {role.name!r} is invalid")


def _list_errors(world: World, role: MemberRole, new_in: Group | None = None) -> Iterator[str]:
    is_checked = world.profile.has(ROLE_PERMISSIONS_ARE_CHECKED)
    if is_checked:
        yield from role_permissions.list_errors(world, role)
    yield from _list_name_errors(world, role)
    yield from _list_group_errors(world, new_in)
    if is_checked:
        if role.base_access_level is None and not any(getattr(role, name) for name in ADMIN_PERMISSIONS):
            yield from _NO_LEVEL
        yield from role_permissions.list_missing_requirements(role)


def _list_name_errors(world: World, role: MemberRole) -> Iterator[str]:
    if not role.name.strip():
        yield f"Name {BLANK}"
    same = world.member_roles.find("name", (role.group_id, role.name))
    if same is not None and same.id != role.id:
        yield f"Name {TAKEN}"


def _list_group_errors(world: World, group: Group | None) -> Iterator[str]:
    if group is not None and group.parent_id is not None:
        yield "Namespace must be top-level namespace"
    if group is not None and len(world.member_roles.where("group", group.id)) >= _MOST_OF_GROUP:
        yield _TOO_MANY


class RoleChanges(RoleFields, total=False):
    """What can be changed of a custom role."""

    name: str


def update(ctx: WriteContext, role: MemberRole, **changes: Unpack[RoleChanges]) -> MemberRole:
    """Change a custom role; 400 with all errors."""
    changed = evolve(role, **changes)
    _refuse(changed, list(_list_errors(ctx.world, changed)))
    return ctx.world.member_roles.change(role, **changes)


def name_by_default(base_access_level: BaseLevel | None) -> str:
    """Return the name of a role without one, after its level."""
    level = "Admin role" if base_access_level is None else _LEVEL_NAMES[base_access_level]
    return f"{level} - custom"


def assign(ctx: WriteContext, user: User, role: MemberRole) -> UserMemberRole:
    """Give a user a custom role of administrators, instead of the one that the user has."""
    table = ctx.world.user_member_roles
    existing = table.find("user", user.id)
    if existing is not None:
        return table.change(existing, member_role_id=role.id)
    return table.add(UserMemberRole(table.next_id(), user.id, role.id))


def unassign(ctx: WriteContext, user: User) -> None:
    """Take the custom role of administrators from a user who has one."""
    existing = ctx.world.user_member_roles.find("user", user.id)
    if existing is not None:
        purge(ctx, existing)
