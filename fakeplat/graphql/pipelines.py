"""Pipelines of merge requests. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import get_args

from fakeplat.domain.projects import pipelines
from fakeplat.graphql.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline, Status
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

Enumeration(
    "PipelineStatusEnum",
    "What became of a pipeline.",
    {word.upper(): (word, f"It is {word.replace('_', ' ')}.") for word in get_args(Status)},
)

PIPELINE = Type("Pipeline", "What became of a commit that was built.", gid="Ci::Pipeline", counts=True)
PIPELINE.attributes(
    {
        "iid: String!": "Its number within the project.",
        "sha: String!": "The commit.",
        "beforeSha: String": "Where the ref stood before the push that made it.",
        "status: PipelineStatusEnum!": "What became of it.",
        "createdAt: Time!": "When it was made.",
        "updatedAt: Time!": "When it was last changed.",
        "startedAt: Time": "When it began.",
        "finishedAt: Time": "When it ended.",
        "committedAt: Time": "When the commit was made.",
        "duration: Int": "How many seconds it took.",
        "coverage: Float": "How much of the code its tests ran, in percent.",
    }
)


@PIPELINE.field("user: User")
def user(ctx: ReadContext, pipeline: Pipeline) -> User | None:
    """Who set it going."""
    return ctx.world.users.get(pipeline.user_id) if pipeline.user_id is not None else None


@MERGE_REQUEST.field("headPipeline: Pipeline")
def head_pipeline(ctx: ReadContext, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of its newest commit."""
    return pipelines.head_pipeline(ctx.world, merge_request) if _reads(ctx, merge_request) else None


@MERGE_REQUEST.field("pipelines: PipelineConnection")
def pipelines_of(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """Its pipelines, and those of its commits."""
    return pipelines.list_by_merge_request(ctx.world, merge_request) if _reads(ctx, merge_request) else ()


def _reads(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    return can(ctx, Ability.READ_PIPELINE, project_of(ctx, merge_request))
