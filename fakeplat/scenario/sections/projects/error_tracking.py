"""The error tracking settings of projects."""

from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import error_tracking
from fakeplat.model.projects import ErrorTrackingSetting, Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(ErrorTrackingSetting, without=("id", "project_id"))


def _create(entry: Entry) -> ErrorTrackingSetting:
    return error_tracking.set_setting(entry.ctx, entry.owner, **entry.select(_FIELDS))


def _export(world: World, project: Project) -> list[tuple[ErrorTrackingSetting, EntryData]] | None:
    setting = error_tracking.find_setting(world, project)
    return None if setting is None else [(setting, serialization.non_default_fields(setting, _FIELDS))]


SECTION: Final = Section(
    "error_tracking",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS),
    create=_create,
    export=_export,
    single=True,
)
