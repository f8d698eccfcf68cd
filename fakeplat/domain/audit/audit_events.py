"""Audit events: record, find and list. Only paid tiers have them, so their class is imported with the first one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

if TYPE_CHECKING:
    from fakeplat.model.activity import AuditEvent, EntityType


@frozen
class InstanceScope:
    """The instance, as what an event is about."""

    id: int = 1


INSTANCE: Final = InstanceScope()
Entity = Project | Group | User | InstanceScope
Details = Mapping[str, Any]
"""What an event says about an action and its target, as responses contain it."""
_TYPES: Final[dict[type, EntityType]] = {
    Project: "Project",
    Group: "Group",
    User: "User",
    InstanceScope: "Gitlab::Audit::InstanceScope",
}
_NOBODY: Final = -1
"""The id of an author who is not signed in."""
_INSTANCE_PATH: Final = "gitlab_instance"
_LOCAL: Final = "127.0.0.1"


@frozen
class AuditFilter:
    """Which events to list: those about an entity, or of a type of entities, in a period, by an author."""

    entity_type: str | None = None
    entity_id: int | None = None
    created_after: str | None = None
    created_before: str | None = None
    author_id: int | None = None

    def admits(self, event: AuditEvent) -> bool:
        """Return whether an event passes the filter."""
        return (
            (self.entity_type is None or event.entity_type == self.entity_type)
            and (self.entity_id is None or event.entity_id == self.entity_id)
            and (self.created_after is None or event.created_at >= self.created_after)
            and (self.created_before is None or event.created_at <= self.created_before)
            and (self.author_id is None or event.author_id == self.author_id)
        )


def list_events(world: World, criteria: AuditFilter) -> Sequence[AuditEvent]:
    """Return the events that pass a filter, newest first."""
    entity = (criteria.entity_type, criteria.entity_id)
    events = world.audit_events.all() if None in entity else world.audit_events.where("entity", entity)
    return sorted((event for event in events if criteria.admits(event)), key=lambda event: event.id, reverse=True)


def get_event(world: World, id_: int, criteria: AuditFilter | None = None) -> AuditEvent:
    """Return the event with an id, or refuse with 404 if there is none, or none that passes the filter."""
    event = world.audit_events.get(id_)
    if event is None:
        raise RecordNotFound(reason=f"there is no audit event {id_}")
    if criteria is not None and not criteria.admits(event):
        raise RecordNotFound(reason=f"audit event {id_} is about {event.entity_type} {event.entity_id}")
    return event


def record(ctx: WriteContext, entity: Entity, action: Details, target: Details) -> None:
    """Record an action of the acting user, where the tier has audit events; ``target`` is what it was done to."""
    if ctx.user is not None:
        record_for(ctx, ctx.user, entity, action, target)


def record_for(ctx: WriteContext, author: User, entity: Entity, action: Details, target: Details) -> None:
    """Record an action of a user."""
    container = entity if isinstance(entity, Project | Group) else None
    if not has_feature(ctx.world, "premium", container):
        return
    source = {"ip_address": author.current_sign_in_ip or _LOCAL, "entity_path": path_of(ctx.world, entity)}
    details = {**action, "author_name": author.name, **target, **source}
    _insert(ctx, author.id, _TYPES[type(entity)], entity.id, details)


def record_sign_in(ctx: WriteContext, user: User | None, details: Details) -> None:
    """Record that a user signed in, or failed to; None: somebody unknown."""
    if has_feature(ctx.world, "premium"):
        user_id = user.id if user else _NOBODY
        ip_address = ctx.request.remote_ip if ctx.request else _LOCAL
        source = {"ip_address": ip_address, "entity_path": user.username if user else None}
        _insert(ctx, user_id, "User", user_id, {**details, **source})


def _insert(ctx: WriteContext, author_id: int, kind: EntityType, entity_id: int, details: Details) -> None:
    from fakeplat.model.activity import AuditEvent

    table = ctx.world.audit_events
    table.add(AuditEvent(table.next_id(), author_id, kind, entity_id, details, ctx.now_iso))


def path_of(world: World, entity: Entity) -> str:
    """Return the full path of a project or group, or the username."""
    if isinstance(entity, InstanceScope):
        return _INSTANCE_PATH
    if isinstance(entity, User):
        return entity.username
    if isinstance(entity, Project):
        return namespaces.project_path(world, entity)
    return namespaces.full_path(world, entity)
