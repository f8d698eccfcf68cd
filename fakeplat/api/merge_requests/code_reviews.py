"""How long the open merge requests of a project have been reviewed. Source: docs/platform/analytics.md."""

from typing import Annotated

from fakeplat.api.analytics import open_area as area
from fakeplat.api.scopes import get_project
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Named, Params
from fakeplat.domain.analytics import code_reviews
from fakeplat.domain.analytics.code_reviews import Selection
from fakeplat.entities.merge_requests.code_reviews import CodeReviewView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext


class CodeReviewFilters(Params):
    """Labels and a milestone."""

    label_name: CommaList[str] | None = None
    milestone_title: str | None = None


class ListCodeReviews(Paged, CodeReviewFilters):
    """The project, and which of its open merge requests."""

    project_id: int
    not_: Annotated[CodeReviewFilters | None, Named("not")] = None


@area.operation(
    "GET",
    "analytics/code_review",
    params=ListCodeReviews,
    view=CodeReviewView,
    many=True,
    refusals=(403, 404),
    tier="premium",
)
def list_code_review_analytics(ctx: ReadContext, p: ListCodeReviews) -> list[MergeRequest]:
    """List the open merge requests of a project with the time and the size of their reviews."""
    project = get_project(ctx, str(p.project_id))
    authorize(ctx, Ability.READ_MERGE_REQUESTS, project)
    excluded = p.not_
    selection = Selection(
        tuple(p.label_name or ()),
        p.milestone_title,
        tuple((excluded and excluded.label_name) or ()),
        excluded.milestone_title if excluded else None,
    )
    return code_reviews.list_reviewed(ctx, project, selection)
