"""Approval rules of groups, an experiment of the platform behind a feature flag.

Source: docs/platform/external.md ('Approvals').
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.merge_requests.approval_rules import area
from fakeplat.api.scopes import get_group
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.instance import features
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.entities.merge_requests.approval_rules import GroupApprovalRuleView
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext


def _get_group_with_rules(ctx: ReadContext, reference: str) -> Group:
    """Return a group for which the feature is on, or 404."""
    group = get_group(ctx, reference)
    features.check_enabled(ctx.world, approval_rules.GROUP_RULES, group)
    return group


_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_get_group_with_rules, word="group")


@area.operation(
    "GET",
    "approval_rules",
    name="list_group_approval_rules",
    scope=_GROUP,
    ability=Ability.ADMIN_GROUP,
    params=Paged,
    view=GroupApprovalRuleView,
    many=True,
    tier="premium",
    since="16.10",
)
def list_group_approval_rules(ctx: ReadContext, group: Group) -> Sequence[ApprovalRule]:
    """List the approval rules of a group."""
    return approval_rules.list_rules(ctx.world, group)


class CreateGroupApprovalRule(Params):
    """A new rule of a group."""

    name: str
    approvals_required: int
    rule_type: str | None = None
    user_ids: CommaList[int] | None = None
    group_ids: CommaList[int] | None = None


@area.operation(
    "POST",
    "approval_rules",
    name="create_group_approval_rule",
    scope=_GROUP,
    ability=Ability.ADMIN_GROUP,
    params=CreateGroupApprovalRule,
    view=GroupApprovalRuleView,
    tier="premium",
    since="16.7",
    refusals=(400,),
)
def create_group_approval_rule(ctx: WriteContext, group: Group, p: CreateGroupApprovalRule) -> ApprovalRule:
    """Create an approval rule of a group."""
    return approval_rules.create(ctx, group, **_collect_fields(p))


class UpdateGroupApprovalRule(Params):
    """Changes of a rule of a group."""

    name: str | None = None
    approvals_required: int | None = None
    rule_type: str | None = None
    user_ids: CommaList[int] | None = None
    group_ids: CommaList[int] | None = None


@area.operation(
    "PUT",
    "approval_rules/:approval_rule_id",
    name="update_group_approval_rule",
    scope=_GROUP,
    ability=Ability.ADMIN_GROUP,
    params=UpdateGroupApprovalRule,
    view=GroupApprovalRuleView,
    tier="premium",
    since="<=16.10",
    refusals=(400, 404),
)
def update_group_approval_rule(
    ctx: WriteContext, group: Group, approval_rule_id: str, p: UpdateGroupApprovalRule
) -> ApprovalRule:
    """Update an approval rule of a group."""
    rule = ctx.world.approval_rules.get(parse_number(approval_rule_id) or 0)
    if rule is None or rule.subject != approval_rules.subject_of(group):
        raise NotFound("Approval Rule", reason=f"the group has no approval rule {approval_rule_id}")
    return approval_rules.update(ctx, rule, **_collect_fields(p))


def _collect_fields(p: Params) -> approval_rules.RuleParams:
    sent = {name: value for name, value in p.given().items() if value is not None}
    fields: approval_rules.RuleParams = {**sent}  # type: ignore[typeddict-item]  # the parameters have these names
    return fields
