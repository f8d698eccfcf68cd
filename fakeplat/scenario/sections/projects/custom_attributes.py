"""Custom attributes of users, groups and projects."""

from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import custom_attributes
from fakeplat.model.projects import CustomAttribute
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section

_FIELDS: Final = fields(CustomAttribute, without=("id", "subject"))


def _subject(owner: Any) -> tuple[str, int]:
    return (type(owner).__name__.lower(), owner.id)


def _create(entry: Entry) -> CustomAttribute:
    return custom_attributes.set_attribute(entry.ctx, _subject(entry.owner), entry.values["key"], entry.values["value"])


def _export(world: World, owner: Any) -> list[tuple[CustomAttribute, EntryData]] | None:
    attributes = custom_attributes.list_attributes(world, _subject(owner))
    return [(attribute, {"key": attribute.key, "value": attribute.value}) for attribute in attributes] or None


SECTION: Final = Section(
    "custom_attributes",
    within=("user", "group", "project"),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("key", "value")),
    create=_create,
    export=_export,
    name_key="key",
    value_key="value",
)
