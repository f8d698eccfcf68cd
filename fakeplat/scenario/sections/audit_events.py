"""Audit events, in chronological order."""

from typing import Any, Final, get_args

from fakeplat.core.schema.shapes import DATE_TIME, FREE_MAP, NULLABLE_TEXT, Choice
from fakeplat.domain.audit.audit_events import INSTANCE, path_of
from fakeplat.model.activity import AuditEvent, EntityType
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData
from fakeplat.scenario.sections import serialization

# As on the platform for entities that it does not know.
_GONE: Final = -1
_INSTANCE_SCOPE: Final = "Gitlab::Audit::InstanceScope"
_TABLES: Final = {"Project": "projects", "User": "users", "Group": "namespaces"}


def _create(entry: Entry) -> AuditEvent:
    table, values = entry.world.audit_events, entry.values
    author = entry.user_or_none("author")
    entity_type = values["entity_type"]
    entity_id = _get_entity_id(entry, entity_type)
    details = {**(values.get("details") or {})}
    if "target_type" in details:
        details.setdefault("target_id", entity_id)
    if details.get("target_type") == "Project" and isinstance(details["target_id"], str):
        details["target_id"] = entry.get_project(details["target_id"], "details").id
    author_id = author.id if author else _GONE
    return table.add(AuditEvent(table.next_id(), author_id, entity_type, entity_id, details, entry.created_at))


def _get_entity_id(entry: Entry, entity_type: str) -> int:
    if entity_type == _INSTANCE_SCOPE:
        return INSTANCE.id
    if entry.values.get("entity") is None:
        return _GONE
    find: Any = {"Project": entry.project, "User": entry.user, "Group": entry.group}[entity_type]
    return int(find("entity").id)


def _serialize(world: World, event: AuditEvent) -> EntryData:
    table = _TABLES.get(event.entity_type)
    entity = getattr(world, table).get(event.entity_id) if table else None
    return {
        "author": serialization.username_of(world, event.author_id),
        "entity_type": event.entity_type,
        "entity": None if entity is None else path_of(world, entity),
        "details": _serialize_details(world, event),
        "created_at": event.created_at,
    }


def _serialize_details(world: World, event: AuditEvent) -> EntryData:
    """Return the details without ids of projects, groups and users, which may change.

    If the target is the entity itself, its id is left out; that of another project is its path, -1 if it is gone.
    """
    details = dict(event.details)
    target_type = details.get("target_type")
    if target_type == event.entity_type:
        details.pop("target_id", None)
    elif target_type == "Project":
        project = world.projects.get(details["target_id"])
        details["target_id"] = _GONE if project is None else path_of(world, project)
    return details


SECTION: Final = derive_section(
    "audit_events",
    AuditEvent,
    within=(SCENARIO,),
    rank=ALERTS + 1,
    keys={
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
        "details": "What was done to what. Default of target_id: the entity's id; another project's is a path.",
    },
    create=_create,
    serialize=_serialize,
)
