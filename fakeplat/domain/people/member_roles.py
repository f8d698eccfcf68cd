"""Custom roles of the instance. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.people import BaseLevel, MemberRole
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy import custom_roles
from fakeplat.policy.context import WriteContext

_LEVEL_NAMES: Final = {10: "Guest", 15: "Planner", 20: "Reporter", 30: "Developer", 40: "Maintainer", 50: "Owner"}


def list_member_roles(world: World) -> Sequence[MemberRole]:
    """Return the custom roles, the oldest first."""
    return world.member_roles.all()


def get_member_role(world: World, id_: int) -> MemberRole:
    """Return the custom role with an id, or refuse with 404."""
    role = world.member_roles.get(id_)
    if role is None:
        raise NotFound("Member Role", reason=f"there is no custom role {id_}")
    return role


def find_assignable(world: World, container: Routable, id_: int | None) -> int | None:
    """Return the id of the role that a member of a project or group is to get; None where there are no roles.

    400 for an unknown id.
    """
    if id_ is None or not custom_roles.are_available(world, container):
        return None
    if world.member_roles.get(id_) is None:
        raise InvalidRecord({"member_role": ["not found"]}, reason=f"there is no custom role {id_}")
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
    ctx: WriteContext, *, base_access_level: BaseLevel, name: str | None = None, **fields: Unpack[RoleFields]
) -> MemberRole:
    """Create a custom role, named after its level by default; 400 for a name that is taken."""
    table = ctx.world.member_roles
    chosen = name if name and name.strip() else f"{_LEVEL_NAMES[base_access_level]} - custom"
    errors = ValidationErrors()
    errors.when(table.find("name", chosen), "name", TAKEN)
    if errors:
        raise BadRequest(", ".join(errors.full_messages()), reason=f"there is a custom role {chosen!r}")
    values: RoleFields = {"created_at": ctx.now_iso, **fields}
    return table.add(MemberRole(table.next_id(), chosen, base_access_level, **values))
