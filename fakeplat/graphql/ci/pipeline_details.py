"""What pipelines were given, what is wrong with them, and what they cost.

Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md.
"""

from collections.abc import Sequence
from typing import Final, Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import MINUTE
from fakeplat.domain.ci import ci_access, detailed_statuses, jobs, minutes_quotas, ref_texts
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.graphql.ci.jobs import STAGE, Stage, can_read_jobs, stages
from fakeplat.graphql.ci.pipelines import FILTERS, PIPELINE, PipelineFilters, list_filtered
from fakeplat.graphql.ids import parse_global_id
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.repository import COMMIT
from fakeplat.graphql.schema_builder import QUERY, Scalar, Type
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_PAID: Final = "<=16.9"
_LATER: Final = "<=18.5"
_WARNINGS: Final = "<=14.9"
_DOCUMENTED: Final = "<=18.9"
_MOST_FAILED_JOBS: Final = 101
_MOST_PARTS: Final = 1_000


@frozen
class Message:
    """A message of a pipeline."""

    id: int
    content: str


MESSAGE: Final = Type("PipelineMessage", "A message of a pipeline.", gid="Ci::PipelineMessage", since=_WARNINGS)
MESSAGE.attributes({"content: String!": "The text."})


@PIPELINE.field("errorMessages: PipelineMessageConnection", since=_LATER)
def error_messages(_ctx: ReadContext, pipeline: Pipeline) -> Sequence[Message]:
    """Why it has no jobs."""
    return _number(pipeline, [pipeline.yaml_errors] if pipeline.yaml_errors else ())


@PIPELINE.field("warningMessages: PipelineMessageConnection", since=_WARNINGS)
def warning_messages(_ctx: ReadContext, pipeline: Pipeline) -> Sequence[Message]:
    """Warnings about the configuration."""
    return _number(pipeline, pipeline.warnings)


def _number(pipeline: Pipeline, texts: Sequence[str]) -> Sequence[Message]:
    # A pipeline has either errors or warnings.
    return [Message(pipeline.id * _MOST_PARTS + index, text) for index, text in enumerate(texts)]


@PIPELINE.field("refText: String!", since=_PAID)
def ref_text(ctx: ReadContext, pipeline: Pipeline) -> str:
    """What it runs for, as HTML."""
    return ref_texts.describe_ref(ctx, pipeline)


@frozen
class ManualVariable:
    """A variable that a pipeline was given. ``value`` is None for those who may not see it."""

    id: int
    key: str
    value: str | None


VARIABLE: Final = Type(
    "PipelineManualVariable", "A variable that a pipeline was given.", gid="Ci::PipelineVariable", since=_LATER
)
VARIABLE.attributes({"key: String": "The name.", "value: String": "The value, for those who may see it."})


@PIPELINE.field("manualVariables: PipelineManualVariableConnection", since=_LATER)
def manual_variables(ctx: ReadContext, pipeline: Pipeline) -> Sequence[ManualVariable]:
    """The variables that it was given."""
    is_shown = ci_access.can_read_variables(ctx, ctx.world.projects[pipeline.project_id], pipeline)
    return [
        ManualVariable(pipeline.id * _MOST_PARTS + index, variable.key, variable.value if is_shown else None)
        for index, variable in enumerate(pipeline.variables)
    ]


@PIPELINE.field("failedJobsCount: Int!", since=_DOCUMENTED)
def count_failed_jobs(ctx: ReadContext, pipeline: Pipeline) -> int:
    """The number of failed jobs, with bridges and statuses from outside; at most 101."""
    failed = sum(job.status == "failed" for job in jobs.list_latest(ctx.world, pipeline.id))
    return min(failed, _MOST_FAILED_JOBS)


@COMMIT.field(f"pipelines({FILTERS}): PipelineConnection")
def pipelines_of_commit(
    ctx: ReadContext, commit: ProjectCommit, **filters: Unpack[PipelineFilters]
) -> Sequence[Pipeline]:
    """The pipelines of the commit, newest first, whatever SHA is given."""
    if not can(ctx, Ability.READ_PIPELINE, commit.project):
        return ()
    filters["sha"] = commit.commit.sha
    return list_filtered(ctx, commit.project, filters)


@PIPELINE.field("triggeredByPath: String", since=_PAID)
def triggered_by_path(ctx: ReadContext, pipeline: Pipeline) -> str:
    """The path of the parent's page; empty unless it is a child."""
    bridge = ctx.world.jobs.get(pipeline.source_job_id or 0)
    if bridge is None or pipeline.source != "parent_pipeline":
        return ""
    return detailed_statuses.pipeline_path(ctx.world, ctx.world.pipelines[bridge.pipeline_id])


@PIPELINE.field("computeMinutes: Float", since=_PAID)
def compute_minutes(ctx: ReadContext, pipeline: Pipeline) -> float | None:
    """The minutes that its jobs ran on runners of the instance; paid tiers only."""
    project = ctx.world.projects[pipeline.project_id]
    if not has_feature(ctx.world, "premium", project):
        return None
    return round(minutes_quotas.get_time_of_pipeline(ctx.world, project, pipeline) / MINUTE, 2)


@PROJECT.field("totalPipelineDuration: Int", since="<=13.8", until="<=13.9")
def total_duration(ctx: ReadContext, project: Project) -> int | None:
    """The seconds that its pipelines took together."""
    if not can(ctx, Ability.READ_PIPELINE, project):
        return None
    return sum(pipeline.duration or 0 for pipeline in ctx.world.pipelines.where("project", project.id))


_STAGE: Final = "Ci::Stage"
Scalar("CiStageID", f"The global ID of a record of the type {_STAGE}.", since="<=16.2")


@QUERY.field("ciPipelineStage(id: CiStageID!): CiStage", since="<=16.2")
def find_stage(ctx: ReadContext, id: str) -> Stage | None:  # the argument's name on the wire
    """The stage with a global ID."""
    _, stage_id = parse_global_id(ctx, id, STAGE.name, (_STAGE,))
    pipeline = ctx.world.pipelines.get(parse_number(stage_id.partition("-")[0]) or 0)
    if pipeline is None or not can_read_jobs(ctx, pipeline.project_id):
        return None
    return next((stage for stage in stages(ctx, pipeline) or () if stage.id == stage_id), None)
