"""Pipelines of merge requests. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Sequence
from typing import get_args

from fakeplat.domain.projects import pipelines
from fakeplat.graphql.declaring import Enumeration, Type
from fakeplat.graphql.issuables import MERGE_REQUEST, project_of
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline, Status
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import can

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
def user(cx: Context, pipeline: Pipeline) -> User | None:
    """Who set it going."""
    return cx.world.users.get(pipeline.user_id) if pipeline.user_id is not None else None


@MERGE_REQUEST.field("headPipeline: Pipeline")
def head_pipeline(cx: Context, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of its newest commit."""
    return pipelines.head_of(cx.world, merge_request) if _reads(cx, merge_request) else None


@MERGE_REQUEST.field("pipelines: PipelineConnection")
def pipelines_of(cx: Context, merge_request: MergeRequest) -> Sequence[Pipeline]:
    """Its pipelines, and those of its commits."""
    return pipelines.of_merge_request(cx.world, merge_request) if _reads(cx, merge_request) else ()


def _reads(cx: Context, merge_request: MergeRequest) -> bool:
    return can(cx, May.READ_PIPELINE, project_of(cx, merge_request))
