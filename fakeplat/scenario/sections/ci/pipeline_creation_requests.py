"""Requests for pipelines in scenarios."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT, Integer
from fakeplat.domain.ci import pipeline_creation_requests
from fakeplat.model.ci import PipelineCreationRequest, PipelineVariable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCHEDULES, EntryData
from fakeplat.scenario.sections.ci.pipeline_schedules import VARIABLES, serialize_variables
from fakeplat.scenario.sections.ci.pipelines import find_pipeline_id, serialize_pipeline

_FIELDS: Final = own_fields(PipelineCreationRequest, without=("variables",))


def _create(entry: Entry) -> PipelineCreationRequest:
    table = entry.world.pipeline_creation_requests
    fields = {"uuid": pipeline_creation_requests.new_uuid(entry.ctx), "updated_at": entry.created_at}
    request = PipelineCreationRequest(
        **{**fields, **entry.select(_FIELDS)},
        id=table.next_id(),
        project_id=entry.owner.id,
        user_id=entry.user("user").id,
        variables=tuple(PipelineVariable(**variable) for variable in entry.values.get("variables", ())),
        pipeline_id=find_pipeline_id(entry, "pipeline"),
    )
    pipeline_creation_requests.schedule_next(entry.ctx, table.add(request))
    return request


def _serialize_parts(world: World, request: PipelineCreationRequest) -> EntryData:
    return {
        "variables": serialize_variables(request.variables),
        "pipeline": serialize_pipeline(world, request.pipeline_id),
    }


SECTION: Final = derive_section(
    "pipeline_creation_requests",
    PipelineCreationRequest,
    within=("project",),
    rank=SCHEDULES,
    keys=_FIELDS,
    further_keys={"user": TEXT, "variables": VARIABLES, "pipeline": Integer(minimum=1)},
    references={"user": "user_id"},
    required=("user", "ref"),
    create=_create,
    parts=_serialize_parts,
)
