"""What users did: recorded as it happens, told to those who may see it. Source: docs/platform/hooks-and-events.md
('Events').

Only what somebody does is recorded; what a scenario says or the platform does by itself is not.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.events import Action, Event, PushData
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import can, sees

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
    seen: Callable[[Context, Any], bool]


TARGETS: Final[dict[str, Target]] = {}
"""Each area adds the kinds that it has."""


def record(
    cx: Doing,
    user: User | None,
    action: Action,
    place: Place,
    target: tuple[str, int | None] | None = None,
    push: PushData | None = None,
) -> None:
    """Note that somebody did something in a place, perhaps to a thing (kind, id); nobody's doing is not noted."""
    if user is None:
        return
    table, (kind, target_id) = cx.world.events, target or (None, None)
    where = {"project_id" if isinstance(place, Project) else "group_id": place.id}
    event = Event(table.next_id(), user.id, action, cx.instant, **where, kind=kind, target_id=target_id, push=push)
    cx.emit("activity", table.add(event))


def forget(cx: Doing, events: Iterable[Event]) -> None:
    """Remove events of what goes."""
    for event in list(events):
        cx.world.events.remove(event)


def forget_target(cx: Doing, kind: str, id_: int) -> None:
    """Remove what is known of a thing that goes."""
    forget(cx, cx.world.events.where("target", (kind, id_)))


def lose_target(cx: Doing, kind: str, id_: int) -> None:
    """Keep what is known of a thing that goes, without the thing."""
    for event in list(cx.world.events.where("target", (kind, id_))):
        cx.world.events.change(event, target_id=None)


def drop(cx: Doing, place: Place) -> None:
    """Remove all activity in a place that goes."""
    forget(cx, cx.world.events.where("project" if isinstance(place, Project) else "group", place.id))


def is_seen(cx: Context, event: Event) -> bool:
    """Whether the caller may know of an event: of the place and of what it is about."""
    world = cx.world
    place = world.projects.get(event.project_id) if event.project_id else world.namespaces.get(event.group_id or 0)
    if place is None or not sees(cx, place):
        return False
    if event.push is not None:
        return can(cx, May.DOWNLOAD_CODE, place)
    target = target_of(world, event)
    return target is None or TARGETS[str(event.kind)].seen(cx, target)


def target_of(world: World, event: Event) -> Any:
    """The thing that an event is about, None where there is none or it is gone."""
    if event.kind is None or event.target_id is None:
        return None
    return TARGETS[event.kind].find(world, event.target_id)
