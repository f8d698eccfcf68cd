"""Milestones of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, DATE, Choice, Integer, Nullable, Object
from fakeplat.domain.planning import milestones
from fakeplat.model.labels import Milestone
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(
    Milestone,
    without=("id", "source"),
    iid=Integer(minimum=1),
    state=Choice("active", "closed"),
    due_date=Nullable(DATE),
    start_date=Nullable(DATE),
)


def _make(entry: Entry) -> Milestone:
    place, given = entry.owner, entry.given(_OWN)
    found = next((one for one in milestones.list_own(entry.world, place) if one.title == given["title"]), None)
    if found is None:
        (found,) = milestones.create_many(entry.ctx, place, [{"created_at": entry.created_at, **given}])
        return found
    times = {name: given.pop(name) for name in ("created_at", "updated_at") if name in given}
    return entry.world.milestones.change(milestones.update(entry.ctx, place, found, **given), **times)


def _tell(world: World, place: Any) -> Iterable[tuple[Milestone, Told]] | None:
    return [(one, _told(world, one)) for one in milestones.list_own(world, place)] or None


def _told(world: World, milestone: Milestone) -> Told:
    found = telling.remove_defaults(telling.non_default_fields(milestone, _OWN), updated_at=milestone.created_at)
    return {**found, **creation_order.turn_of(world, "milestones", milestone.id)}


SECTION: Final = Section(
    "milestones",
    under=("group", "project"),
    rank=FURTHER,
    keys=Object(
        {**_OWN, creation_order.KEY: COUNT},
        required=("title",),
        descriptions={creation_order.KEY: creation_order.DESCRIPTION},
    ),
    make=_make,
    tell=_tell,
    named="title",
    cased=True,
)
