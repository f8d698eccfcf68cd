"""Invitations to projects and groups. Source: docs/platform/invitations.md."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final

from fakeplat.api.access_levels import PLANNER_SINCE, AccessLevel
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.core.params.types import Check
from fakeplat.core.release import Lifetime, Required
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import invitations, member_roles, members, promotions
from fakeplat.domain.people.invitations import Offer
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import is_email
from fakeplat.entities.people.invitations import ChangedInvitation, InvitationView
from fakeplat.model.people import Invitation, User
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import CHANGED_INVITATIONS_ARE_WHOLE, INVITATIONS_TAKE_USERS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Invitations", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)


def _check_addresses(addresses: Sequence[str]) -> str | None:
    given = filter(None, map(str.strip, addresses))
    return None if all(map(is_email, given)) else "contains an invalid email address"


Addresses = Annotated[CommaList[str] | None, Required(until=INVITATIONS_TAKE_USERS.since), Check(_check_addresses)]


class Invite(Params):
    """Addresses, and users by their ids; what they get, and until when."""

    access_level: Annotated[AccessLevel, PLANNER_SINCE]
    email: Addresses = None
    user_id: Annotated[CommaList[str] | None, Lifetime(since=INVITATIONS_TAKE_USERS.since)] = None
    expires_at: Day | None = None
    invite_source: Annotated[str, Lifetime(since="<=14.3")] = "invitations-api"
    member_role_id: Annotated[int | None, Lifetime(since="<=16.9")] = None


def _list_emails(p: Invite) -> list[str]:
    return [email.strip() for email in p.email or () if email.strip()]


def _list_user_ids(p: Invite) -> list[str]:
    return [text.strip() for text in p.user_id or () if text.strip()]


def _check_invited(ctx: ReadContext, p: Invite) -> None:
    """Refuse an invitation of nobody with 400, also where the project or group is hidden."""
    if ctx.profile.has(INVITATIONS_TAKE_USERS) and not _list_user_ids(p) and not _list_emails(p):
        raise BadRequest("400 Bad request - Must provide either email or user_id as a parameter")


@area.operation(
    "POST",
    "invitations",
    name="create_{scope}_invitation",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=Invite,
    since=("13.6", "13.6"),
    check_params=_check_invited,
    refusals=(400, 404),
)
def create_invitation(ctx: WriteContext, container: Container, p: Invite) -> dict[str, Any]:
    """Add members to a project or group by their addresses; whoever has no account gets an invitation."""
    members.authorize_owners(ctx, container, p.access_level)
    emails, user_ids = _list_emails(p), _list_user_ids(p)
    if not emails and not user_ids:
        return {"status": "error", "message": "Email cannot be blank"}
    role_id = member_roles.find_assignable(ctx.world, container, p.member_role_id)
    if len(set(emails)) + len(set(user_ids)) > members.MOST_INVITED:
        return {"status": "error", "message": members.TOO_MANY_INVITED}
    offer = Offer(p.access_level, p.expires_at, role_id)
    queued: list[User] = []
    invited = {email: partial(invitations.invite_email, ctx, container, email, offer) for email in emails}
    for user_id in map(parse_number, user_ids):
        # Whoever does not exist is passed over, also a text that is no number.
        user = None if user_id is None else ctx.world.users.get(user_id)
        if user is not None and promotions.needs_approval(ctx, user, p.access_level):
            queued.append(user)
        elif user is not None:
            invited[user.username] = partial(invitations.invite_user, ctx, container, user, offer)
    # Errors are collected, not raised: a refusal would undo the invitations before.
    objections = {name: objection for name, invite in invited.items() if (objection := invite()) is not None}
    result: dict[str, Any] = {"status": "error", "message": objections} if objections else {"status": "success"}
    return {**result, **promotions.describe_queued(queued)}


class ListInvitations(Paged):
    """The address that was invited."""

    query: str | None = None


@area.operation(
    "GET",
    "invitations",
    name="list_{scope}_invitations",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=ListInvitations,
    view=InvitationView,
    many=True,
    since=("13.6", "13.6"),
)
def list_invitations(ctx: ReadContext, container: Container, p: ListInvitations) -> Sequence[Invitation]:
    """List the invitations to a project or group."""
    return invitations.list_invitations(ctx.world, container, p.query)


def _changed_view(ctx: ReadContext, _p: Params) -> type[InvitationView | ChangedInvitation]:
    return InvitationView if ctx.profile.has(CHANGED_INVITATIONS_ARE_WHOLE) else ChangedInvitation


class UpdateInvitation(Params):
    """The new level and expiry date."""

    access_level: Annotated[AccessLevel | None, PLANNER_SINCE] = None
    expires_at: Day | None = None


@area.operation(
    "PUT",
    "invitations/:email",
    name="update_{scope}_invitation",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=UpdateInvitation,
    view=_changed_view,
    since=("<=14.4", "<=14.4"),
    refusals=(400, 404),
)
def update_invitation(ctx: WriteContext, container: Container, email: str, p: UpdateInvitation) -> Invitation:
    """Update an invitation."""
    invitation = invitations.get_invitation(ctx.world, container, email)
    changes = {name: value for name, value in p.given().items() if value is not None or name == "expires_at"}
    if not changes:
        raise BadRequest("400 Bad request")
    members.authorize_owners(ctx, container, changes.get("access_level"), invitation.access_level)
    return invitations.change(ctx, container, invitation, **changes)


@area.operation(
    "DELETE",
    "invitations/:email",
    name="delete_{scope}_invitation",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    since=("<=14.4", "<=14.4"),
    refusals=(404, 412),
)
def delete_invitation(ctx: WriteContext, container: Container, email: str) -> None:
    """Delete an invitation."""
    invitation = invitations.get_invitation(ctx.world, container, email)
    members.authorize_owners(ctx, container, invitation.access_level)
    ctx.check_unmodified_since(invitation.created_at)
    purge(ctx, invitation)
