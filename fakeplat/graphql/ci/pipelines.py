"""Pipelines of merge requests. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import get_args

from fakeplat.domain.ci import pipelines
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline, Status
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

Enumeration(
    "PipelineStatusEnum",
    "The status of a pipeline.",
    {status.upper(): (status, f"The status {status.replace('_', ' ')}.") for status in get_args(Status)},
)

PIPELINE = Type("Pipeline", "A CI pipeline.", gid="Ci::Pipeline", has_count=True)
PIPELINE.attributes(
    {
        "iid: String!": "The number within the project.",
        "sha: String!": "The SHA of the commit.",
        "beforeSha: String": "The SHA of the ref before the push that created the pipeline.",
        "status: PipelineStatusEnum!": "The status.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
        "startedAt: Time": "Timestamp of the start.",
        "finishedAt: Time": "Timestamp of the end.",
        "committedAt: Time": "Timestamp of the commit.",
        "duration: Int": "Duration in seconds.",
        "coverage: Float": "Test coverage in percent.",
    }
)


@PIPELINE.field("user: User")
def user(ctx: ReadContext, pipeline: Pipeline) -> User | None:
    """The user who started the pipeline."""
    return ctx.world.users.get(pipeline.user_id) if pipeline.user_id is not None else None


@MERGE_REQUEST.field("headPipeline: Pipeline")
def head_pipeline(ctx: ReadContext, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of the newest commit."""
    return pipelines.head_pipeline(ctx.world, merge_request) if _can_read_pipelines(ctx, merge_request) else None


@MERGE_REQUEST.field("pipelines: PipelineConnection")
def pipelines_of(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """The pipelines of the merge request and of its commits."""
    return pipelines.list_by_merge_request(ctx.world, merge_request) if _can_read_pipelines(ctx, merge_request) else ()


def _can_read_pipelines(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    return can(ctx, Ability.READ_PIPELINE, project_of(ctx, merge_request))
