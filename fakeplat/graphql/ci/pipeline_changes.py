"""Changes of pipelines. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.ci import ci_access, job_actions
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Scalar, mutation
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can_see
from fakeplat.policy.context import ReadContext, WriteContext

Scalar("CiPipelineID", "The global ID of a record of the type Pipeline.")

_WHICH: Final = '''
"""The global ID of the pipeline."""
id: CiPipelineID!
'''
NOT_CANCELABLE: Final = "Pipeline is not cancelable"


def _get_pipeline(ctx: ReadContext, text: str) -> tuple[Project, Pipeline]:
    """Return the pipeline with a global id, or refuse if it is missing or its project is hidden."""
    pipeline = ctx.world.pipelines.get(parse_id(ctx, text, "Ci::Pipeline"))
    project = ctx.world.projects[pipeline.project_id] if pipeline is not None else None
    if pipeline is None or project is None or not can_see(ctx, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return project, pipeline


@mutation("pipelineCancel", input_fields=_WHICH, payload_fields="")
def pipeline_cancel(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Cancel the jobs of a pipeline that are not finished."""
    project, pipeline = _get_pipeline(ctx, id)
    ci_access.authorize_update_pipeline(ctx, project, pipeline)
    if not job_actions.is_pipeline_cancelable(ctx.world, pipeline):
        return {"errors": [NOT_CANCELABLE]}
    job_actions.cancel_pipeline(ctx, pipeline)
    return {}


@mutation("pipelineRetry", input_fields=_WHICH, payload_fields='"""The pipeline."""\npipeline: Pipeline')
def pipeline_retry(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Start the failed and canceled jobs of a pipeline again."""
    project, pipeline = _get_pipeline(ctx, id)
    ci_access.authorize_update_pipeline(ctx, project, pipeline)
    return {"pipeline": job_actions.retry_pipeline(ctx, pipeline)}


@mutation("pipelineDestroy", input_fields=_WHICH, payload_fields="")
def pipeline_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a pipeline with its jobs."""
    project, pipeline = _get_pipeline(ctx, id)
    authorize(ctx, Ability.DESTROY_PIPELINE, project)
    purge(ctx, pipeline)
    return {}
