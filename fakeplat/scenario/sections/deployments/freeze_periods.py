"""Freeze periods of projects."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.deployments import freeze_periods
from fakeplat.model.deployments import FreezePeriod
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(FreezePeriod, without=("id", "project_id"))


def _create(entry: Entry) -> FreezePeriod:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return freeze_periods.create(entry.ctx, entry.owner, **{**times, **entry.select(_FIELDS)})


def _export(world: World, project: Project) -> Iterable[tuple[FreezePeriod, EntryData]] | None:
    return [
        (period, serialization.remove_defaults(_serialize(period), updated_at=period.created_at))
        for period in freeze_periods.list_freeze_periods(world, project)
    ] or None


def _serialize(period: FreezePeriod) -> EntryData:
    return serialization.non_default_fields(period, _FIELDS)


SECTION: Final = Section(
    "freeze_periods",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("freeze_start", "freeze_end")),
    create=_create,
    export=_export,
)
