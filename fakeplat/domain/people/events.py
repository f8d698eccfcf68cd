"""What users did: recorded as it happens, told to those who may see it. Source: docs/platform/hooks-and-events.md
('Events').

Only what somebody does is recorded; what a scenario says or the platform does by itself is not.
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

Place = Project | Namespace


@frozen
class Target:
    """A kind of things that events are about: how they are found, and what events say of them.

    ``wire`` is the name of the kind in answers, which may depend on the thing; None is one that is gone.
    """

    find: Callable[[World, int], Any]
    wire: Callable[[Any], str]
    iid: Callable[[Any], int | None]
    title: Callable[[World, Any], str | None]
    seen: Callable[[ReadContext, Any], bool]


TARGETS: Final[dict[str, Target]] = {}
"""Each area adds the kinds that it has."""


def record_event(
    ctx: WriteContext,
    user: User | None,
    action: Action,
    container: Place,
    target: tuple[str, int | None] | None = None,
    push: PushData | None = None,
) -> None:
    """Note that somebody did something in a place, perhaps to a thing (kind, id); nobody's doing is not noted."""
    if user is None:
        return
    table, (kind, target_id) = ctx.world.events, target or (None, None)
    where = {"project_id" if isinstance(container, Project) else "group_id": container.id}
    event = Event(table.next_id(), user.id, action, ctx.now_iso, **where, kind=kind, target_id=target_id, push=push)
    ctx.emit("activity", table.add(event))


def clear_target(ctx: WriteContext, kind: str, id_: int) -> None:
    """Keep what is known of a thing that goes, without the thing."""
    for event in list(ctx.world.events.where("target", (kind, id_))):
        ctx.world.events.change(event, target_id=None)


def is_visible(ctx: ReadContext, event: Event) -> bool:
    """Whether the caller may know of an event: of the place and of what it is about."""
    world = ctx.world
    container = world.projects.get(event.project_id) if event.project_id else world.namespaces.get(event.group_id or 0)
    if container is None or not can_see(ctx, container):
        return False
    if event.push is not None:
        return can(ctx, Ability.DOWNLOAD_CODE, container)
    target = target_of(world, event)
    return target is None or TARGETS[str(event.kind)].seen(ctx, target)


def target_of(world: World, event: Event) -> Any:
    """The thing that an event is about, None where there is none or it is gone."""
    if event.kind is None or event.target_id is None:
        return None
    return TARGETS[event.kind].find(world, event.target_id)
