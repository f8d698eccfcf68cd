"""Events of the caller, of users and of projects. Source: docs/platform/hooks-and-events.md ('Events')."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from fakeplat.api.scopes import PROJECT, USER_BY_ID_OR_USERNAME
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Day
from fakeplat.domain import event_targets
from fakeplat.entities.people.events import EventView
from fakeplat.model.activity import Action, Event
from fakeplat.model.people import Level, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see_profile
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level

area: Final = Area("Events", login=Login.WRITES, scopes=("read_user",))
project_area: Final = Area("Events", login=Login.WRITES)


class ListEvents(Paged):
    """Filters of events; both days are exclusive."""

    action: Action | None = None
    target_type: (
        Literal["issue", "milestone", "merge_request", "note", "project", "snippet", "user", "wiki", "design"] | None
    ) = None
    before: Day | None = None
    after: Day | None = None
    sort: Literal["asc", "desc"] = "desc"


class ListOwnEvents(ListEvents):
    """Filters of the caller's events; ``scope`` extends them to the caller's projects."""

    scope: str | None = None


@area.operation("GET", "events", login=Login.ALWAYS, params=ListOwnEvents, view=EventView, many=True)
def list_events(ctx: ReadContext, p: ListOwnEvents) -> Sequence[Event]:
    """List the caller's activity; with scope=all that of everybody in the caller's projects."""
    events = ctx.world.events.where("author", ctx.signed_in_user.id)
    return _select_events(ctx, _list_events_of_own_projects(ctx) if p.scope == "all" else events, p)


def _list_events_of_own_projects(ctx: ReadContext) -> Iterable[Event]:
    user = ctx.signed_in_user
    # A role may come from a group or a share, so the memberships of the user alone are not enough.
    for project in ctx.world.projects.all():
        if project_level(ctx.world, project, user.id) >= Level.GUEST:
            yield from ctx.world.events.where("project", project.id)


@area.operation("GET", "events", scope=USER_BY_ID_OR_USERNAME, params=ListEvents, view=EventView, many=True)
def list_user_events(ctx: ReadContext, user: User, p: ListEvents) -> Sequence[Event]:
    """List the visible activity of a user."""
    if not can_see_profile(ctx, user):
        return []
    return _select_events(ctx, ctx.world.events.where("author", user.id), p)


@project_area.operation(
    "GET", "events", scope=PROJECT, ability=Ability.READ_PROJECT, params=ListEvents, view=EventView, many=True
)
def list_project_events(ctx: ReadContext, project: Project, p: ListEvents) -> Sequence[Event]:
    """List the visible activity in a project."""
    return _select_events(ctx, ctx.world.events.where("project", project.id), p)


def _select_events(ctx: ReadContext, events: Iterable[Event], p: ListEvents) -> Sequence[Event]:
    matching = [event for event in events if _matches(event, p) and event_targets.is_visible(ctx, event)]
    return sorted(matching, key=lambda event: (event.created_at, event.id), reverse=p.sort == "desc")


def _matches(event: Event, p: ListEvents) -> bool:
    # Bounds are whole days, and neither of them is included.
    # The first ten characters of a time in ISO 8601 are its day, and days compare as text.
    day = event.created_at[:10]
    return (
        (p.action is None or event.action == p.action)
        and (p.target_type is None or event.kind == p.target_type)
        and (p.before is None or day < p.before)
        and (p.after is None or day > p.after)
    )
