"""Views of the approval rules in force for a merge request. Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, computed, computed_if
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_states, approvals, rule_copies
from fakeplat.domain.merge_requests.approval_states import RuleStatus
from fakeplat.domain.notes import notes
from fakeplat.entities.merge_requests.approval_rules import (
    are_approvers_shown,
    contains_hidden_groups,
    render_source_rule,
    render_users,
    rule_groups,
)
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.people import Group
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext


@frozen
class AppliedRules:
    """The rules in force for a merge request."""

    merge_request: MergeRequest
    rules: list[RuleStatus]


@frozen
class AppliedRule:
    """One of the rules in force for a merge request."""

    merge_request: MergeRequest
    applied: RuleStatus


class ApprovalStateRuleView(Entity[AppliedRule]):
    """The state of a rule in force. ``id`` is null if approvals are required only by number, without a rule."""

    ctx: ReadContext
    # The records are computed for each response and have no stored id by which views could be cached.
    cached_by_id = False

    @computed
    def id(self) -> int | None:
        return self.record.applied.id

    @computed
    def name(self) -> str:
        return self.record.applied.name

    @computed
    def rule_type(self) -> str:
        return self.record.applied.rule_type

    @computed
    def eligible_approvers(self) -> list[UserBasic]:
        # None admits any user as an approver; nobody is listed then.
        return self._visible_approvers()

    @computed
    def approvals_required(self) -> int:
        return self.record.applied.required

    @computed
    def users(self) -> list[UserBasic]:
        return self._users(self._rule.user_ids if self._rule else ())

    @computed
    def groups(self) -> list[GroupView]:
        return [self.ctx.render(GroupView, group) for group in self._groups if can_see(self.ctx, group)]

    @computed
    def contains_hidden_groups(self) -> bool:
        return contains_hidden_groups(self.ctx, self.record.applied.id)

    @computed_if(since="17.2")
    def report_type(self) -> str | None:
        return self._rule.report_type if self._rule else None

    @computed_if(since="<=16.2")
    def section(self) -> str | None:
        return self._rule.section if self._rule else None

    @computed
    def source_rule(self) -> dict[str, int] | None:
        return render_source_rule(self.ctx, self._rule) if self._rule else None

    @computed_if(since="<=16.2")
    def overridden(self) -> bool:
        return self._rule is not None and rule_copies.differs_from_source(self.ctx.world, self._rule)

    @computed
    def code_owner(self) -> bool:
        return self.record.applied.rule_type == "code_owner"

    @computed
    def approved_by(self) -> list[UserBasic]:
        return self._users(self.record.applied.approved_by)

    @computed
    def approved(self) -> bool:
        return self.record.applied.is_approved

    @cached_property
    def _rule(self) -> ApprovalRule | None:
        id_ = self.record.applied.id
        return self.ctx.world.approval_rules.get(id_) if id_ is not None else None

    @property
    def _groups(self) -> list[Group]:
        return rule_groups(self.ctx, self._rule) if self._rule else []

    def _visible_approvers(self) -> list[UserBasic]:
        # None admits any user as an approver; nobody is listed then.
        is_shown = are_approvers_shown(self.ctx, self.record.applied.id)
        return self._users(self.record.applied.approvers or () if is_shown else ())

    def _users(self, ids: Iterable[int]) -> list[UserBasic]:
        return render_users(self.ctx, ids)


class ApprovalSettingsRuleView(ApprovalStateRuleView):
    """The state with the eligible users as ``approvers``, and those of them who commented."""

    @computed
    def approvers(self) -> list[UserBasic]:
        return self._visible_approvers()

    @computed
    def commented_by(self) -> list[UserBasic]:
        merge_request = self.record.merge_request
        shown = notes.list_visible_notes(self.ctx, merge_request)
        commenter_ids = dict.fromkeys(note.author_id for note in shown if not note.system)
        eligible_ids = self.record.applied.approvers
        if eligible_ids is not None:
            return self._users(id_ for id_ in eligible_ids if id_ in commenter_ids)
        users = (self.ctx.world.users.get(id_) for id_ in commenter_ids)
        able = (user for user in users if user and approvals.can_approve(self.ctx.as_user(user), merge_request))
        return self._users(user.id for user in able)


class MergeRequestApprovalStateView(Entity[AppliedRules]):
    """The rules in force for a merge request, and whether they override those of the project."""

    ctx: ReadContext
    cached_by_id = False

    @computed
    def approval_rules_overwritten(self) -> bool:
        return approval_states.is_overridden(self.ctx.world, self.record.merge_request)

    @computed
    def rules(self) -> list[ApprovalStateRuleView]:
        return [self.ctx.render(ApprovalStateRuleView, rule) for rule in self._applied_rules()]

    def _applied_rules(self) -> list[AppliedRule]:
        return [AppliedRule(self.record.merge_request, applied) for applied in self.record.rules]


class MergeRequestApprovalSettingsView(MergeRequestApprovalStateView):
    """The rules in force, with approvers and commenters of each."""

    @computed
    def rules(self) -> list[ApprovalSettingsRuleView]:
        return [self.ctx.render(ApprovalSettingsRuleView, rule) for rule in self._applied_rules()]
