"""Broadcast messages in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.instance import broadcast_messages
from fakeplat.model.instance import BroadcastMessage
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(BroadcastMessage, without=("id",))


def _create(entry: Entry) -> BroadcastMessage:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return broadcast_messages.create(entry.ctx, **{**times, **entry.select(_FIELDS)})


def _export(world: World, _container: Any) -> Iterable[tuple[BroadcastMessage, EntryData]] | None:
    return [
        (row, serialization.remove_defaults(serialization.non_default_fields(row, _FIELDS), updated_at=row.created_at))
        for row in world.broadcast_messages.all()
    ] or None


SECTION: Final = Section(
    "broadcast_messages",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("message",)),
    create=_create,
    export=_export,
)
