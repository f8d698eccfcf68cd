"""Sharing projects (and groups) with groups. Source: docs/platform/projects.md."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest, Conflict, NotFound
from fakeplat.core.stamps import moment
from fakeplat.core.store.agenda import Due, work
from fakeplat.domain.people.members import Place, source_of
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project, Share
from fakeplat.model.world import World
from fakeplat.policy.context import Doing
from fakeplat.policy.levels import chain
from fakeplat.policy.naming import named

_EXPIRE: Final = "expire_share"


def of(world: World, place: Place) -> list[Share]:
    """With which groups a place is shared."""
    return list(world.shares.where("source", source_of(place)))


def locked(world: World, project: Project) -> bool:
    """Whether a group above forbids sharing."""
    return any(getattr(place, "share_with_group_lock", False) for place in chain(world, project.namespace_id))


def add(cx: Doing, place: Place, group: Group, group_access: int, expires_at: str | None = None) -> Share:
    """Share a place with a group."""
    if isinstance(place, Project) and locked(cx.world, place):
        reason = "share_with_group_lock is on in a group above"
        raise BadRequest("The project sharing with group is disabled", reason=reason)
    table, source = cx.world.shares, source_of(place)
    if table.find("pair", (source, group.id)):
        raise Conflict("Group already shared with this group")
    share = table.add(Share(table.next_id(), source, group.id, group_access, cx.instant, expires_at))
    if expires_at is not None:
        cx.later(_EXPIRE, ("shares", share.id), moment(expires_at))
    return share


def add_group(cx: Doing, shared: Group, group: Group, group_access: int, expires_at: str | None = None) -> Share:
    """Share a group with another group."""
    if cx.world.shares.find("pair", (source_of(shared), group.id)):
        raise Conflict("Shared group has already been taken")
    return add(cx, shared, group, group_access, expires_at)


def find(world: World, place: Place, group_id: int) -> Share:
    """Find the share of a place with a group, or 404."""
    share = world.shares.find("pair", (source_of(place), group_id))
    if share is None:
        raise NotFound("Group Link", reason=lambda: f"{named(world, place)} is not shared with group {group_id}")
    return share


def remove(cx: Doing, share: Share) -> None:
    """Remove a share."""
    cx.cancel(("shares", share.id))
    cx.world.shares.remove(share)


def drop(cx: Doing, place: Place) -> None:
    """Remove what a place that goes is shared with, and for a group what is shared with it."""
    for share in of(cx.world, place):
        remove(cx, share)
    if not isinstance(place, Project):
        for share in list(cx.world.shares.where("group", place.id)):
            remove(cx, share)


@work(_EXPIRE)
def _expire(cx: Doing, due: Due) -> None:
    share = cx.world.shares.get(due.subject[1])
    if share is not None:
        cx.world.shares.remove(share)
