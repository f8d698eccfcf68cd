"""Approving merge requests. Source: docs/platform/merge-requests.md ('Approvals')."""

from typing import Any

from fakeplat.api.approval_rules import demand_update_approvers
from fakeplat.api.merge_request_lists import area
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import UnprocessableError
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.merge_requests import approval_rules, approvals, merge_requests
from fakeplat.domain.notes import noteables
from fakeplat.entities.approval_states import (
    AppliedRules,
    MergeRequestApprovalSettingsView,
    MergeRequestApprovalStateView,
)
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
    """The newest commit that the caller knows, and the caller's password where the project asks for it (paid)."""

    sha: str | None = None
    approval_password: str | None = None


@area.operation(
    "POST", "approve", under=MERGE_REQUEST_WITH_ACCESS, takes=ApproveMergeRequest, shows=_view, refuses=(401, 403, 409)
)
def approve_merge_request(
    cx: Doing, project: Project, merge_request: MergeRequest, p: ApproveMergeRequest
) -> MergeRequest:
    """Approve a merge request."""
    del project
    noteables.demand_updating(cx, merge_request)
    return approvals.approve(cx, merge_request, p.sha, p.approval_password)


@area.operation("POST", "unapprove", under=MERGE_REQUEST_WITH_ACCESS, shows=_view, refuses=(403, 404))
def unapprove_merge_request(cx: Doing, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Revoke the caller's approval of a merge request."""
    del project
    noteables.demand_updating(cx, merge_request)
    return approvals.unapprove(cx, merge_request)


class UpdateMergeRequestApprovals(Params):
    """How many approvals a merge request needs."""

    approvals_required: int


@area.operation(
    "POST",
    "approvals",
    under=MERGE_REQUEST_WITH_ACCESS,
    takes=UpdateMergeRequestApprovals,
    shows=ApprovalsPaid,
    tier="premium",
    refuses=(403, 422),
)
def update_merge_request_approvals(
    cx: Doing, project: Project, merge_request: MergeRequest, p: UpdateMergeRequestApprovals
) -> MergeRequest:
    """Update how many approvals a merge request needs."""
    noteables.demand_updating(cx, merge_request)
    if project.disable_overriding_approvers_per_merge_request:
        raise UnprocessableError("Overriding approvals is disabled")
    return merge_requests.update(cx, merge_request, approvals_before_merge=p.approvals_required)


class UpdateMergeRequestApprovers(Params):
    """Users and groups that approve; empty lists remove all."""

    approver_ids: CommaList[int]
    approver_group_ids: CommaList[int]


@area.operation(
    "PUT",
    "approvers",
    under=MERGE_REQUEST_WITH_ACCESS,
    takes=UpdateMergeRequestApprovers,
    shows=ApprovalsPaid,
    tier="premium",
    refuses=(403,),
)
def update_merge_request_approvers(
    cx: Doing, project: Project, merge_request: MergeRequest, p: UpdateMergeRequestApprovers
) -> MergeRequest:
    """Replace the approvers of a merge request."""
    demand_update_approvers(cx, project, merge_request)
    approval_rules.set_approvers(cx, merge_request, p.approver_ids, p.approver_group_ids)
    return merge_requests.put(cx, merge_request, {"updated_at": cx.instant})


@area.operation(
    "GET",
    "approval_state",
    under=MERGE_REQUEST_WITH_ACCESS,
    shows=MergeRequestApprovalStateView,
    tier="premium",
    refuses=(403,),
)
def get_merge_request_approval_state(cx: Context, project: Project, merge_request: MergeRequest) -> AppliedRules:
    """Get the rules in force for a merge request, and which of them are met."""
    del project
    return AppliedRules(merge_request, approval_rules.applied(cx.world, merge_request))


class GetMergeRequestApprovalSettings(Params):
    """The target branch to choose the rules by, other than the merge request's own."""

    target_branch: str | None = None


@area.operation(
    "GET",
    "approval_settings",
    under=MERGE_REQUEST_WITH_ACCESS,
    takes=GetMergeRequestApprovalSettings,
    shows=MergeRequestApprovalSettingsView,
    tier="premium",
    refuses=(403,),
)
def get_merge_request_approval_settings(
    cx: Context, project: Project, merge_request: MergeRequest, p: GetMergeRequestApprovalSettings
) -> AppliedRules:
    """Get the rules in force for a merge request, with who approved and who commented."""
    del project
    return AppliedRules(merge_request, approval_rules.applied(cx.world, merge_request, p.target_branch))
