"""Sharing projects and groups with groups. Source: docs/platform/projects.md."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest, Conflict, NotFound, NotFoundWithMessage
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import signals
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.purging import purge
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable, Share
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import SHARES_ARE_AS_VISIBLE_AS_GROUPS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import ancestors

_EXPIRE: Final = "expire_share"


def list_shares(world: World, container: Routable) -> list[Share]:
    """Return the shares of a project or group."""
    return list(world.shares.where("source", source_of(container)))


def list_visible_shares(ctx: ReadContext, container: Routable) -> list[Share]:
    """Return the shares of a project or group; later those with groups that the caller can see."""
    rows = list_shares(ctx.world, container)
    if not ctx.profile.has(SHARES_ARE_AS_VISIBLE_AS_GROUPS):
        return rows
    return [share for share in rows if can_see(ctx, ctx.world.namespaces[share.group_id])]


def is_locked(world: World, project: Project) -> bool:
    """Return whether a group above the project forbids sharing."""
    return any(
        getattr(container, "share_with_group_lock", False) for container in ancestors(world, project.namespace_id)
    )


def share_with_group(
    ctx: WriteContext,
    container: Routable,
    group: Group,
    group_access: int,
    expires_at: str | None = None,
    member_role_id: int | None = None,
) -> Share:
    """Share a project or group with a group, whose members may get a custom role."""
    # The lock of a group concerns the sharing of its projects, not its own.
    if isinstance(container, Project) and is_locked(ctx.world, container):
        reason = "share_with_group_lock is on in a group above"
        raise BadRequest("The project sharing with group is disabled", reason=reason)
    table, source = ctx.world.shares, source_of(container)
    if table.find("pair", (source, group.id)):
        raise Conflict("Group already shared with this group")
    share = table.add(Share(table.next_id(), source, group.id, group_access, ctx.now_iso, expires_at, member_role_id))
    if expires_at is not None:
        ctx.schedule(_EXPIRE, ("shares", share.id), from_iso(expires_at))
    signals.post_create.send(ctx, share)
    return share


def add_group(
    ctx: WriteContext,
    shared: Group,
    group: Group,
    group_access: int,
    expires_at: str | None = None,
    member_role_id: int | None = None,
) -> Share:
    """Share a group with another group; 404 if the top-level group keeps to its own hierarchy."""
    top, other = (namespaces.root_of(ctx.world, each) for each in (shared, group))
    if isinstance(top, Group) and top.prevent_sharing_groups_outside_hierarchy and other.id != top.id:
        raise NotFoundWithMessage("Not Found", reason="prevent_sharing_groups_outside_hierarchy is on")
    # Groups have another error text than projects; the check inside `share_with_group` never fails after this one.
    if ctx.world.shares.find("pair", (source_of(shared), group.id)):
        raise Conflict("Shared group has already been taken")
    return share_with_group(ctx, shared, group, group_access, expires_at, member_role_id)


def get_share(world: World, container: Routable, group_id: int) -> Share:
    """Return the share of a project or group with a group, or raise 404."""
    share = world.shares.find("pair", (source_of(container), group_id))
    if share is None:
        raise NotFound("Group Link", reason=lambda: f"{describe(world, container)} is not shared with group {group_id}")
    return share


@task_handler(_EXPIRE)
def _expire(ctx: WriteContext, due: ScheduledTask) -> None:
    share = ctx.world.shares.get(due.subject[1])
    if share is not None:
        purge(ctx, share)
