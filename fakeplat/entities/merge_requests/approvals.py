"""Views of merge request approvals. Source: docs/platform/merge-requests.md ('Approvals')."""

from collections.abc import Iterable

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.merge_requests import approval_states, approvals, merge_checks
from fakeplat.domain.merge_requests.approval_states import RuleStatus
from fakeplat.entities.issues.issuables import IssuableSimple
from fakeplat.entities.merge_requests.approval_rules import contains_hidden_groups, render_users, rule_groups
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.merge_requests import Approval, ApprovalRule, MergeRequest
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

ShortRule = dict[str, int | str | None]


def _shorten(rules: Iterable[RuleStatus]) -> list[ShortRule]:
    return [{"id": rule.id, "name": rule.name, "rule_type": rule.rule_type} for rule in rules]


class ApprovalView(Entity[Approval]):
    """An approval of a user."""

    ctx: ReadContext

    @computed
    def user(self) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return user

    approved_at = attr("created_at", since="18.4")


class ApprovalsFree(Entity[MergeRequest]):
    """The approvals of a merge request on the free tier."""

    ctx: ReadContext

    @computed
    def user_has_approved(self) -> bool:
        return approvals.find_approval(self.ctx.world, self.record, self.ctx.viewer) is not None

    @computed
    def user_can_approve(self) -> bool:
        return approvals.can_approve(self.ctx, self.record)

    @computed
    def approved(self) -> bool:
        return bool(approvals.list_approvals(self.ctx.world, self.record))

    @computed
    def approved_by(self) -> list[ApprovalView]:
        return [
            self.ctx.render(ApprovalView, approval)
            for approval in approvals.list_approvals(self.ctx.world, self.record)
        ]


class ApprovalsPaid(IssuableSimple[MergeRequest], ApprovalsFree):
    """The approvals of a merge request on paid tiers, where rules require a number of them."""

    @computed
    def merge_status(self) -> str:
        return merge_checks.public_status(self.record.merge_status)

    @computed
    def approved(self) -> bool:
        return not approval_states.list_unmet_rules(self.ctx.world, self.record)

    @computed
    def approvals_required(self) -> int:
        return approval_states.count_required(self.ctx.world, self._rules)

    @computed
    def approvals_left(self) -> int:
        return approval_states.count_missing(self.ctx.world, self._rules)

    @computed
    def require_password_to_approve(self) -> bool:
        return self.ctx.world.projects[self.record.project_id].require_password_to_approve

    @computed
    def suggested_approvers(self) -> list[UserBasic]:
        # A rule that contains hidden groups suggests nobody.
        rules = (rule for rule in self._rules if not contains_hidden_groups(self.ctx, rule.id))
        return self._users(id_ for rule in rules for id_ in rule.pending_approvers)

    @computed
    def approvers(self) -> list[dict[str, UserBasic]]:
        return [{"user": user} for user in self._users(self._first_rule.user_ids if self._first_rule else ())]

    @computed
    def approver_groups(self) -> list[dict[str, GroupView]]:
        groups = rule_groups(self.ctx, self._first_rule) if self._first_rule else []
        return [{"group": self.ctx.render(GroupView, group)} for group in groups if can_see(self.ctx, group)]

    @computed
    def approval_rules_left(self) -> list[ShortRule]:
        return _shorten(approval_states.list_left(self.ctx.world, self._rules))

    @computed
    def has_approval_rules(self) -> bool:
        return bool(approval_states.list_rules_in_force(self.ctx.world, self.record))

    merge_request_approvers_available = constant(True, bool)
    multiple_approval_rules_available = constant(True, bool)

    @computed_if(since="<=16.2")
    def invalid_approvers_rules(self) -> list[ShortRule]:
        return _shorten(approval_states.list_invalid(self._rules))

    # Evaluating the rules reads all approvals, and several fields need the result.
    @cached_property
    def _rules(self) -> list[RuleStatus]:
        return approval_states.evaluate_rules(self.ctx.world, self.record)

    @property
    def _first_rule(self) -> ApprovalRule | None:
        """The first rule, which the fields from before multiple rules refer to; one for anybody names nobody."""
        return next(iter(approval_states.list_rules_in_force(self.ctx.world, self.record)), None)

    def _users(self, ids: Iterable[int]) -> list[UserBasic]:
        # A user may be an approver in several rules but is listed once.
        return render_users(self.ctx, dict.fromkeys(ids))
