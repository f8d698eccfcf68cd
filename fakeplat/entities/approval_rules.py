"""What rules of approval show, and a project's settings of them. Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable

from fakeplat.core.operations.entity import Entity, attr, shown
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.entities.namespaces import GroupView
from fakeplat.entities.protected import ProtectedBranchView
from fakeplat.entities.users import UserBasic
from fakeplat.model.approval_rules import ApprovalRule
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import sees


class _RuleView(Entity[ApprovalRule]):
    """A rule. Groups that the caller does not see are left out, and it is said that there are such."""

    cx: Context

    id = attr(int)
    name = attr(str)
    rule_type = attr(str)

    @shown
    def eligible_approvers(self) -> list[UserBasic]:
        return shown_users(self.cx, self._approvers())

    approvals_required = attr(int)

    @shown
    def users(self) -> list[UserBasic]:
        return shown_users(self.cx, self.record.user_ids)

    @shown
    def groups(self) -> list[GroupView]:
        return [self.cx.show(GroupView, group) for group in self._groups if sees(self.cx, group)]

    @shown
    def contains_hidden_groups(self) -> bool:
        return not all(sees(self.cx, group) for group in self._groups)

    @property
    def _groups(self) -> list[Group]:
        return groups_of(self.cx, self.record)

    def _approvers(self) -> tuple[int, ...]:
        return approval_rules.approvers_of(self.cx.world, self.record)


class ProjectApprovalRuleView(_RuleView):
    """A rule of a project."""

    @shown
    def protected_branches(self) -> list[ProtectedBranchView]:
        found = (self.cx.world.protected_branches.get(id_) for id_ in self.record.protected_branch_ids)
        return [self.cx.show(ProtectedBranchView, one) for one in found if one is not None]


class MergeRequestApprovalRuleView(_RuleView):
    """A rule of a single merge request."""

    @shown
    def source_rule(self) -> dict[str, int] | None:
        return shown_source(self.cx, self.record)

    def _approvers(self) -> tuple[int, ...]:
        barred = approval_rules.barred_from(self.cx.world, self.cx.world.merge_requests[self.record.subject[1]])
        return tuple(id_ for id_ in super()._approvers() if id_ not in barred)


class ProjectApprovalsView(Entity[Project]):
    """How a project has its merge requests approved."""

    cx: Context

    @shown
    def approvers(self) -> list[dict[str, UserBasic]]:
        return [{"user": user} for user in shown_users(self.cx, self.record.approver_ids)]

    @shown
    def approver_groups(self) -> list[dict[str, GroupView]]:
        groups = existing_groups(self.cx, self.record.approver_group_ids)
        return [{"group": self.cx.show(GroupView, group)} for group in groups if sees(self.cx, group)]

    approvals_before_merge = attr(int)
    reset_approvals_on_push = attr(bool)
    disable_overriding_approvers_per_merge_request = attr(bool)
    merge_requests_author_approval = attr(bool)
    merge_requests_disable_committers_approval = attr(bool)
    require_password_to_approve = attr(bool)


def groups_of(cx: Context, rule: ApprovalRule) -> list[Group]:
    """The groups of a rule that are still there."""
    return existing_groups(cx, rule.group_ids)


def existing_groups(cx: Context, ids: tuple[int, ...]) -> list[Group]:
    """Return the groups with the given ids that exist."""
    found = (cx.world.namespaces.get(id_) for id_ in ids)
    return [group for group in found if isinstance(group, Group)]


def shown_source(cx: Context, rule: ApprovalRule) -> dict[str, int] | None:
    """Return what is shown of the project's rule that a merge request's was made from."""
    source = cx.world.approval_rules.get(rule.source_id) if rule.source_id is not None else None
    return {"approvals_required": source.approvals_required} if source else None


def shown_users(cx: Context, ids: Iterable[int]) -> list[UserBasic]:
    """Return the views of the users with the given ids that exist."""
    found = (cx.world.users.get(id_) for id_ in ids)
    return [cx.show(UserBasic, user) for user in found if user is not None]
