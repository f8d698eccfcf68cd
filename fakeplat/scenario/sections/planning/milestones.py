"""Milestones of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, DATE, Choice, Integer, Nullable, Object
from fakeplat.domain.planning import milestones
from fakeplat.model.planning import Milestone
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(
    Milestone,
    without=("id", "source"),
    iid=Integer(minimum=1),
    state=Choice("active", "closed"),
    due_date=Nullable(DATE),
    start_date=Nullable(DATE),
)


def _create(entry: Entry) -> Milestone:
    container, fields_ = entry.owner, entry.select(_FIELDS)
    milestone = next(
        (candidate for candidate in milestones.list_own(entry.world, container) if candidate.title == fields_["title"]),
        None,
    )
    if milestone is None:
        return milestones.insert(entry.ctx, container, **{"created_at": entry.created_at, **fields_})
    # The update sets ``updated_at``, so the times of the entry are applied afterwards.
    times = {name: fields_.pop(name) for name in ("created_at", "updated_at") if name in fields_}
    return entry.world.milestones.change(milestones.update(entry.ctx, container, milestone, **fields_), **times)


def _export(world: World, container: Any) -> Iterable[tuple[Milestone, EntryData]] | None:
    return [(milestone, _serialize(world, milestone)) for milestone in milestones.list_own(world, container)] or None


def _serialize(world: World, milestone: Milestone) -> EntryData:
    data = serialization.remove_defaults(
        serialization.non_default_fields(milestone, _FIELDS), updated_at=milestone.created_at
    )
    return {**data, **creation_order.turn_of(world, "milestones", milestone.id)}


SECTION: Final = Section(
    "milestones",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object(
        {**_FIELDS, creation_order.KEY: COUNT},
        required=("title",),
        descriptions={creation_order.KEY: creation_order.DESCRIPTION},
    ),
    create=_create,
    export=_export,
    name_key="title",
    case_sensitive=True,
)
