"""What the rules in force for a merge request show. Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable
from functools import cached_property

from fakeplat.core.operations.entity import Entity, constant, shown
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.merge_requests.approval_rules import Applied
from fakeplat.domain.notes import notes
from fakeplat.entities.approval_rules import groups_of, shown_source, shown_users
from fakeplat.entities.namespaces import GroupView
from fakeplat.entities.users import UserBasic
from fakeplat.model.approval_rules import ApprovalRule
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import sees


@frozen
class AppliedRules:
    """The rules in force for a merge request."""

    merge_request: MergeRequest
    rules: list[Applied]


@frozen
class AppliedRule:
    """One of them."""

    merge_request: MergeRequest
    applied: Applied


class ApprovalStateRuleView(Entity[AppliedRule]):
    """A rule in force, and how far it is met. ``id`` is null where only a number asks for approvals."""

    cx: Context
    keyed = False

    @shown
    def id(self) -> int | None:
        return self.record.applied.id

    @shown
    def name(self) -> str:
        return self.record.applied.name

    @shown
    def rule_type(self) -> str:
        return self.record.applied.rule_type

    @shown
    def eligible_approvers(self) -> list[UserBasic]:
        return self._users(self.record.applied.approvers or ())

    @shown
    def approvals_required(self) -> int:
        return self.record.applied.required

    @shown
    def users(self) -> list[UserBasic]:
        return self._users(self._rule.user_ids if self._rule else ())

    @shown
    def groups(self) -> list[GroupView]:
        return [self.cx.show(GroupView, group) for group in self._groups if sees(self.cx, group)]

    @shown
    def contains_hidden_groups(self) -> bool:
        return not all(sees(self.cx, group) for group in self._groups)

    @shown
    def source_rule(self) -> dict[str, int] | None:
        return shown_source(self.cx, self._rule) if self._rule else None

    code_owner = constant(False, bool)

    @shown
    def approved_by(self) -> list[UserBasic]:
        return self._users(self.record.applied.approved_by)

    @shown
    def approved(self) -> bool:
        return self.record.applied.is_approved

    @cached_property
    def _rule(self) -> ApprovalRule | None:
        id_ = self.record.applied.id
        return self.cx.world.approval_rules.get(id_) if id_ is not None else None

    @property
    def _groups(self) -> list[Group]:
        return groups_of(self.cx, self._rule) if self._rule else []

    def _users(self, ids: Iterable[int]) -> list[UserBasic]:
        return shown_users(self.cx, ids)


class ApprovalSettingsRuleView(ApprovalStateRuleView):
    """The same with those who may approve as ``approvers``, and those of them who commented."""

    @shown
    def approvers(self) -> list[UserBasic]:
        return self._users(self.record.applied.approvers or ())

    @shown
    def commented_by(self) -> list[UserBasic]:
        said = {note.author_id for note in notes.of(self.cx, self.record.merge_request) if not note.system}
        return self._users(id_ for id_ in self.record.applied.approvers or () if id_ in said)


class MergeRequestApprovalStateView(Entity[AppliedRules]):
    """The rules in force for a merge request, and whether they are its own."""

    cx: Context
    keyed = False

    @shown
    def approval_rules_overwritten(self) -> bool:
        return approval_rules.is_overridden(self.cx.world, self.record.merge_request)

    @shown
    def rules(self) -> list[ApprovalStateRuleView]:
        return [self.cx.show(ApprovalStateRuleView, rule) for rule in self._rows()]

    def _rows(self) -> list[AppliedRule]:
        return [AppliedRule(self.record.merge_request, applied) for applied in self.record.rules]


class MergeRequestApprovalSettingsView(MergeRequestApprovalStateView):
    """The same, with approvers and commenters of each rule."""

    @shown
    def rules(self) -> list[ApprovalSettingsRuleView]:
        return [self.cx.show(ApprovalSettingsRuleView, rule) for rule in self._rows()]
