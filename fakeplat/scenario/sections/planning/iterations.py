"""Iterations of groups."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE, Integer, Object
from fakeplat.domain.planning import iterations
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Iteration, without=("id", "group_id"), iid=Integer(minimum=1), start_date=DATE, due_date=DATE)


def _create(entry: Entry) -> Iteration:
    values = entry.select(_FIELDS)
    existing = entry.world.iterations.find("iid", (entry.owner.id, values.get("iid")))
    if existing is not None:
        return entry.world.iterations.change(existing, **values)
    return iterations.create(entry.ctx, entry.owner, **{"created_at": entry.since, **values})


def _export(world: World, group: Group) -> Iterable[tuple[Iteration, EntryData]] | None:
    return [
        (
            iteration,
            serialization.remove_defaults(
                serialization.non_default_fields(iteration, _FIELDS), updated_at=iteration.created_at
            ),
        )
        for iteration in world.iterations.where("group", group.id)
    ] or None


SECTION: Final = Section(
    "iterations",
    within=("group",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("title", "start_date", "due_date")),
    create=_create,
    export=_export,
)
