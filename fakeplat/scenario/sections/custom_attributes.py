"""Custom attributes of users, groups and projects."""

from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import custom_attributes
from fakeplat.model.projects import CustomAttribute
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told

_OWN: Final = fields(CustomAttribute, without=("id", "subject"))


def _subject(owner: Any) -> tuple[str, int]:
    return (type(owner).__name__.lower(), owner.id)


def _make(entry: Entry) -> CustomAttribute:
    return custom_attributes.set_attribute(entry.ctx, _subject(entry.owner), entry.said["key"], entry.said["value"])


def _tell(world: World, owner: Any) -> list[tuple[CustomAttribute, Told]] | None:
    found = custom_attributes.list_attributes(world, _subject(owner))
    return [(attribute, {"key": attribute.key, "value": attribute.value}) for attribute in found] or None


SECTION: Final = Section(
    "custom_attributes",
    under=("user", "group", "project"),
    rank=FURTHER,
    keys=Object(_OWN, required=("key", "value")),
    make=_make,
    tell=_tell,
    named="key",
    value="value",
)
