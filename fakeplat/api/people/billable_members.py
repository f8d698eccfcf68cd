"""Members who take a seat of a top-level group. Source: docs/platform/project-members.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.people.users import matches_user_search
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import billable_members
from fakeplat.domain.people.billable_members import BillableMember
from fakeplat.entities.people.members import BillableMembershipView, BillableMemberView
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Member
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.behaviours import BAD_REQUEST
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Members", login=Login.ALWAYS, located_first=True)
Sort = Literal[
    "access_level_asc",
    "access_level_desc",
    "last_joined",
    "name_asc",
    "name_desc",
    "oldest_joined",
    "oldest_sign_in",
    "recent_sign_in",
    "last_activity_on_asc",
    "last_activity_on_desc",
]
_SORTED: Final = Lifetime(since="13.7")
_BY_ACTIVITY: Final = Lifetime(since="<=14.3", values=("last_activity_on_asc", "last_activity_on_desc"))
_ORDERS: Final[Mapping[str, tuple[Callable[[BillableMember], object], bool]]] = {
    "access_level_asc": (lambda member: member.access_level, False),
    "access_level_desc": (lambda member: member.access_level, True),
    "last_joined": (lambda member: member.joined[-1], True),
    "oldest_joined": (lambda member: member.joined[0], False),
    "name_asc": (lambda member: member.user.name, False),
    "name_desc": (lambda member: member.user.name, True),
    "oldest_sign_in": (lambda member: member.user.current_sign_in_at or "", False),
    "recent_sign_in": (lambda member: member.user.current_sign_in_at or "", True),
    "last_activity_on_asc": (lambda member: member.user.last_activity_on or "", False),
    "last_activity_on_desc": (lambda member: member.user.last_activity_on or "", True),
}


class ListBillableMembers(Paged):
    """A text in names and addresses, and the order."""

    search: Annotated[str | None, _SORTED] = None
    sort: Annotated[Sort | None, _SORTED, _BY_ACTIVITY] = None


def require_managed_root(ctx: ReadContext, group: Group, ability: Ability = Ability.ADMIN_MEMBERS) -> None:
    """Refuse with 400 whoever lacks an ability on a group, and groups that have a parent."""
    text = ctx.profile.choose(BAD_REQUEST)
    if group.parent_id is not None:
        raise BadRequest(text, reason=lambda: f"{describe(ctx.world, group)} is no top-level group")
    decision = decide(ctx, ability, group)
    if not decision.allowed:
        raise BadRequest(text, reason=decision.why)


@area.operation(
    "GET",
    "billable_members",
    scope=GROUP,
    params=ListBillableMembers,
    view=BillableMemberView,
    many=True,
    tier="premium",
    refusals=(400,),
)
def list_group_billable_members(ctx: ReadContext, group: Group, p: ListBillableMembers) -> Sequence[BillableMember]:
    """List the members who take a seat of a top-level group."""
    require_managed_root(ctx, group, Ability.READ_BILLABLE_MEMBERS)
    found = billable_members.list_billable(ctx.world, group)
    matching = [member for member in found if not p.search or matches_user_search(ctx.world, member.user, p.search)]
    if p.sort is None:
        return matching
    key, descending = _ORDERS[p.sort]
    # Sorting is stable, so equal ones stay in ascending order of ids.
    return sorted(matching, key=key, reverse=descending)  # type: ignore[arg-type]  # keys are texts or numbers


def _get_billable_user(ctx: ReadContext, group: Group, user_id: int) -> User:
    """Return a user who takes a seat, or refuse with 404."""
    user = ctx.world.users.get(user_id)
    if user is None:
        raise RecordNotFound(reason=f"there is no user {user_id}")
    if all(member.user.id != user_id for member in billable_members.list_billable(ctx.world, group)):
        raise NotFound("User", reason=lambda: f"{user.username} takes no seat of {describe(ctx.world, group)}")
    return user


@area.operation(
    "GET",
    "billable_members/:user_id/memberships",
    scope=GROUP,
    params=Paged,
    view=BillableMembershipView,
    many=True,
    tier="premium",
    since="13.11",
    refusals=(400, 404),
)
def list_group_billable_member_memberships(ctx: ReadContext, group: Group, user_id: int) -> Sequence[Member]:
    """List the direct memberships of a billable member in a top-level group."""
    require_managed_root(ctx, group)
    return billable_members.list_memberships(ctx.world, group, _get_billable_user(ctx, group, user_id))


@area.operation(
    "GET",
    "billable_members/:user_id/indirect",
    scope=GROUP,
    params=Paged,
    view=BillableMembershipView,
    many=True,
    tier="premium",
    since="16.11",
    refusals=(400, 404),
)
def get_group_billable_member_indirect(ctx: ReadContext, group: Group, user_id: int) -> Sequence[Member]:
    """List the memberships of a billable member in the groups that are invited to a top-level group."""
    require_managed_root(ctx, group)
    return billable_members.list_indirect_memberships(ctx.world, group, _get_billable_user(ctx, group, user_id))


@area.operation("DELETE", "billable_members/:user_id", scope=GROUP, tier="premium", since="13.10", refusals=(400,))
def delete_group_billable_member(ctx: WriteContext, group: Group, user_id: int) -> None:
    """Remove a billable member from a top-level group, and from everything below it."""
    if group.parent_id is not None:
        text = "400 Bad request - Invalid group provided, must be top-level"
        raise BadRequest(text, reason=lambda: f"{describe(ctx.world, group)} has a parent")
    decision = decide(ctx, Ability.ADMIN_MEMBERS, group)
    if not decision.allowed:
        raise BadRequest("400 Bad request - User unauthorized to remove member", reason=decision.why)
    billable_members.remove(ctx, group, user_id)
