"""Integrations that have the settings of a group above.

Source: docs/platform/integrations.md ('Inheritance').
"""

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Integration
from fakeplat.model.hooks import Service
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors

_GROUP: Final = "group"


def inherit(ctx: WriteContext, container: Routable) -> None:
    """Give a new project or group the integrations of the groups above it."""
    # Records of a scenario, which have no acting user, get what the entries say.
    if ctx.user is None:
        return
    slugs = {service.slug for group in _list_above(ctx.world, container) for service in _list_own(ctx.world, group)}
    for slug in sorted(slugs):
        base = _find_base(ctx.world, container, slug)
        if base is not None and base.active:
            _add_copy(ctx, container, base)


def use_inherited(ctx: WriteContext, owner: Routable, integration: Integration) -> Service:
    """Give an integration the settings of the nearest group above that has its own. BadRequest if none has."""
    base = _find_base(ctx.world, owner, integration.slug)
    if base is None:
        reason = f"no group above has an integration {integration.slug}"
        raise BadRequest("Default integration not found.", reason=reason)
    service = services.find_service(ctx.world, owner, integration.slug)
    return _add_copy(ctx, owner, base) if service is None else _copy(ctx, service, base)


def propagate(ctx: WriteContext, base: Service) -> None:
    """Bring the settings of a group to the integrations that inherit them, and to projects and groups without any."""
    if base.source[0] != _GROUP or base.inherit_from_id is not None:
        return
    for service in list(ctx.world.services.where("inherit_from", base.id)):
        _copy(ctx, service, base)
    if base.active:
        for container in list(_list_below(ctx.world, base.source[1])):
            if services.find_service(ctx.world, container, base.slug) is None:
                _add_copy(ctx, container, base)


def _list_below(world: World, group_id: int) -> Iterator[Routable]:
    group = world.namespaces[group_id]
    yield from namespaces.list_descendants(world, group)
    yield from namespaces.list_projects_within(world, group)


def _find_base(world: World, container: Routable, slug: str) -> Service | None:
    """Return the integration of the nearest group above that has settings of its own."""
    found = (services.find_service(world, group, slug) for group in _list_above(world, container))
    return next((service for service in found if service is not None and service.inherit_from_id is None), None)


def _list_above(world: World, container: Routable) -> Iterator[Group]:
    above = container.namespace_id if isinstance(container, Project) else getattr(container, "parent_id", None)
    return (group for group in ancestors(world, above) if isinstance(group, Group))


def _list_own(world: World, group: Group) -> Iterator[Service]:
    return (service for service in services.list_active(world, group) if service.inherit_from_id is None)


def _add_copy(ctx: WriteContext, container: Routable, base: Service) -> Service:
    table, now = ctx.world.services, ctx.now_iso
    place = source_of(container)
    copy = evolve(base, id=table.next_id(), source=place, inherit_from_id=base.id, created_at=now, updated_at=now)
    return table.add(copy)


def _copy(ctx: WriteContext, service: Service, base: Service) -> Service:
    copy = evolve(base, id=service.id, source=service.source, inherit_from_id=base.id)
    return ctx.world.services.replace(service, evolve(copy, created_at=service.created_at, updated_at=ctx.now_iso))
