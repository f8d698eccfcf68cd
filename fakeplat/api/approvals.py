"""Approving merge requests. Source: more on merge requests ('Approvals')."""

from typing import Any

from fakeplat.api.merge_request_lists import area
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.entity import Entity
from fakeplat.core.params import Params
from fakeplat.domain import approvals, noteables
from fakeplat.entities.approvals import ApprovalsFree, ApprovalsPaid
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has


def _view(cx: Context, p: Params) -> type[Entity[Any]]:
    del p
    return ApprovalsPaid if has(cx.world, "premium", cx.place) else ApprovalsFree


@area.operation("GET", "approvals", under=MERGE_REQUEST, shows=_view)
def get_merge_request_approvals(cx: Context, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get the approvals of a merge request."""
    del cx, project
    return merge_request


class ApproveMergeRequest(Params):
    """The newest commit that the caller knows."""

    sha: str | None = None


@area.operation(
    "POST", "approve", under=MERGE_REQUEST_WITH_ACCESS, takes=ApproveMergeRequest, shows=_view, refuses=(401, 403, 409)
)
def approve_merge_request(
    cx: Doing, project: Project, merge_request: MergeRequest, p: ApproveMergeRequest
) -> MergeRequest:
    """Approve a merge request."""
    del project
    noteables.demand_updating(cx, merge_request)
    return approvals.approve(cx, merge_request, p.sha)


@area.operation("POST", "unapprove", under=MERGE_REQUEST_WITH_ACCESS, shows=_view, refuses=(403, 404))
def unapprove_merge_request(cx: Doing, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Revoke the caller's approval of a merge request."""
    del project
    noteables.demand_updating(cx, merge_request)
    return approvals.unapprove(cx, merge_request)
