"""Seats of a namespace's plan on the hosted offering, counted at each midnight of the world.

The count at the last midnight is computed before the day's first change of a membership, and stored by that change.
Source: docs/platform/namespaces.md.
"""

from typing import Final, TypedDict, Unpack

from fakeplat.core.timestamps import DAY, to_iso_date
from fakeplat.domain.people.namespaces import list_descendants, plan_of
from fakeplat.model.people import Group, Level, Namespace
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import Source, ancestors_of

FREE_PLANS: Final = ("free", "default")
_PLANS_WITH_FREE_GUESTS: Final = ("gold", "ultimate", "ultimate_trial", "opensource")
TOP_PLANS: Final = ("gold", "ultimate", "opensource")
"""The plans above which there is none."""


class _Counted(TypedDict, total=False):
    """The seats of a day."""

    seats_day: str
    seats_in_use: int


def count_billable(world: World, namespace: Namespace, requested_plan: str = "") -> int:
    """Return the billable members of a group and everything below it; guests are free on the top plan.

    ``requested_plan``: count as if the group had that plan too.
    """
    if not isinstance(namespace, Group):
        return 1
    lowest = lowest_billable_level(world, namespace, requested_plan)
    members = (member for source in list_sources(world, namespace) for member in world.members.where("source", source))
    return len({member.user_id for member in members if member.access_level >= lowest})


def lowest_billable_level(world: World, namespace: Namespace, requested_plan: str = "") -> Level:
    """Return the lowest level that takes a seat: guests are free on the top plan."""
    return Level.REPORTER if has_free_guests(world, namespace, requested_plan) else Level.GUEST


def has_free_guests(world: World, namespace: Namespace, requested_plan: str = "") -> bool:
    """Return whether guests take no seat with the plan of a namespace or a requested one."""
    return any(plan in _PLANS_WITH_FREE_GUESTS for plan in (plan_of(world, namespace), requested_plan))


def list_sources(world: World, group: Group) -> list[Source]:
    """Return the keys of a group and of all groups and projects below it in memberships and shares."""
    groups = [("group", container.id) for container in (group, *list_descendants(world, group))]
    return groups + [("project", project.id) for _, id_ in groups for project in world.projects.where("namespace", id_)]


def count_in_use(ctx: ReadContext, namespace: Namespace) -> int:
    """Return the seats in use at the last midnight; 0 on free plans."""
    if plan_of(ctx.world, namespace) in FREE_PLANS:
        return 0
    return namespace.seats_in_use if namespace.seats_day == ctx.today else count_billable(ctx.world, namespace)


def max_seats_used(ctx: ReadContext, namespace: Namespace) -> int:
    """Return the most seats that were in use at any midnight."""
    return max(namespace.max_seats_used, count_in_use(ctx, namespace)) if count_in_use(ctx, namespace) else 0


def record_seats(ctx: WriteContext, container: Routable) -> None:
    """Store the seats of the last midnight before the day's first change; a scenario's own members are ignored."""
    # There is no request while a scenario is loaded.
    if not ctx.instance.hosted or ctx.request is None:
        return
    for namespace in _counting_namespaces(ctx.world, container):
        if namespace.seats_day != ctx.today:
            seats, maximum = count_in_use(ctx, namespace), max_seats_used(ctx, namespace)
            _store_maximum(ctx, namespace, maximum, seats_day=ctx.today, seats_in_use=seats)


def record_yesterday(ctx: WriteContext, container: Routable) -> None:
    """Store the maximum so far before a membership ends at midnight, which no longer counts it."""
    if not ctx.instance.hosted:
        return
    for namespace in _counting_namespaces(ctx.world, container):
        if namespace.seats_day != to_iso_date(ctx.now() - DAY):
            _store_maximum(ctx, namespace, max_seats_used(ctx, namespace))


def restart_count(ctx: WriteContext, namespace: Namespace) -> Namespace:
    """Count the seats of a namespace anew, without what was used in an earlier term of its subscription."""
    seats = count_billable(ctx.world, namespace)
    now = ctx.now_iso
    return ctx.world.namespaces.change(
        namespace, seats_day=ctx.today, seats_in_use=seats, max_seats_used=seats, max_seats_used_changed_at=now
    )


def _store_maximum(ctx: WriteContext, namespace: Namespace, maximum: int, **counted: Unpack[_Counted]) -> None:
    if maximum == namespace.max_seats_used:
        ctx.world.namespaces.change(namespace, **counted)
        return
    now = ctx.now_iso
    ctx.world.namespaces.change(namespace, max_seats_used=maximum, max_seats_used_changed_at=now, **counted)


def _counting_namespaces(world: World, container: Routable) -> list[Namespace]:
    """Return the namespaces that count the members of a project or group."""
    return list(ancestors_of(world, container))
