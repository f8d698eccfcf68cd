"""The events about a record in an archive: what users did with it, and changes of its labels."""

from typing import Any, Final, get_args

from fakeplat.core.store.references import Subject
from fakeplat.domain import event_targets
from fakeplat.domain.import_export import serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in
from fakeplat.model.activity import Action, Event
from fakeplat.model.planning import LabelEvent
from fakeplat.model.projects import Project
from fakeplat.model.world import World

_ACTIONS: Final = get_args(Action)
_FIELDS: Final = ("action", "created_at")


def event_rows(world: World, target: Subject) -> list[dict[str, Any]]:
    """Return what users did with a record."""
    return [
        {
            "action": event.action,
            "created_at": event.created_at,
            "updated_at": event.created_at,
            "target_type": event_targets.TARGETS[target[0]].wire(event_targets.target_of(world, event)),
            **serialization.user_fields(world, author=event.author_id),
        }
        for event in world.events.where("target", target)
    ]


def import_events(resolver: Resolver, row: Row, target: Subject) -> None:
    """Import what users did with a record; actions that are unknown are left out."""
    table, container = resolver.ctx.world.events, resolver.container
    place: dict[str, Any] = {"project_id" if isinstance(container, Project) else "group_id": container.id}
    kind, id_ = target
    for event in rows_in(row, "events"):
        if event.get("action") in _ACTIONS:
            author, fields = resolver.user_or_importer(event), read_fields(Event, event, _FIELDS)
            table.add(Event(table.next_id(), author.id, **fields, **place, kind=kind, target_id=id_))


def label_event_rows(world: World, subject: Subject) -> list[dict[str, Any]]:
    """Return the changes of a record's labels, apart from labels that were deleted."""
    return [
        {
            "action": event.action,
            "created_at": event.created_at,
            "label": serialization.label_field(world.labels[event.label_id]),
            **serialization.user_fields(world, user=event.user_id),
        }
        for event in world.label_events.where("subject", subject)
        if world.labels.get(event.label_id) is not None
    ]


def import_label_events(resolver: Resolver, row: Row, subject: Subject) -> None:
    """Import the changes of a record's labels."""
    table = resolver.ctx.world.label_events
    for event in rows_in(row, "resource_label_events"):
        label = event.get("label")
        if isinstance(label, dict):
            user, fields = resolver.user_or_importer(event, "user"), read_fields(LabelEvent, event, _FIELDS)
            table.add(LabelEvent(table.next_id(), subject, user.id, resolver.get_or_create_label(label).id, **fields))
