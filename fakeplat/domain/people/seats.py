"""Seats that a namespace's plan pays for, on the hosted offering: counted anew at each midnight of the world.

The count of the last midnight is the count before the day's first change of a membership; that change writes it down.
Source: docs/platform/specification.md ('Namespace').
"""

from typing import Final

from fakeplat.core.stamps import DAY, day
from fakeplat.domain.people.namespaces import inside, plan_of
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.levels import chain

_UNPAID: Final = ("free", "default")
_GUESTS_ARE_FREE: Final = "gold"


def billable(world: World, namespace: Namespace, requested_plan: str = "") -> int:
    """How many people a group's plan counts now: members of it and of all below, guests not on the top plan.

    ``requested_plan``: as if the group had that plan too.
    """
    if not isinstance(namespace, Group):
        return 1
    least = Level.REPORTER if _GUESTS_ARE_FREE in (plan_of(world, namespace), requested_plan) else Level.GUEST
    sources = [("group", place.id) for place in (namespace, *inside(world, namespace))]
    sources += [("project", p.id) for _, id_ in sources.copy() for p in world.projects.where("namespace", id_)]
    members = (member for source in sources for member in world.members.where("source", source))
    return len({member.user_id for member in members if member.access_level >= least})


def in_use(cx: Context, namespace: Namespace) -> int:
    """The seats in use as of the last midnight; none on unpaid plans."""
    if plan_of(cx.world, namespace) in _UNPAID:
        return 0
    return namespace.seats_in_use if namespace.seats_day == cx.today else billable(cx.world, namespace)


def most_used(cx: Context, namespace: Namespace) -> int:
    """The most seats that were in use at a midnight."""
    return max(namespace.max_seats_used, in_use(cx, namespace)) if in_use(cx, namespace) else 0


def note(cx: Doing, place: Project | Namespace) -> None:
    """Write down the last midnight's seats before the first change of a day; what a scenario says was always so."""
    if not cx.instance.hosted or cx.request is None:
        return
    for namespace in _around(cx.world, place):
        if namespace.seats_day != cx.today:
            seats, most = in_use(cx, namespace), most_used(cx, namespace)
            cx.world.namespaces.change(namespace, seats_day=cx.today, seats_in_use=seats, max_seats_used=most)


def note_yesterday(cx: Doing, place: Project | Namespace) -> None:
    """Keep the most seats so far before a membership ends at midnight, which no longer counts it."""
    if not cx.instance.hosted:
        return
    for namespace in _around(cx.world, place):
        if namespace.seats_day != day(cx.now() - DAY):
            cx.world.namespaces.change(namespace, max_seats_used=most_used(cx, namespace))


def _around(world: World, place: Project | Namespace) -> list[Namespace]:
    """The namespaces that count the members of a place."""
    return list(chain(world, place.namespace_id if isinstance(place, Project) else place.id))
