"""Topics, of which projects create those that have nothing but a name."""

from typing import Final

from fakeplat.domain.projects import topics
from fakeplat.model.projects import Topic
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCENARIO
from fakeplat.scenario.sections.people import avatars

_FIELDS: Final = own_fields(Topic, without=("avatar",))


def _create(entry: Entry) -> Topic:
    table, values = entry.world.topics, entry.select(_FIELDS)
    existing = table.find("name", values["name"].lower())
    defaults = {"title": values["name"]}
    topic = table.change(existing, **values) if existing else topics.create(entry.ctx, **{**defaults, **values})
    return table.change(topic, **avatars.avatar_change(entry, (topics.KIND, topic.id)))


SECTION: Final = derive_section(
    "topics",
    Topic,
    within=(SCENARIO,),
    keys=_FIELDS,
    further_keys={"avatar": avatars.AVATAR},
    required=("name",),
    create=_create,
    defaults=lambda topic: {"title": topic.name, "avatar": topic.avatar},
    parts=lambda world, topic: avatars.serialize_avatar(world, topic.avatar),
    name_key="name",
)
