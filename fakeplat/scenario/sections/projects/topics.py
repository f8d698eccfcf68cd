"""Topics, of which projects create those that have nothing but a name."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import topics
from fakeplat.model.projects import Topic
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars

_FIELDS: Final = fields(Topic, without=("id", "avatar"))


def _create(entry: Entry) -> Topic:
    table, values = entry.world.topics, entry.select(_FIELDS)
    existing = table.find("name", values["name"].lower())
    defaults = {"title": values["name"]}
    topic = table.change(existing, **values) if existing else topics.create(entry.ctx, **{**defaults, **values})
    return table.change(topic, **avatars.avatar_change(entry, (topics.KIND, topic.id)))


def _export(world: World, _container: Any) -> Iterable[tuple[Topic, EntryData]] | None:
    return [(topic, _serialize(world, topic)) for topic in world.topics.all()] or None


def _serialize(world: World, topic: Topic) -> EntryData:
    data = serialization.remove_defaults(serialization.non_default_fields(topic, _FIELDS), title=topic.name)
    return {**data, **avatars.serialize_avatar(world, topic.avatar)}


SECTION: Final = Section(
    "topics",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object({**_FIELDS, "avatar": avatars.AVATAR}, required=("name",)),
    create=_create,
    export=_export,
    name_key="name",
)
