"""Custom roles of the instance, of groups and of administrators. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.people import BaseLevel, Group, MemberRole, Namespace
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy import custom_roles
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import ancestors_of

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
    """Delete a custom role; 400 if a member has it."""
    if ctx.world.members.where("member_role", role.id):
        text = "Role is assigned to one or more members. Remove role from all members, then delete role."
        raise BadRequest(text, reason=f"members have the role {role.name!r}")
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
    base_access_level: BaseLevel | None = None,
    name: str | None = None,
    group: Group | None = None,
    **fields: Unpack[RoleFields],
) -> MemberRole:
    """Create a custom role, named after its level by default; 400 for a name that is taken, and for subgroups.

    Without a level, it is a role of administrators.
    """
    if group is not None and group.parent_id is not None:
        text = "Creation of member role is allowed only for root groups"
        raise BadRequest(text, reason=lambda: f"{describe(ctx.world, group)} has a parent")
    table, group_id = ctx.world.member_roles, group.id if group is not None else None
    chosen = name if name and name.strip() else f"{_level_name(base_access_level)} - custom"
    errors = ValidationErrors()
    errors.when(table.find("name", (group_id, chosen)), "name", TAKEN)
    if errors:
        raise BadRequest(", ".join(errors.full_messages()), reason=f"there is a custom role {chosen!r}")
    values: RoleFields = {"created_at": ctx.now_iso, **fields}
    return table.add(MemberRole(table.next_id(), chosen, base_access_level, group_id=group_id, **values))


def _level_name(base_access_level: BaseLevel | None) -> str:
    return "Admin role" if base_access_level is None else _LEVEL_NAMES[base_access_level]
