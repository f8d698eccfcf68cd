"""Members who take a seat of a top-level group, and their memberships. Source: docs/platform/project-members.md."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import members, namespaces, seats
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Member
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe, describe_user
from fakeplat.policy.levels import ancestors

MembershipType = Literal["group_member", "project_member", "group_invite", "project_invite"]
_INVITED: Final[dict[str, MembershipType]] = {"group": "group_invite", "project": "project_invite"}
_DIRECT: Final[dict[str, MembershipType]] = {"group": "group_member", "project": "project_member"}


@frozen
class BillableMember:
    """A user who takes a seat, and why. ``joined`` are the times at which the user became a member, in order."""

    user: User
    membership_type: MembershipType
    access_level: int
    joined: tuple[str, ...]
    is_last_owner: bool

    @property
    def id(self) -> int:
        """The id of the user."""
        return self.user.id

    @property
    def user_id(self) -> int:
        """The id of the user."""
        return self.user.id

    @property
    def removable(self) -> bool:
        """Whether the user is a member of the group, or of something below it."""
        return self.membership_type in _DIRECT.values()


def list_billable(world: World, group: Group) -> Sequence[BillableMember]:
    """Return the users who take a seat: members below a group, and of the groups that are invited there."""
    lowest, found = seats.lowest_billable_level(world, group), dict[int, list[tuple[MembershipType, Member]]]()
    sources = seats.list_sources(world, group)
    # Memberships of groups come first, then those of projects, then those of invited groups.
    for source in sources:
        _collect(world, found, _DIRECT[source[0]], world.members.where("source", source), lowest)
    for source in sources:
        for share in world.shares.where("source", source):
            if share.group_access >= lowest:
                invited = _list_members_with_inherited(world, share.group_id)
                _collect(world, found, _INVITED[source[0]], invited, lowest)
    owners = namespaces.owner_ids(world, group)
    return [_build_billable(world, found[id_], is_last_owner=owners == [id_]) for id_ in sorted(found)]


def _collect(
    world: World,
    found: dict[int, list[tuple[MembershipType, Member]]],
    kind: MembershipType,
    candidates: Iterable[Member],
    lowest: int,
) -> None:
    for member in candidates:
        is_counted = member.state == "active" and member.access_level >= lowest
        user = world.users[member.user_id]
        if is_counted and user.kind != "project_bot" and user.state not in ("blocked", "banned"):
            found.setdefault(user.id, []).append((kind, member))


def _list_members_with_inherited(world: World, group_id: int) -> Iterable[Member]:
    return members.list_inherited(world, world.namespaces[group_id])


def _build_billable(
    world: World, memberships: list[tuple[MembershipType, Member]], *, is_last_owner: bool
) -> BillableMember:
    (kind, first), *_ = memberships
    level = max(member.access_level for _, member in memberships)
    joined = tuple(sorted(member.created_at for _, member in memberships))
    return BillableMember(world.users[first.user_id], kind, level, joined, is_last_owner)


def list_memberships(world: World, group: Group, user: User) -> Sequence[Member]:
    """Return the direct memberships of a user in a group and everything below it, the oldest first."""
    sources = set(seats.list_sources(world, group))
    return [member for member in world.members.where("user", user.id) if member.source in sources]


def list_indirect_memberships(world: World, group: Group, user: User) -> Sequence[Member]:
    """Return the memberships of a user in the groups that are invited to a group or to something below it."""
    invited = {
        ("group", above.id)
        for source in seats.list_sources(world, group)
        for share in world.shares.where("source", source)
        for above in ancestors(world, share.group_id)
    }
    return [member for member in world.members.where("user", user.id) if member.source in invited]


def remove(ctx: WriteContext, group: Group, user_id: int) -> None:
    """End all memberships of a user in a group and below it, except as last owner; 400 without any."""
    user = ctx.world.users.get(user_id)
    memberships = list_memberships(ctx.world, group, user) if user is not None else ()
    if not memberships:
        raise BadRequest(
            "400 Bad request - No member found for the given user_id",
            reason=lambda: f"{describe_user(ctx.world, user_id)} is not a member in {describe(ctx.world, group)}",
        )
    for member in memberships:
        container = members.container_of(ctx.world, member.source)
        try:
            members.remove_member(ctx, container, member, below=False)
        except Forbidden:
            # The platform goes on with the other memberships.
            continue
