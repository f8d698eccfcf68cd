"""Audit events, in chronological order."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from fakeplat.core.schema.shapes import DATE_TIME, FREE_MAP, NULLABLE_TEXT, Choice, Object
from fakeplat.domain.audit.audit_events import path_of
from fakeplat.model.audit_events import AuditEvent, EntityType
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

# As on the platform for entities that it does not know.
_GONE: Final = -1
_TABLES: Final = {"Project": "projects", "User": "users", "Group": "namespaces"}


def _create(entry: Entry) -> AuditEvent:
    table, values = entry.world.audit_events, entry.values
    author = entry.user_or_none("author")
    entity_type = values["entity_type"]
    return table.add(
        AuditEvent(
            table.next_id(),
            author.id if author else _GONE,
            entity_type,
            _find_entity_id(entry, entity_type),
            values.get("details") or {},
            entry.created_at,
        )
    )


def _find_entity_id(entry: Entry, entity_type: str) -> int:
    if entry.values.get("entity") is None:
        return _GONE
    find: Any = {"Project": entry.project, "User": entry.user, "Group": entry.group}[entity_type]
    return int(find("entity").id)


def _export(world: World, owner: Any) -> Iterable[tuple[AuditEvent, EntryData]] | None:
    del owner
    return [(event, _serialize(world, event)) for event in world.audit_events.all()] or None


def _serialize(world: World, event: AuditEvent) -> EntryData:
    entity = getattr(world, _TABLES[event.entity_type]).get(event.entity_id)
    return {
        "author": serialization.username_of(world, event.author_id),
        "entity_type": event.entity_type,
        "entity": None if entity is None else path_of(world, entity),
        "details": dict(event.details),
        "created_at": event.created_at,
    }


SECTION: Final = Section(
    "audit_events",
    within=(SCENARIO,),
    rank=ALERTS + 1,
    keys=Object(
        {
            "author": NULLABLE_TEXT,
            "entity_type": Choice(*get_args(EntityType)),
            "entity": NULLABLE_TEXT,
            "details": FREE_MAP,
            "created_at": DATE_TIME,
        },
        required=("entity_type",),
        descriptions={
            "author": "Username; null for a user who was deleted.",
            "entity": "Full path of the project or group, or username; null if it was deleted.",
            "details": "What was done to what.",
        },
    ),
    create=_create,
    export=_export,
)
