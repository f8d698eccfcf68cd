"""What custom roles of members grant in addition to their levels. Source: docs/platform/project-members.md."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import CUSTOM_ROLES
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import Source, ancestors_of, level_within

if TYPE_CHECKING:
    from fakeplat.model.people import MemberRole

_DEPLOY_TOKENS: Final = (Ability.READ_DEPLOY_TOKEN, Ability.CREATE_DEPLOY_TOKEN, Ability.DESTROY_DEPLOY_TOKEN)
_ACCESS_TOKENS: Final = (
    Ability.READ_RESOURCE_ACCESS_TOKENS,
    Ability.CREATE_RESOURCE_ACCESS_TOKENS,
    Ability.DESTROY_RESOURCE_ACCESS_TOKENS,
)
_EVERYWHERE: Final = {
    "admin_cicd_variables": (Ability.ADMIN_CICD_VARIABLES,),
    "admin_push_rules": (Ability.CHANGE_PUSH_RULES,),
    "manage_deploy_tokens": _DEPLOY_TOKENS,
}
_ON_PROJECTS: Final = {
    **_EVERYWHERE,
    "admin_merge_request": (
        Ability.CREATE_MERGE_REQUEST_FROM,
        Ability.READ_MERGE_REQUESTS,
        Ability.ADMIN_MERGE_REQUEST,
        Ability.DOWNLOAD_CODE,
    ),
    "admin_protected_environments": (Ability.ADMIN_PROTECTED_ENVIRONMENTS, Ability.ADMIN_PROTECTED_TIERS),
    "admin_terraform_state": (Ability.READ_TERRAFORM_STATE, Ability.ADMIN_TERRAFORM_STATE),
    "archive_project": (Ability.ARCHIVE_PROJECT,),
    "manage_merge_request_settings": (Ability.UPDATE_APPROVERS,),
    "manage_project_access_tokens": _ACCESS_TOKENS,
    "read_code": (Ability.DOWNLOAD_CODE,),
    "remove_project": (Ability.REMOVE_PROJECT,),
}
_ON_GROUPS: Final = {
    **_EVERYWHERE,
    "admin_group_member": (
        Ability.ADMIN_MEMBERS,
        Ability.UPDATE_MEMBERS,
        Ability.READ_BILLABLE_MEMBERS,
        Ability.ADMIN_SERVICE_ACCOUNT_MEMBERS,
    ),
    "manage_group_access_tokens": _ACCESS_TOKENS,
    "read_crm_contact": (Ability.READ_CRM_CONTACT,),
    "remove_group": (Ability.REMOVE_GROUP,),
}


def _by_ability(permissions: Mapping[str, tuple[Ability, ...]]) -> dict[Ability, tuple[str, ...]]:
    abilities = {ability for granted in permissions.values() for ability in granted}
    return {
        ability: tuple(name for name, granted in permissions.items() if ability in granted) for ability in abilities
    }


_PERMISSIONS: Final[dict[type, dict[Ability, tuple[str, ...]]]] = {
    Project: _by_ability(_ON_PROJECTS),
    Group: _by_ability(_ON_GROUPS),
}
"""The permissions that grant an ability, by the kind of what it is needed for."""


def grants(world: World, user_id: int, ability: Ability, subject: Routable) -> bool:
    """Return whether a custom role of a user's memberships, direct or inherited, grants an ability."""
    names = _PERMISSIONS.get(type(subject), {}).get(ability)
    if not names or not are_available(world, subject):
        return False
    return any(getattr(role, name) for role in _list_roles(world, user_id, subject) for name in names)


def are_available(world: World, container: Routable) -> bool:
    """Return whether members of a project or group can have custom roles."""
    return world.profile.has(CUSTOM_ROLES) and has_feature(world, "ultimate", container)


def _list_roles(world: World, user_id: int, container: Routable) -> "Iterator[MemberRole]":
    is_project = isinstance(container, Project)
    groups = ancestors_of(world, container)
    for source in (*([("project", container.id)] if is_project else ()), *(("group", group.id) for group in groups)):
        yield from _list_roles_of_shares(world, source, user_id)
        member = world.members.find("pair", (source, user_id))
        if member is not None and member.state == "active" and member.member_role_id is not None:
            yield world.member_roles[member.member_role_id]


def _list_roles_of_shares(world: World, source: Source, user_id: int) -> "Iterator[MemberRole]":
    """Yield the roles of shares with the groups in which a user has at least their level."""
    for share in world.shares.where("source", source):
        role = world.member_roles.get(share.member_role_id) if share.member_role_id is not None else None
        if role is not None and level_within(world, share.group_id, user_id) >= (role.base_access_level or 0):
            yield role
