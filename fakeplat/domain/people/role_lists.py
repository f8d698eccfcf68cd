"""Which custom roles a caller sees and can assign. Source: docs/platform/project-members.md."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, Literal

from fakeplat.domain.people import member_roles, role_permissions
from fakeplat.model.people import Group, Level, MemberRole
from fakeplat.model.projects import Container, Project
from fakeplat.policy import custom_roles
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of

RoleOrder = Literal["name", "created_at", "id"]
_KEYS: Final[dict[str, Callable[[MemberRole], Any]]] = {
    "name": lambda role: (role.name, role.id),
    # The platform sorts by ID in place of the time.
    "created_at": lambda role: role.id,
    "id": lambda role: role.id,
}


def sort(roles: Sequence[MemberRole], order: RoleOrder = "name", *, descending: bool = False) -> list[MemberRole]:
    """Sort custom roles."""
    return sorted(roles, key=_KEYS[order], reverse=descending)


def are_licensed(ctx: ReadContext) -> bool:
    """Return whether the caller is signed in, on an instance that has custom roles, as the hosted offering does."""
    return ctx.viewer is not None and (ctx.instance.hosted or has_feature(ctx.world, "ultimate"))


def can_read(ctx: ReadContext, container: Container) -> bool:
    """Return whether the caller can read the custom roles of a project or group."""
    return custom_roles.are_available(ctx.world, container) and can(ctx, Ability.READ_MEMBER_ROLE, container)


def can_administer(ctx: ReadContext, group: Group | None) -> bool:
    """Return whether the caller can change custom roles: of the instance, or of a group of the hosted offering."""
    if group is None:
        return are_licensed(ctx) and can(ctx, Ability.ADMIN_MEMBER_ROLES)
    is_hosted = ctx.instance.hosted and custom_roles.are_available(ctx.world, group)
    return is_hosted and can(ctx, Ability.ADMIN_GROUP_MEMBER_ROLE, group)


def can_administer_role(ctx: ReadContext, role: MemberRole) -> bool:
    """Return whether the caller can change a custom role, which administrators can everywhere."""
    if can_administer(ctx, None):
        return True
    return role.group_id is not None and can_administer(ctx, group_of(ctx, role))


def group_of(ctx: ReadContext, role: MemberRole) -> Group | None:
    """Return the group of a custom role, None if it is one of the instance."""
    group = ctx.world.namespaces.get(role.group_id or 0)
    return group if isinstance(group, Group) else None


def list_roles(
    ctx: ReadContext, container: Container | None = None, ids: Collection[int] | None = None
) -> list[MemberRole]:
    """Return the custom roles for members that the caller sees, maybe only some of them."""
    if not are_licensed(ctx):
        return []
    found = [role for role in _list_available(ctx, container) if role.base_access_level is not None]
    return found if not ids else [role for role in found if role.id in ids and _is_visible(ctx, role)]


def _list_available(ctx: ReadContext, container: Container | None) -> Sequence[MemberRole]:
    if not ctx.instance.hosted:
        return member_roles.list_member_roles(ctx.world)
    if container is None:
        return ctx.world.member_roles.all()
    *_, root = ancestors_of(ctx.world, container)
    return member_roles.list_member_roles(ctx.world, root) if can_read(ctx, container) else []


def _is_visible(ctx: ReadContext, role: MemberRole) -> bool:
    group = group_of(ctx, role)
    return group is None or can_read(ctx, group)


def list_admin_roles(ctx: ReadContext, ids: Collection[int] | None = None) -> list[MemberRole]:
    """Return the custom roles of administrators, for administrators."""
    if not can_administer(ctx, None) or not role_permissions.are_admin_roles_on(ctx.world):
        return []
    return [role for role in member_roles.list_admin_roles(ctx.world) if not ids or role.id in ids]


def can_assign(ctx: ReadContext, container: Container, role: MemberRole) -> bool:
    """Return whether the caller has all permissions of a custom role in a project or group."""
    level = level_on(ctx, container)
    if level == Level.OWNER:
        return True
    own = _find_own_role(ctx, container)
    added = role_permissions.list_of_role(ctx.world, own) if own is not None else []
    return all(
        permission in added or level in _levels_of(permission, container)
        for permission in role_permissions.list_of_role(ctx.world, role)
    )


def _levels_of(permission: role_permissions.RolePermission, container: Container) -> tuple[int, ...]:
    return permission.project_levels if isinstance(container, Project) else permission.group_levels


def _find_own_role(ctx: ReadContext, container: Container) -> MemberRole | None:
    """Return the custom role of the caller's membership with the highest level in a project or group."""
    if ctx.viewer is None:
        return None
    sources = [("group", group.id) for group in ancestors_of(ctx.world, container)]
    if isinstance(container, Project):
        sources.insert(0, ("project", container.id))
    found = (ctx.world.members.find("pair", (source, ctx.viewer.id)) for source in sources)
    highest = max((member for member in found if member is not None), key=lambda each: each.access_level, default=None)
    return ctx.world.member_roles.get(highest.member_role_id or 0) if highest is not None else None
