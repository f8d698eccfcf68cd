"""What approvals of merge requests show. Source: more on merge requests ('Approvals')."""

from typing import Any

from fakeplat.core.entity import Entity, attr, constant, shown
from fakeplat.domain import approvals, merge_checks
from fakeplat.entities.users import UserBasic
from fakeplat.model.merge_requests import Approval, MergeRequest
from fakeplat.policy.context import Context

Text = str | None


class ApprovalView(Entity[Approval]):
    """Who approved."""

    cx: Context

    @shown
    def user(self) -> UserBasic | None:
        found: UserBasic | None = self.cx.show(UserBasic, self.cx.world.users.get(self.record.user_id))
        return found


class ApprovalsFree(Entity[MergeRequest]):
    """The approvals of a merge request on the free tier."""

    cx: Context

    @shown
    def user_has_approved(self) -> bool:
        return approvals.by(self.cx.world, self.record, self.cx.user) is not None

    @shown
    def user_can_approve(self) -> bool:
        return approvals.can_approve(self.cx, self.record)

    @shown
    def approved(self) -> bool:
        return bool(approvals.of(self.cx.world, self.record))

    @shown
    def approved_by(self) -> list[ApprovalView]:
        return [self.cx.show(ApprovalView, one) for one in approvals.of(self.cx.world, self.record)]


class ApprovalsPaid(ApprovalsFree):
    """The approvals of a merge request where the project says how many are needed."""

    id = attr(int)
    iid = attr(int)
    project_id = attr(int)
    title = attr(str)
    description = attr(Text)
    state = attr(str)
    created_at = attr(str)
    updated_at = attr(str)

    @shown
    def merge_status(self) -> str:
        return merge_checks.shown(self.record.merge_status)

    @shown
    def approved(self) -> bool:
        return approvals.missing(self.cx.world, self.record) == 0

    @shown
    def approvals_required(self) -> int:
        return approvals.needed(self.cx.world, self.record)

    @shown
    def approvals_left(self) -> int:
        return approvals.missing(self.cx.world, self.record)

    require_password_to_approve = constant(False, bool)
    suggested_approvers = constant([], list[UserBasic])
    approvers = constant([], list[dict[str, Any]])
    approver_groups = constant([], list[dict[str, Any]])
    approval_rules_left = constant([], list[dict[str, Any]])
    has_approval_rules = constant(False, bool)
    merge_request_approvers_available = constant(True, bool)
    multiple_approval_rules_available = constant(True, bool)
