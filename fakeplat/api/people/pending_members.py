"""Memberships that await approval, and those of LDAP groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api import missing
from fakeplat.api.people.billable_members import require_managed_root
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound, RecordNotFound, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.groups import group_links
from fakeplat.domain.people import members, pending_members
from fakeplat.domain.people.pending_members import NO_MEMBERSHIPS
from fakeplat.entities.people.members import MemberView, PendingMemberView
from fakeplat.model.people import Group, Invitation, MemberState
from fakeplat.model.projects import Member
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Members", login=Login.ALWAYS, located_first=True)
state_area: Final = Area("Members", login=Login.ALWAYS)


@area.operation(
    "GET",
    "pending_members",
    scope=GROUP,
    params=Paged,
    view=PendingMemberView,
    many=True,
    tier="premium",
    since="14.6",
    refusals=(400,),
)
def list_group_pending_members(ctx: ReadContext, group: Group) -> Sequence[Member | Invitation]:
    """List those who await approval in a top-level group, and those who are invited."""
    require_managed_root(ctx, group)
    return pending_members.list_pending(ctx.world, group)


@area.operation(
    "PUT",
    "members/:member_id/approve",
    scope=GROUP,
    status=204,
    tier="premium",
    since="<=15.4",
    refusals=(400, 404),
)
def approve_group_member(ctx: WriteContext, group: Group, member_id: int) -> None:
    """Approve all memberships of the user of a membership in a top-level group. An invitation needs no approval."""
    member, invitation = ctx.world.members.get(member_id), ctx.world.invitations.get(member_id)
    if member is None and invitation is None:
        raise RecordNotFound(reason=f"there is no membership {member_id}")
    require_managed_root(ctx, group, Ability.ACTIVATE_MEMBERS)
    user = ctx.world.users[member.user_id] if member is not None else None
    if user is None or not pending_members.approve(ctx, group, user):
        raise _refuse_without_memberships(ctx, group)


def _refuse_without_memberships(ctx: ReadContext, group: Group) -> BadRequest:
    text = f"400 Bad request - {NO_MEMBERSHIPS}"
    return BadRequest(text, reason=lambda: f"no such membership awaits approval in {describe(ctx.world, group)}")


@area.operation("POST", "members/approve_all", scope=GROUP, status=204, tier="premium", since="<=15.4", refusals=(400,))
def approve_group_members(ctx: WriteContext, group: Group) -> None:
    """Approve all who await approval in a top-level group and below it."""
    require_managed_root(ctx, group, Ability.ACTIVATE_MEMBERS)
    if not pending_members.approve(ctx, group):
        raise _refuse_without_memberships(ctx, group)


class ChangeState(Params):
    """The state of the memberships."""

    state: MemberState


@state_area.operation(
    "PUT",
    "members/:user_id/state",
    scope=GROUP,
    params=ChangeState,
    tier="premium",
    since="15.0",
    refusals=(400, 404, 422),
)
def update_group_member_state(ctx: WriteContext, group: Group, user_id: int, p: ChangeState) -> dict[str, bool]:
    """Approve the memberships of a user in a top-level group, or let them await approval."""
    user = ctx.world.users.get(user_id)
    if user is None:
        raise NotFound("User", reason=missing.user(ctx, str(user_id)))
    require_managed_root(ctx, group)
    if p.state == "awaiting":
        objection = pending_members.suspend(ctx, group, user)
    else:
        objection = None if pending_members.approve(ctx, group, user) else NO_MEMBERSHIPS
    if objection is not None:
        raise Unprocessable(objection, reason=lambda: f"{user.username} in {describe(ctx.world, group)}")
    return {"success": True}


def _override(ctx: WriteContext, group: Group, user_id: int, *, override: bool) -> Member:
    group_links.authorize_ldap(ctx)
    member = members.get_member(ctx.world, group, user_id)
    if not member.ldap or not ctx.world.ldap_group_links.where("group", group.id):
        raise Forbidden(reason=lambda: f"the membership in {describe(ctx.world, group)} is not that of an LDAP group")
    return ctx.world.members.change(member, override=override)


@area.operation(
    "POST",
    "members/:user_id/override",
    scope=GROUP,
    ability=Ability.OVERRIDE_MEMBERS,
    view=MemberView,
    tier="premium",
    refusals=(403, 404),
)
def set_group_member_override(ctx: WriteContext, group: Group, user_id: int) -> Member:
    """Set the override of the level that an LDAP group gives to a member."""
    return _override(ctx, group, user_id, override=True)


@area.operation(
    "DELETE",
    "members/:user_id/override",
    scope=GROUP,
    ability=Ability.OVERRIDE_MEMBERS,
    view=MemberView,
    status=200,
    tier="premium",
    refusals=(403, 404),
)
def reset_group_member_override(ctx: WriteContext, group: Group, user_id: int) -> Member:
    """Reset the override of the level that an LDAP group gives to a member."""
    return _override(ctx, group, user_id, override=False)
