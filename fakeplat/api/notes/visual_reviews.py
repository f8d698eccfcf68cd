"""Feedback from review apps. Source: docs/platform/notes-discussions.md ('Visual reviews')."""

from typing import Any, Final, Literal

from fakeplat.api.notes.discussions import PositionParams, build_position, discussion_response
from fakeplat.api.scopes import PROJECT, get_merge_request
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.notes import visual_reviews
from fakeplat.entities.notes.notes import DiscussionView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Discussions", login=Login.NEVER)


class ReviewPosition(PositionParams):
    """A position in a diff, which is never a whole file."""

    position_type: Literal["text", "image"]


class CreateVisualReview(Params):
    """The feedback, optionally on a line."""

    body: str
    position: ReviewPosition | None = None


def _get_merge_request(ctx: ReadContext, project: Project, reference: str) -> MergeRequest:
    try:
        return get_merge_request(ctx, project, int(reference) if reference.isdecimal() else 0)
    except NotFound as refusal:
        raise NotFound("MergeRequest", reason=refusal.why) from None


@area.operation(
    "POST",
    "merge_requests/:merge_request_iid/visual_review_discussions",
    scope=PROJECT,
    params=CreateVisualReview,
    view=DiscussionView,
    until="17.0",
    tier="premium",
    refusals=(400, 403, 404),
)
def create_visual_review_discussion(
    ctx: WriteContext, project: Project, merge_request_iid: str, p: CreateVisualReview
) -> Any:
    """Start a thread with feedback from a review app, also without authentication."""
    visual_reviews.require_feature(ctx.world)
    merge_request = _get_merge_request(ctx, project, merge_request_iid)
    result = visual_reviews.start_discussion(ctx, merge_request, p.body, build_position(p.position))
    return discussion_response(ctx, merge_request, result)
