"""Creation of pipelines, and what became of it if the client did not wait.

Source: docs/platform/graphql.md ('Pipelines'), docs/platform/pipelines-jobs.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, get_args

from fakeplat.domain.ci import pipeline_creation, pipeline_creation_requests
from fakeplat.graphql.ci.job_changes import read_variables
from fakeplat.graphql.ci.pipeline_schedules import InputChange, VariableInput
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.ci import CreationStatus, Pipeline, PipelineCreationRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_REQUESTS: Final = "17.9"
Enumeration(
    "CiPipelineCreationStatus",
    "Whether a pipeline was created.",
    {status.upper(): (status, f"The status {status.replace('_', ' ')}.") for status in get_args(CreationStatus)},
    since=_REQUESTS,
)
REQUEST: Final = Type("CiPipelineCreationRequest", "A request for a pipeline.", since=_REQUESTS)
REQUEST.attributes(
    {"status: CiPipelineCreationStatus!": "Whether it was created.", "error: String": "Why it was not created."}
)


@REQUEST.field("pipelineId: CiPipelineID")
def pipeline_id_of(ctx: ReadContext, request: PipelineCreationRequest) -> str | None:
    """The global ID of the pipeline."""
    return None if request.pipeline_id is None else global_id(ctx, "Ci::Pipeline", request.pipeline_id)


@REQUEST.field("pipeline: Pipeline", since="<=18.9")
def pipeline_of(ctx: ReadContext, request: PipelineCreationRequest) -> Pipeline | None:
    """The pipeline."""
    return ctx.world.pipelines.get(request.pipeline_id or 0)


@PROJECT.field("ciPipelineCreationRequest(requestId: String!): CiPipelineCreationRequest", single=True, since=_REQUESTS)
def find_request(ctx: ReadContext, project: Project, request_id: str) -> PipelineCreationRequest | None:
    """What became of a request for a pipeline in the last five minutes, for those who may create pipelines."""
    if not can(ctx, Ability.CREATE_PIPELINE, project):
        return None
    return pipeline_creation_requests.find_request(ctx.world, project, request_id)


CreationOptions = TypedDict("CreationOptions", {"async": bool | None}, total=False)


@mutation(
    "pipelineCreate",
    input_fields='''
"""Whether the client does not wait for the pipeline."""
async: Boolean
"""The full path of the project."""
projectPath: ID!
"""The branch or tag."""
ref: String!
"""The variables of the pipeline."""
variables: [CiVariableInput!]
"""The values for inputs of the configuration."""
inputs: [CiInputsInput!] @lifetime(since: "17.10")
''',
    payload_fields='''
"""The pipeline, unless the client does not wait for it."""
pipeline: Pipeline
"""With what a client that does not wait asks for the pipeline."""
requestId: String
''',
    since="<=17.8",
)
def pipeline_create(
    ctx: WriteContext,
    project_path: str,
    ref: str,
    variables: Sequence[VariableInput] | None = None,
    inputs: Sequence[InputChange] | None = None,
    **options: Unpack[CreationOptions],
) -> Mapping[str, Any]:
    """Start a pipeline for a branch or tag; of two values for an input, the last one counts."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    given, values = read_variables(variables), {each["name"]: each["value"] for each in inputs or ()}
    if options.get("async"):
        request = pipeline_creation_requests.start(ctx, project, ref, variables=given, inputs=values)
        return {"request_id": request.uuid}
    with collect_errors(pipeline=None):
        return {
            "pipeline": pipeline_creation.create_pipeline(
                ctx, project, ref, source="api", variables=given, inputs=values
            )
        }
