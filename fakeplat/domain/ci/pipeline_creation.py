"""Creation of pipelines from the CI configuration of a ref: not implemented yet."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import OperationNotImplemented
from fakeplat.model.pipelines import Pipeline, PipelineVariable, Source
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def create_pipeline(
    ctx: WriteContext,
    project: Project,
    ref: str,
    *,
    source: Source,
    variables: Sequence[PipelineVariable] = (),
    ignore_skip: bool = True,
    trigger_id: int | None = None,
    schedule_id: int | None = None,
) -> Pipeline:
    """Create the pipeline of a ref in the name of the acting user; 400 if there is none to create."""
    del ctx, project, ref, source, variables, ignore_skip, trigger_id, schedule_id
    raise OperationNotImplemented("create_pipeline")
