"""Events: the activity of users, recorded as it happens. Source: docs/platform/hooks-and-events.md
('Events').

Only actions of users are recorded, not the initial contents of a scenario or automatic changes.
"""

from collections.abc import Callable
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.events import Action, Event, PushData
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

Container = Project | Namespace


@frozen
class Target:
    """A kind of record that events refer to, with functions that find it and read what events show of it.

    ``wire`` returns the name of the kind in responses, which may depend on the record; None is a deleted record.
    """

    find: Callable[[World, int], Any]
    wire: Callable[[Any], str]
    iid: Callable[[Any], int | None]
    title: Callable[[World, Any], str | None]
    seen: Callable[[ReadContext, Any], bool]


TARGETS: Final[dict[str, Target]] = {}
"""Each area registers its kinds."""


def record_event(
    ctx: WriteContext,
    user: User | None,
    action: Action,
    container: Container,
    target: tuple[str, int | None] | None = None,
    push: PushData | None = None,
) -> None:
    """Record an event by a user in a project or group, with an optional target (kind, id); None is not recorded."""
    if user is None:
        return
    table, (kind, target_id) = ctx.world.events, target or (None, None)
    container_field = {"project_id" if isinstance(container, Project) else "group_id": container.id}
    event = Event(
        table.next_id(), user.id, action, ctx.now_iso, **container_field, kind=kind, target_id=target_id, push=push
    )
    ctx.emit("activity", table.add(event))
    _record_activity(ctx, user.id)


def _record_activity(ctx: WriteContext, user_id: int) -> None:
    user, today = ctx.world.users[user_id], ctx.now_iso[: len("2020-11-20")]
    if user.last_activity_on != today:
        ctx.world.users.change(user, last_activity_on=today)


def clear_target(ctx: WriteContext, kind: str, id_: int) -> None:
    """Remove the reference to a record that is deleted; its events stay."""
    for event in list(ctx.world.events.where("target", (kind, id_))):
        ctx.world.events.change(event, target_id=None)


def is_visible(ctx: ReadContext, event: Event) -> bool:
    """Return whether the caller may see an event: its project or group and its target."""
    world = ctx.world
    container = world.projects.get(event.project_id) if event.project_id else world.namespaces.get(event.group_id or 0)
    if container is None or not can_see(ctx, container):
        return False
    # A push has no target record. It shows commit titles, which need permission to read the code.
    if event.push is not None:
        return can(ctx, Ability.DOWNLOAD_CODE, container)
    target = target_of(world, event)
    return target is None or TARGETS[str(event.kind)].seen(ctx, target)


def target_of(world: World, event: Event) -> Any:
    """Return the record that an event refers to, or None if there is none or it was deleted."""
    if event.kind is None or event.target_id is None:
        return None
    return TARGETS[event.kind].find(world, event.target_id)
