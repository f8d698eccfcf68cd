"""Statuses, counts, memberships and activities of users. Source: docs/platform/users.md."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import USER, VISIBLE_USER
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Named, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import subtract_months
from fakeplat.domain.people import user_statuses
from fakeplat.entities.people.accounts import MembershipView, UserActivityView, UserCountsView, UserStatusView
from fakeplat.model.people import Availability, User
from fakeplat.model.projects import Member
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import EVERYBODY_LISTS_ACTIVITIES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",))
members_area: Final = Area("Members", login=Login.ALWAYS, scopes=("read_user",))
counts_area: Final = Area("Users", login=Login.ALWAYS)
_MONTHS: Final = 6
_DATE: Final = len("2020-11-20")


@area.operation("GET", "status", scope=VISIBLE_USER, view=UserStatusView)
def get_user_status(_ctx: ReadContext, user: User) -> User:
    """Get the status of a user."""
    return user


@area.operation("GET", "user/status", view=UserStatusView, login=Login.ALWAYS)
def get_current_user_status(ctx: ReadContext) -> User:
    """Get the caller's status."""
    return ctx.signed_in_user


class SetStatus(Params):
    """A status; without emoji and message, none."""

    emoji: str | None = None
    message: str | None = None
    availability: Annotated[str | None, Lifetime(since="13.6")] = None
    clear_status_after: Annotated[user_statuses.Period | None, Lifetime(since="<=16.0")] = None


@area.operation("PUT", "user/status", params=SetStatus, view=UserStatusView, refusals=(400,))
def update_current_user_status(ctx: WriteContext, p: SetStatus) -> User:
    """Set or clear the caller's status."""
    return _set_status(ctx, p.emoji, p.message, p.availability, _time_after(ctx, p.clear_status_after))


def _time_after(ctx: WriteContext, period: user_statuses.Period | None) -> str | None:
    return None if period is None else user_statuses.time_after(ctx, period)


def _set_status(
    ctx: WriteContext, emoji: str | None, message: str | None, availability: str | None, clear_at: str | None
) -> User:
    user = ctx.signed_in_user
    chosen: Availability | None = "busy" if availability == "busy" else "not_set" if availability else None
    return user_statuses.set_status(ctx, user, emoji=emoji, message=message, availability=chosen, clear_at=clear_at)


class ChangeStatus(SetStatus):
    """The operation is younger than the parameters."""

    availability: str | None = None
    clear_status_after: user_statuses.Period | None = None


@area.operation("PATCH", "user/status", params=ChangeStatus, view=UserStatusView, refusals=(400,), since="<=18.9")
def patch_current_user_status(ctx: WriteContext, p: ChangeStatus) -> User | None:
    """Update what is sent of the caller's status."""
    given, now = p.given(), ctx.signed_in_user.status
    if not given:
        return None
    emoji = given.get("emoji", now.emoji if now else None)
    message = given.get("message", now.message if now else None)
    clear_at = now.clear_status_at if now else None
    if "clear_status_after" in given:
        clear_at = _time_after(ctx, p.clear_status_after)
    return _set_status(ctx, emoji, message, given.get("availability", now.availability if now else None), clear_at)


@counts_area.operation("GET", "user_counts", view=UserCountsView)
def get_user_counts(ctx: ReadContext) -> User:
    """Get how many open issues and merge requests, and to-dos, the caller has."""
    return ctx.signed_in_user


class ListMemberships(Paged):
    """The kind of memberships."""

    type: Literal["Project", "Namespace"] | None = None


@members_area.operation(
    "GET",
    "memberships",
    scope=USER,
    params=ListMemberships,
    view=MembershipView,
    many=True,
    ability=Ability.ADMIN_USERS,
)
def list_user_memberships(ctx: ReadContext, user: User, p: ListMemberships) -> Sequence[Member]:
    """List the projects and groups that a user is a direct member of. Administrators only."""
    kind = {"Project": "project", "Namespace": "group"}.get(p.type or "")
    memberships = (one for one in ctx.world.members.where("user", user.id) if kind in (None, one.source[0]))
    return sorted(memberships, key=lambda member: (member.created_at, member.source))


class ListActivities(Paged):
    """The first day; by default six months ago."""

    from_: Annotated[Moment | None, Named("from")] = None


@area.operation(
    "GET",
    "user/activities",
    params=ListActivities,
    view=UserActivityView,
    many=True,
    login=Login.ALWAYS,
)
def list_user_activities(ctx: ReadContext, p: ListActivities) -> Sequence[User]:
    """List the last day on which each user was active. Early releases let only administrators, later ones everybody."""
    if not ctx.profile.has(EVERYBODY_LISTS_ACTIVITIES):
        authorize(ctx, Ability.ADMIN_USERS)
    start = p.from_[:_DATE] if p.from_ else subtract_months(ctx.today, _MONTHS)
    active = [user for user in _list_shown(ctx) if (user.last_activity_on or "") >= start]
    return sorted(active, key=lambda user: (user.last_activity_on or "", user.id))


def _list_shown(ctx: ReadContext) -> Iterable[User]:
    return ctx.world.users.all() if ctx.admin else (user for user in ctx.world.users.all() if not user.private_profile)
