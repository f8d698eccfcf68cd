"""Badges of groups and projects."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import badges
from fakeplat.model.badges import Badge
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(Badge, without=("id", "source"))


def _make(entry: Entry) -> Badge:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return badges.create(entry.ctx, entry.owner, **{**times, **entry.given(_OWN)})


def _tell(world: World, place: Any) -> Iterable[tuple[Badge, Told]] | None:
    found = world.badges.where("source", source_of(place))
    return [
        (badge, telling.remove_defaults(telling.non_default_fields(badge, _OWN), updated_at=badge.created_at))
        for badge in found
    ] or None


SECTION: Final = Section(
    "badges",
    under=("group", "project"),
    rank=FURTHER,
    keys=Object(_OWN, required=("link_url", "image_url")),
    make=_make,
    tell=_tell,
)
