"""Seats that a namespace's plan pays for, on the hosted offering: counted anew at each midnight of the world.

The count of the last midnight is the count before the day's first change of a membership; that change writes it down.
Source: docs/platform/specification.md ('Namespace').
"""

from typing import Final

from fakeplat.core.timestamps import DAY, to_iso_date
from fakeplat.domain.people.namespaces import list_descendants, plan_of
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_UNPAID: Final = ("free", "default")
_GUESTS_ARE_FREE: Final = "gold"


def count_billable(world: World, namespace: Namespace, requested_plan: str = "") -> int:
    """How many people a group's plan counts now: members of it and of all below, guests not on the top plan.

    ``requested_plan``: as if the group had that plan too.
    """
    if not isinstance(namespace, Group):
        return 1
    least = Level.REPORTER if _GUESTS_ARE_FREE in (plan_of(world, namespace), requested_plan) else Level.GUEST
    sources = [("group", container.id) for container in (namespace, *list_descendants(world, namespace))]
    sources += [("project", p.id) for _, id_ in sources.copy() for p in world.projects.where("namespace", id_)]
    members = (member for source in sources for member in world.members.where("source", source))
    return len({member.user_id for member in members if member.access_level >= least})


def count_in_use(ctx: ReadContext, namespace: Namespace) -> int:
    """The seats in use as of the last midnight; none on unpaid plans."""
    if plan_of(ctx.world, namespace) in _UNPAID:
        return 0
    return namespace.seats_in_use if namespace.seats_day == ctx.today else count_billable(ctx.world, namespace)


def max_used(ctx: ReadContext, namespace: Namespace) -> int:
    """The most seats that were in use at a midnight."""
    return max(namespace.max_seats_used, count_in_use(ctx, namespace)) if count_in_use(ctx, namespace) else 0


def record_seats(ctx: WriteContext, container: Project | Namespace) -> None:
    """Write down the last midnight's seats before the first change of a day; what a scenario says was always so."""
    if not ctx.instance.hosted or ctx.request is None:
        return
    for namespace in _around(ctx.world, container):
        if namespace.seats_day != ctx.today:
            seats, most = count_in_use(ctx, namespace), max_used(ctx, namespace)
            ctx.world.namespaces.change(namespace, seats_day=ctx.today, seats_in_use=seats, max_seats_used=most)


def record_yesterday(ctx: WriteContext, container: Project | Namespace) -> None:
    """Keep the most seats so far before a membership ends at midnight, which no longer counts it."""
    if not ctx.instance.hosted:
        return
    for namespace in _around(ctx.world, container):
        if namespace.seats_day != to_iso_date(ctx.now() - DAY):
            ctx.world.namespaces.change(namespace, max_seats_used=max_used(ctx, namespace))


def _around(world: World, container: Project | Namespace) -> list[Namespace]:
    """The namespaces that count the members of a place."""
    return list(ancestors(world, container.namespace_id if isinstance(container, Project) else container.id))
