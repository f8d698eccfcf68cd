"""Memberships that await approval, and invitations. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.people import pending_members
from fakeplat.entities.people.members import PendingMemberView
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.members import kind_of
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group, Invitation, User
from fakeplat.model.projects import Member
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

Pending = Member | Invitation
PENDING: Final = Type(
    "PendingGroupMember",
    "A membership of a group that awaits approval, or an invitation.",
    gid=kind_of,
    implements=("MemberInterface",),
    since="16.6",
)
PENDING.attributes({"createdAt: Time": "Timestamp of the beginning.", "expiresAt: Time": "The day of the end."})


@PENDING.field("accessLevel: AccessLevel")
def access_level(_ctx: ReadContext, member: Pending) -> int:
    """The role."""
    return member.access_level


@PENDING.field("createdBy: User")
def created_by(ctx: ReadContext, member: Pending) -> User | None:
    """The user who added the member."""
    return ctx.world.users.get(member.created_by or 0)


@PENDING.field("updatedAt: Time")
def updated_at(_ctx: ReadContext, member: Pending) -> str:
    """Timestamp of the last update, which is not recorded: that of the beginning."""
    return member.created_at


@PENDING.field("user: User")
def user_of(ctx: ReadContext, member: Pending) -> User | None:
    """The user; null for an invited address."""
    return ctx.world.users[member.user_id] if isinstance(member, Member) else None


@PENDING.field("group: Group", until="<=18.9")
def group_of(ctx: ReadContext, member: Pending) -> Group | None:
    """The group, if the membership is of one and the caller sees it."""
    kind, id_ = member.source
    group = ctx.world.namespaces.get(id_) if kind == "group" else None
    return group if isinstance(group, Group) and can_see(ctx, group) else None


@PENDING.field("name: String")
def name(ctx: ReadContext, member: Pending) -> str | None:
    """The name of the user."""
    user = user_of(ctx, member)
    return user.name if user is not None else None


@PENDING.field("username: String")
def username(ctx: ReadContext, member: Pending) -> str | None:
    """The username."""
    user = user_of(ctx, member)
    return user.username if user is not None else None


@PENDING.field("webUrl: String")
def web_url(ctx: ReadContext, member: Pending) -> str | None:
    """The URL of the profile."""
    return PendingMemberView(member, ctx).web_url() or None


@PENDING.field("email: String")
def email(ctx: ReadContext, member: Pending) -> str:
    """The address that is invited, or that of the user."""
    return str(PendingMemberView(member, ctx).email())


@PENDING.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, member: Pending) -> str | None:
    """The URL of the avatar."""
    url: str | None = PendingMemberView(member, ctx).avatar_url()
    return url


@PENDING.field("approved: Boolean")
def is_approved(ctx: ReadContext, member: Pending) -> bool:
    """Whether the membership is approved, as invitations are."""
    return bool(PendingMemberView(member, ctx).approved())


@PENDING.field("invited: Boolean")
def is_invited(_ctx: ReadContext, member: Pending) -> bool:
    """Whether it is an invitation."""
    return isinstance(member, Invitation)


@GROUP.field("pendingMembers: PendingGroupMemberConnection", since="16.6")
def pending_members_of(ctx: ReadContext, group: Group) -> Sequence[Pending] | None:
    """Those who await approval in a top-level group and below it, and those who are invited; for Owners."""
    is_shown = group.parent_id is None and can(ctx, Ability.ADMIN_MEMBERS, group)
    return pending_members.list_pending(ctx.world, group) if is_shown else None
