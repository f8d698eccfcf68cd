"""Merge request approvals. Source: docs/platform/merge-requests.md ('Approvals')."""

from typing import Annotated

from fakeplat.api.merge_requests.merge_request_lists import area
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.operations.errors import ForbiddenWithMessage, UnprocessableError
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.merge_requests import (
    approval_access,
    approval_rules,
    approval_settings,
    approval_states,
    approvals,
    merge_requests,
)
from fakeplat.domain.notes import draft_notes, noteables
from fakeplat.entities.merge_requests.approval_states import (
    AppliedRules,
    MergeRequestApprovalSettingsView,
    MergeRequestApprovalStateView,
)
from fakeplat.entities.merge_requests.approvals import ApprovalsFree, ApprovalsPaid
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import NUMBERS_OF_APPROVALS_ARE_RULES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature


def _view(ctx: ReadContext, _p: Params) -> type[ApprovalsPaid | ApprovalsFree]:
    return ApprovalsPaid if has_feature(ctx.world, "premium", ctx.container) else ApprovalsFree


@area.operation("GET", "approvals", scope=MERGE_REQUEST, view=_view)
def get_merge_request_approvals(_ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get the approvals of a merge request."""
    return merge_request


class ApproveMergeRequest(Params):
    """The expected head commit, and the caller's password where the project requires it (paid tiers)."""

    sha: str | None = None
    approval_password: str | None = None
    publish_review: Annotated[bool | None, Lifetime(since="18.6")] = None


@area.operation(
    "POST",
    "approve",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=ApproveMergeRequest,
    view=_view,
    refusals=(304, 401, 403, 409),
)
def approve_merge_request(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest, p: ApproveMergeRequest
) -> MergeRequest:
    """Approve a merge request."""
    approval_access.authorize_approving(ctx, merge_request)
    approved = approvals.approve(ctx, merge_request, p.sha, p.approval_password)
    if p.publish_review:
        draft_notes.publish_review(ctx, approved)
    return ctx.world.merge_requests[approved.id]


@area.operation("POST", "unapprove", scope=MERGE_REQUEST_WITH_ACCESS, view=_view, refusals=(304, 403, 404))
def unapprove_merge_request(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Revoke the caller's approval of a merge request."""
    approval_access.authorize_approving(ctx, merge_request)
    return approvals.unapprove(ctx, merge_request)


class UpdateMergeRequestApprovals(Params):
    """How many approvals a merge request needs."""

    approvals_required: int


@area.operation(
    "POST",
    "approvals",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=UpdateMergeRequestApprovals,
    view=ApprovalsPaid,
    tier="premium",
    refusals=(403, 422),
)
def update_merge_request_approvals(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: UpdateMergeRequestApprovals
) -> MergeRequest:
    """Update how many approvals a merge request needs."""
    noteables.authorize_update(ctx, merge_request)
    if not approval_settings.may_override_approvers(ctx.world, project):
        # Unlike the operations on approvers, which answer 403, this one answers 422.
        raise UnprocessableError("Overriding approvals is disabled")
    if ctx.profile.has(NUMBERS_OF_APPROVALS_ARE_RULES):
        _authorize_number(ctx, merge_request)
        approval_rules.set_number_for_anybody(ctx, merge_request, p.approvals_required)
        return merge_request
    return merge_requests.update(ctx, merge_request, approvals_before_merge=p.approvals_required)


def _authorize_number(ctx: ReadContext, merge_request: MergeRequest) -> None:
    """Refuse whoever may not change the rules of a merge request, in words of its own."""
    decision = approval_access.may_edit_rules(ctx, merge_request)
    if not decision.allowed:
        raise ForbiddenWithMessage(["Prohibited"], reason=decision.why)


@area.operation(
    "PUT",
    "reset_approvals",
    scope=MERGE_REQUEST_WITH_ACCESS,
    since="15.4",
    status=202,
    refusals=(401,),
)
def reset_merge_request_approvals(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> int:
    """Reset the approvals of a merge request, unless it is merged. Only bots of projects may do that."""
    approvals.reset_as_bot(ctx, merge_request)
    # The body is the status.
    return 202


class UpdateMergeRequestApprovers(Params):
    """The approving users and groups; an empty list removes them all."""

    approver_ids: CommaList[int]
    approver_group_ids: CommaList[int]


@area.operation(
    "PUT",
    "approvers",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=UpdateMergeRequestApprovers,
    view=ApprovalsPaid,
    tier="premium",
    refusals=(403,),
    until="13.11",
)
def update_merge_request_approvers(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest, p: UpdateMergeRequestApprovers
) -> MergeRequest:
    """Replace the approvers of a merge request."""
    approval_access.authorize_editing_rules(ctx, merge_request)
    approval_rules.set_approvers(ctx, merge_request, p.approver_ids, p.approver_group_ids)
    # Approvers are stored in rules, so the merge request's own timestamp has to be set here.
    return merge_requests.change_fields(ctx, merge_request, updated_at=ctx.now_iso)


@area.operation(
    "GET",
    "approval_state",
    scope=MERGE_REQUEST_WITH_ACCESS,
    view=MergeRequestApprovalStateView,
    tier="premium",
    refusals=(403,),
)
def get_merge_request_approval_state(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> AppliedRules:
    """Get the rules in force for a merge request, and which of them are met."""
    return AppliedRules(merge_request, approval_states.evaluate_rules(ctx.world, merge_request))


class GetMergeRequestApprovalSettings(Params):
    """A target branch to select the rules by, instead of the merge request's own."""

    target_branch: str | None = None


@area.operation(
    "GET",
    "approval_settings",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=GetMergeRequestApprovalSettings,
    view=MergeRequestApprovalSettingsView,
    tier="premium",
    refusals=(403,),
)
def get_merge_request_approval_settings(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest, p: GetMergeRequestApprovalSettings
) -> AppliedRules:
    """Get the rules in force for a merge request, with who approved and who commented."""
    return AppliedRules(merge_request, approval_states.evaluate_rules(ctx.world, merge_request, p.target_branch))
