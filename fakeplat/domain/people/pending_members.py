"""Memberships that await approval, in a top-level group and below it. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from itertools import chain

from fakeplat.domain.people import billable_members, namespaces, seats
from fakeplat.model.people import Group, Invitation, MemberState, User
from fakeplat.model.projects import Member
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

NO_MEMBERSHIPS = "No memberships found"
"""The text of the platform if nothing is to be changed."""


def list_awaiting(world: World, group: Group) -> list[Member]:
    """Return the memberships in a group and below it that await approval."""
    sources = seats.list_sources(world, group)
    return [
        member for source in sources for member in world.members.where("source", source) if member.state == "awaiting"
    ]


def list_pending(world: World, group: Group) -> Sequence[Member | Invitation]:
    """Return the memberships that await approval, and the invitations; one of each user and of each address."""
    sources = seats.list_sources(world, group)
    invited = chain.from_iterable(world.invitations.where("source", source) for source in sources)
    by_user = {member.user_id: member for member in reversed(list_awaiting(world, group))}
    by_email = {invitation.invite_email: invitation for invitation in reversed([*invited])}
    members = sorted(by_user.values(), key=lambda member: member.id)
    return [*members, *sorted(by_email.values(), key=lambda invitation: invitation.id)]


def approve(ctx: WriteContext, group: Group, user: User | None = None) -> bool:
    """Approve the memberships of a user, or of everybody; return whether there were any."""
    awaiting = list_awaiting(ctx.world, group)
    chosen = [member for member in awaiting if user is None or member.user_id == user.id]
    _change_state(ctx, chosen, "active")
    return bool(chosen)


def suspend(ctx: WriteContext, group: Group, user: User) -> str | None:
    """Let the memberships of a user await approval; return why that is not possible, or None."""
    if namespaces.owner_ids(ctx.world, group) == [user.id]:
        return "The last owner cannot be set to awaiting"
    if ctx.user is not None and ctx.user.id == user.id:
        return "You cannot set yourself to awaiting"
    memberships = billable_members.list_memberships(ctx.world, group, user)
    _change_state(ctx, memberships, "awaiting")
    return None if memberships else NO_MEMBERSHIPS


def _change_state(ctx: WriteContext, memberships: Sequence[Member], state: MemberState) -> None:
    # The platform writes all of them at once, so no webhook, mail or audit event tells of it.
    for member in memberships:
        ctx.world.members.change(member, state=state)
