"""Events of epics, and what follows from the events of the caller. Source: docs/platform/epics.md ('Events')."""

from collections.abc import Sequence
from typing import Final, get_args

from fakeplat.domain import event_targets
from fakeplat.domain.epics import epic_access
from fakeplat.graphql.issues.epics import EPIC
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.activity import Action, Event
from fakeplat.model.epics import Epic
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors

_SINCE: Final = "<=13.10"
_DEFAULT_PROJECT: Final = "<=15.8"
Enumeration(
    "EventAction",
    "What a user did.",
    {action.upper(): (action, f"The user {action} something.") for action in get_args(Action)},
    since=_SINCE,
)
Interface("Eventable", "Records that have events.", {"events: EventConnection": "The events."}, since=_SINCE)
EVENT: Final = Type("Event", "Something that a user did.", gid="Event", since=_SINCE)
EVENT.attributes({"action: EventAction!": "What was done.", "createdAt: Time!": "Timestamp of creation."})


@EVENT.field("author: User!")
def author_of(ctx: ReadContext, event: Event) -> User | None:
    """The user."""
    return ctx.world.users.get(event.author_id)


@EVENT.field("updatedAt: Time!")
def updated_at(_ctx: ReadContext, event: Event) -> str:
    """Timestamp of the last update; events do not change."""
    return event.created_at


@EVENT.field("project: Project", since="<=18.5")
def project_of(ctx: ReadContext, event: Event) -> Project | None:
    """The project, unless it happened in a group."""
    return ctx.world.projects.get(event.project_id) if event.project_id is not None else None


@EPIC.field("events: EventConnection", since=_SINCE)
def events_of(ctx: ReadContext, epic: Epic) -> Sequence[Event]:
    """The events about the epic that the caller sees, the newest first."""
    found = ctx.world.events.where("target", (epic_access.KIND, epic.id)).in_reverse()
    return [event for event in found if event_targets.is_visible(ctx, event)]


@EPIC.field("defaultProjectForIssueCreation: Project", since=_DEFAULT_PROJECT)
def default_project_of(ctx: ReadContext, epic: Epic) -> Project | None:
    """The project below the group of the epic in which the caller created an issue last, if it was that one."""
    if ctx.viewer is None:
        return None
    own = ctx.world.events.where("author", ctx.viewer.id).in_reverse()
    last = next((event for event in own if (event.action, event.kind) == ("created", "issue")), None)
    project = project_of(ctx, last) if last is not None else None
    if project is None or not can(ctx, Ability.CREATE_ISSUE, project):
        return None
    is_below = any(above.id == epic.group_id for above in ancestors(ctx.world, project.namespace_id))
    return project if is_below else None
