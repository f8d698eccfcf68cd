"""Badges of groups and projects."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import badges
from fakeplat.model.projects import Badge
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Badge, without=("id", "source"))


def _create(entry: Entry) -> Badge:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return badges.create(entry.ctx, entry.owner, **{**times, **entry.select(_FIELDS)})


def _export(world: World, container: Any) -> Iterable[tuple[Badge, EntryData]] | None:
    badges_ = world.badges.where("source", source_of(container))
    return [
        (
            badge,
            serialization.remove_defaults(
                serialization.non_default_fields(badge, _FIELDS), updated_at=badge.created_at
            ),
        )
        for badge in badges_
    ] or None


SECTION: Final = Section(
    "badges",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("link_url", "image_url")),
    create=_create,
    export=_export,
)
