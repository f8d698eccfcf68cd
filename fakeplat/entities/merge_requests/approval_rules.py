"""Views of approval rules and of a project's approval settings. Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.merge_requests import approval_rules, approval_settings
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.repository.protected import ProtectedBranchView
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext


class _RuleView(Entity[ApprovalRule]):
    """An approval rule. Groups hidden from the caller are left out; ``contains_hidden_groups`` says so."""

    ctx: ReadContext

    id = attr()
    name = attr()
    rule_type = attr()

    @computed
    def eligible_approvers(self) -> list[UserBasic]:
        return render_users(self.ctx, self._approvers())

    # Fields are serialized in the order of their declarations, so methods stand between attributes.
    approvals_required = attr()

    @computed
    def users(self) -> list[UserBasic]:
        return render_users(self.ctx, self.record.user_ids)

    @computed
    def groups(self) -> list[GroupView]:
        return [self.ctx.render(GroupView, group) for group in self._groups if can_see(self.ctx, group)]

    @computed
    def contains_hidden_groups(self) -> bool:
        return not all(can_see(self.ctx, group) for group in self._groups)

    @property
    def _groups(self) -> list[Group]:
        return rule_groups(self.ctx, self.record)

    def _approvers(self) -> tuple[int, ...]:
        return approval_rules.list_approvers(self.ctx.world, self.record)


class ProjectApprovalRuleView(_RuleView):
    """An approval rule of a project."""

    @computed
    def protected_branches(self) -> list[ProtectedBranchView]:
        branches = (self.ctx.world.protected_branches.get(id_) for id_ in self.record.protected_branch_ids)
        return [self.ctx.render(ProtectedBranchView, branch) for branch in branches if branch is not None]

    applies_to_all_protected_branches = attr(since="<=15.7")

    @computed_if(since="<=17.4")
    def report_type(self) -> str | None:
        is_of_report = self.record.rule_type == "report_approver"
        given = self.record.report_type or approval_rules.REPORT_TYPES.get(self.record.name)
        return given if is_of_report else None


class GroupApprovalRuleView(_RuleView):
    """An approval rule of a group, which is for all protected branches of its projects."""

    report_type = attr()
    protected_branches = constant([], list[ProtectedBranchView])
    applies_to_all_protected_branches = constant(True, bool)


class ApprovalSettingRuleView(ProjectApprovalRuleView):
    """An approval rule of a project as the private operations of approval settings show it."""

    @computed
    def approvers(self) -> list[UserBasic]:
        return render_users(self.ctx, self._approvers())


class ApprovalRulesView(Entity[Project]):
    """The approval rules of a project, and how many approvals are needed without one."""

    ctx: ReadContext

    @computed
    def rules(self) -> list[ApprovalSettingRuleView]:
        rows = approval_rules.list_rules(self.ctx.world, self.record)
        return [self.ctx.render(ApprovalSettingRuleView, rule) for rule in rows]

    @computed
    def fallback_approvals_required(self) -> int:
        rows = approval_rules.list_rules(self.ctx.world, self.record)
        numbers = [rule.approvals_required for rule in rows if rule.rule_type == "any_approver"]
        return max(numbers, default=self.record.approvals_before_merge)


class MergeRequestApprovalRuleView(_RuleView):
    """An approval rule of a merge request."""

    @computed
    def source_rule(self) -> dict[str, int] | None:
        return render_source_rule(self.ctx, self.record)

    def _approvers(self) -> tuple[int, ...]:
        # Settings of the project may bar the author and the committers.
        barred = approval_rules.list_barred_approvers(
            self.ctx.world, self.ctx.world.merge_requests[self.record.subject[1]]
        )
        return tuple(id_ for id_ in super()._approvers() if id_ not in barred)


class ProjectApprovalsView(Entity[Project]):
    """The approval settings of a project."""

    ctx: ReadContext

    @computed
    def approvers(self) -> list[dict[str, UserBasic]]:
        return [{"user": user} for user in render_users(self.ctx, self.record.approver_ids)]

    @computed
    def approver_groups(self) -> list[dict[str, GroupView]]:
        groups = find_groups(self.ctx, self.record.approver_group_ids)
        return [{"group": self.ctx.render(GroupView, group)} for group in groups if can_see(self.ctx, group)]

    approvals_before_merge = attr()
    reset_approvals_on_push = attr()

    @computed
    def disable_overriding_approvers_per_merge_request(self) -> bool:
        return not approval_settings.may_override_approvers(self.ctx.world, self.record)

    @computed
    def merge_requests_author_approval(self) -> bool:
        return approval_settings.may_authors_approve(self.ctx.world, self.record)

    @computed
    def merge_requests_disable_committers_approval(self) -> bool:
        return not approval_settings.may_committers_approve(self.ctx.world, self.record)

    require_password_to_approve = attr()
    require_reauthentication_to_approve = attr("require_password_to_approve", since="17.1")
    selective_code_owner_removals = attr(since="<=15.7")


def rule_groups(ctx: ReadContext, rule: ApprovalRule) -> list[Group]:
    """Return the existing groups of a rule."""
    return find_groups(ctx, rule.group_ids)


def find_groups(ctx: ReadContext, ids: tuple[int, ...]) -> list[Group]:
    """Return the groups with the given ids that exist."""
    namespaces = (ctx.world.namespaces.get(id_) for id_ in ids)
    return [group for group in namespaces if isinstance(group, Group)]


def render_source_rule(ctx: ReadContext, rule: ApprovalRule) -> dict[str, int] | None:
    """Return the view of the project rule that a merge request rule was copied from."""
    source = ctx.world.approval_rules.get(rule.source_id) if rule.source_id is not None else None
    return {"approvals_required": source.approvals_required} if source else None


def render_users(ctx: ReadContext, ids: Iterable[int]) -> list[UserBasic]:
    """Return the views of the users with the given ids that exist."""
    users = (ctx.world.users.get(id_) for id_ in ids)
    return [ctx.render(UserBasic, user) for user in users if user is not None]
