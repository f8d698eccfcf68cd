"""Invitations of e-mail addresses to projects and groups. Source: docs/platform/invitations.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import signals
from fakeplat.domain.people import members, users
from fakeplat.domain.people.members import list_levels, source_of
from fakeplat.domain.purging import purge
from fakeplat.model.people import Invitation, Level, User
from fakeplat.model.projects import Container
from fakeplat.model.world import World
from fakeplat.policy.behaviours import INVITATIONS_CHANGE_MEMBERS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

_EXPIRE: Final = "expire_invitation"
_PAST: Final = "cannot be a date in the past"


@frozen
class Offer:
    """What those who are invited get."""

    access_level: int
    expires_at: str | None = None
    member_role_id: int | None = None


def list_invitations(world: World, container: Container, email: str | None = None) -> Sequence[Invitation]:
    """Return the invitations to a project or group; given an address, only the one to that address."""
    invitations = world.invitations.where("source", source_of(container))
    return [each for each in invitations if email.lower() == each.invite_email] if email else list(invitations)


def get_invitation(world: World, container: Container, email: str) -> Invitation:
    """Return the invitation of an address, or raise 404."""
    invitation = world.invitations.find("pair", (source_of(container), email.lower()))
    if invitation is None:
        raise NotFound(reason=lambda: f"{email} is not invited to {describe(world, container)}")
    return invitation


def invite_email(ctx: WriteContext, container: Container, email: str, offer: Offer) -> str | None:
    """Invite an address, or add the user whose address it is; return why that is not possible, or None."""
    user = _find_user(ctx.world, email)
    return _store(ctx, container, email, offer) if user is None else invite_user(ctx, container, user, offer)


def _find_user(world: World, email: str) -> User | None:
    """Return the user with an address: the main one, or a further one that is confirmed."""
    further = world.emails.find("email", email.lower())
    if further is not None and further.confirmed_at:
        return world.users[further.user_id]
    return users.find_by_email(world, email)


def invite_user(ctx: WriteContext, container: Container, user: User, offer: Offer) -> str | None:
    """Make a user a member, with another level if they are one; return why that is not possible, or None."""
    member, may_change = members.find_member(ctx.world, container, user), ctx.profile.has(INVITATIONS_CHANGE_MEMBERS)
    if member is not None and not may_change:
        return f"Already a member of {container.name}"
    if not may_change and ctx.world.access_requests.find("pair", (source_of(container), user.id)) is not None:
        return f"Member cannot be invited because they already requested to join {container.name}"
    return members.add_or_change_member(
        ctx, container, user, offer.access_level, offer.expires_at, offer.member_role_id
    )


def _store(ctx: WriteContext, container: Container, email: str, offer: Offer) -> str | None:
    existing = ctx.world.invitations.find("pair", (source_of(container), email.lower()))
    if existing is not None and not ctx.profile.has(INVITATIONS_CHANGE_MEMBERS):
        return f"Member already invited to {container.name}"
    objections = _list_objections(ctx, container, offer.access_level, offer.expires_at)
    if objections:
        return InvalidRecord(objections).sentence()
    if existing is not None:
        change(ctx, container, existing, access_level=offer.access_level, expires_at=offer.expires_at)
        return None
    insert(
        ctx,
        container,
        email.lower(),
        access_level=offer.access_level,
        expires_at=offer.expires_at,
        member_role_id=offer.member_role_id,
    )
    return None


class InvitationFields(TypedDict, total=False):
    """The fields of a new invitation."""

    access_level: int
    created_at: str
    created_by: int | None
    invite_token: str
    expires_at: str | None
    member_role_id: int | None


def insert(ctx: WriteContext, container: Container, email: str, **fields: Unpack[InvitationFields]) -> Invitation:
    """Store an invitation, and mail it."""
    table = ctx.world.invitations
    values: InvitationFields = {
        "created_at": ctx.now_iso,
        "created_by": ctx.actor.id if ctx.actor else None,
        "invite_token": ctx.random_hex("invitation"),
        "access_level": Level.DEVELOPER,
        **fields,
    }
    invitation = table.add(Invitation(table.next_id(), source_of(container), email.lower(), **values))
    _schedule_expiry(ctx, invitation)
    signals.post_create.send(ctx, invitation)
    return invitation


def change(
    ctx: WriteContext, container: Container, invitation: Invitation, **changes: Unpack[InvitationFields]
) -> Invitation:
    """Change the level or the expiry date of an invitation, or raise the platform's refusal."""
    objections = _list_objections(
        ctx, container, changes.get("access_level", invitation.access_level), changes.get("expires_at")
    )
    if objections:
        raise InvalidRecord(objections)
    changed = ctx.world.invitations.change(invitation, **changes)
    _schedule_expiry(ctx, changed)
    return changed


def _list_objections(
    ctx: ReadContext, container: Container, access_level: int, expires_at: str | None
) -> dict[str, list[str]]:
    objections: dict[str, list[str]] = {}
    if access_level not in list_levels(ctx.world, container):
        objections["access_level"] = ["is not included in the list"]
    if expires_at is not None and expires_at < ctx.today:
        objections["expires_at"] = [_PAST]
    return objections


def accept_invitations(ctx: WriteContext, user: User) -> None:
    """Make a user a member wherever one of their confirmed addresses is invited."""
    for email in users.list_confirmed_emails(ctx.world, user):
        for invitation in list(ctx.world.invitations.where("email", email)):
            container = members.container_of(ctx.world, invitation.source)
            purge(ctx, invitation)
            level, expires_at, role_id = invitation.access_level, invitation.expires_at, invitation.member_role_id
            if members.find_membership_error(ctx, container, user, level, expires_at, role_id) is None:
                members.add_member(ctx, container, user, level, expires_at, member_role_id=role_id)


def accept_invitations_of_change(ctx: WriteContext, before: User, after: User) -> None:
    """Accept the invitations of a user with another or a newly confirmed address."""
    if (before.email, before.confirmed_at) != (after.email, after.confirmed_at):
        accept_invitations(ctx, after)


def _schedule_expiry(ctx: WriteContext, invitation: Invitation) -> None:
    subject = ("invitations", invitation.id)
    ctx.cancel_tasks(subject)
    if invitation.expires_at is not None:
        ctx.schedule(_EXPIRE, subject, from_iso(invitation.expires_at))


@task_handler(_EXPIRE)
def _expire(ctx: WriteContext, due: ScheduledTask) -> None:
    invitation = ctx.world.invitations.get(due.subject[1])
    if invitation is not None:
        purge(ctx, invitation)
