"""Pipeline schedules of projects in scenarios."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import NULLABLE_TEXT, Integer, ListOf, Nullable, Object
from fakeplat.domain.ci import pipeline_schedules
from fakeplat.model.ci import PipelineSchedule, PipelineVariable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCHEDULES, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.ci.pipelines import find_pipeline_id, serialize_pipeline

_VARIABLE_FIELDS: Final = fields(PipelineVariable)
VARIABLES: Final = ListOf(Object(_VARIABLE_FIELDS, required=("key", "value")))
_FIELDS: Final = own_fields(PipelineSchedule, without=("variables",))


def _create(entry: Entry) -> PipelineSchedule:
    owner = entry.user_or_none("owner")
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    variables = tuple(PipelineVariable(**variable) for variable in entry.values.get("variables", ()))
    schedule = pipeline_schedules.create(
        entry.ctx, entry.owner, owner, **{**times, **entry.select(_FIELDS), "variables": variables}
    )
    return entry.world.pipeline_schedules.change(schedule, last_pipeline_id=find_pipeline_id(entry, "last_pipeline"))


def _serialize_parts(world: World, schedule: PipelineSchedule) -> EntryData:
    return {
        "variables": serialize_variables(schedule.variables),
        "last_pipeline": serialize_pipeline(world, schedule.last_pipeline_id),
    }


def serialize_variables(variables: Sequence[PipelineVariable]) -> list[EntryData]:
    """Return variables as an entry has them."""
    return [serialization.non_default_fields(variable, _VARIABLE_FIELDS, always=("value",)) for variable in variables]


SECTION: Final = derive_section(
    "pipeline_schedules",
    PipelineSchedule,
    within=("project",),
    rank=SCHEDULES,
    keys=_FIELDS,
    further_keys={
        "owner": NULLABLE_TEXT,
        "variables": VARIABLES,
        "last_pipeline": Nullable(Integer(minimum=1)),
    },
    references={"owner": "owner_id"},
    required=("description", "ref", "cron"),
    descriptions={
        "next_run_at": "Default: as the platform computes it from cron and cron_timezone.",
        "last_pipeline": "The iid of the newest pipeline that the schedule created.",
    },
    create=_create,
    defaults=lambda schedule: {"variables": [*schedule.variables]},
    parts=_serialize_parts,
)
