"""The approval rules of merge requests. Source: docs/platform/graphql.md, docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable, Sequence

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_states, rule_copies
from fakeplat.domain.merge_requests.approval_states import RuleStatus
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

Enumeration(
    "ApprovalRuleType",
    "The type of an approval rule.",
    {
        "REGULAR": ("regular", "Some users and groups must approve."),
        "ANY_APPROVER": ("any_approver", "Anybody who may approve."),
        "CODE_OWNER": ("code_owner", "The owners of the changed files must approve."),
        "REPORT_APPROVER": ("report_approver", "It depends on a report."),
    },
    since="<=14.3",
)
STATE = Type("MergeRequestApprovalState", "The approvals that a merge request needs.", since="<=14.3")
RULE = Type("ApprovalRule", "A rule that says who must approve.", since="<=14.3")


@frozen
class State:
    """The rules in force for a merge request."""

    merge_request: MergeRequest
    rules: Sequence[RuleStatus]


@MERGE_REQUEST.field("approvalState: MergeRequestApprovalState!", since="<=14.3")
def approval_state(ctx: ReadContext, merge_request: MergeRequest) -> State:
    """The approvals that it needs; without rules on free tiers."""
    return State(merge_request, approval_states.evaluate_rules(ctx.world, merge_request))


@STATE.field("approvalRulesOverwritten: Boolean")
def are_overwritten(ctx: ReadContext, state: State) -> bool:
    """Whether the rules are other ones than those of the project."""
    return approval_states.is_overridden(ctx.world, state.merge_request)


@STATE.field("rules: [ApprovalRule!]")
def rules(_ctx: ReadContext, state: State) -> Sequence[RuleStatus]:
    """The rules."""
    return state.rules


@STATE.field("invalidApproversRules: [ApprovalRule!]", since="<=16.2")
def invalid_rules(_ctx: ReadContext, state: State) -> Sequence[RuleStatus]:
    """The rules that nobody can fulfil."""
    return approval_states.list_invalid(state.rules)


@RULE.field("id: ID!")
def id_of(ctx: ReadContext, rule: RuleStatus) -> str:
    """The global ID."""
    record = _find_record(ctx, rule)
    is_of_project = record is not None and record.subject[0] == "project"
    return global_id(ctx, "ApprovalProjectRule" if is_of_project else "ApprovalMergeRequestRule", rule.id or 0)


RULE.attributes({"name: String": "The name."})


@RULE.field("type: ApprovalRuleType")
def type_of(_ctx: ReadContext, rule: RuleStatus) -> str:
    """The type."""
    return rule.rule_type


@RULE.field("approvalsRequired: Int")
def required(_ctx: ReadContext, rule: RuleStatus) -> int:
    """Number of required approvals."""
    return rule.required


@RULE.field("approved: Boolean")
def is_approved(_ctx: ReadContext, rule: RuleStatus) -> bool:
    """Whether there are enough approvals."""
    return rule.is_approved


def _users(ctx: ReadContext, ids: Iterable[int]) -> list[User]:
    return [ctx.world.users[id_] for id_ in ids]


@RULE.field("eligibleApprovers: [User!]")
def eligible_approvers(ctx: ReadContext, rule: RuleStatus) -> list[User]:
    """The users who may approve; none are named if everybody may."""
    return _users(ctx, rule.approvers or ())


@RULE.field("approvedBy: UserConnection")
def approved_by(ctx: ReadContext, rule: RuleStatus) -> list[User]:
    """The users who approved."""
    return _users(ctx, rule.approved_by)


@RULE.field("users: UserConnection")
def users(ctx: ReadContext, rule: RuleStatus) -> list[User]:
    """The users that the rule names."""
    record = _find_record(ctx, rule)
    return _users(ctx, record.user_ids if record is not None else ())


def _find_record(ctx: ReadContext, rule: RuleStatus) -> ApprovalRule | None:
    return ctx.world.approval_rules.get(rule.id) if rule.id is not None else None


def _list_groups(ctx: ReadContext, rule: RuleStatus) -> list[Group]:
    record = _find_record(ctx, rule)
    found = (ctx.world.namespaces.get(id_) for id_ in (record.group_ids if record is not None else ()))
    return [group for group in found if isinstance(group, Group)]


@RULE.field("groups: GroupConnection")
def groups(ctx: ReadContext, rule: RuleStatus) -> list[Group]:
    """The groups that the rule names and the caller sees."""
    return [group for group in _list_groups(ctx, rule) if can_see(ctx, group)]


@RULE.field("containsHiddenGroups: Boolean")
def contains_hidden_groups(ctx: ReadContext, rule: RuleStatus) -> bool:
    """Whether the rule names groups that the caller does not see."""
    return not all(can_see(ctx, group) for group in _list_groups(ctx, rule))


@RULE.field("section: String")
def section(ctx: ReadContext, rule: RuleStatus) -> str | None:
    """The section of the file of code owners that the rule stands for."""
    record = _find_record(ctx, rule)
    return record.section if record is not None else None


@RULE.field("sourceRule: ApprovalRule")
def source_rule(ctx: ReadContext, rule: RuleStatus) -> RuleStatus | None:
    """The rule of the project that the rule was copied from."""
    record = _find_record(ctx, rule)
    source = rule_copies.find_source(ctx.world, record) if record is not None else None
    return approval_states.describe_rule(ctx.world, source) if source is not None else None


@RULE.field("overridden: Boolean")
def is_overridden(ctx: ReadContext, rule: RuleStatus) -> bool:
    """Whether it differs from the rule of the project."""
    record = _find_record(ctx, rule)
    return record is not None and rule_copies.differs_from_source(ctx.world, record)


@RULE.field("invalid: Boolean", since="<=16.2")
@RULE.field("allowMergeWhenInvalid: Boolean", since="<=16.2")
def is_invalid(_ctx: ReadContext, rule: RuleStatus) -> bool:
    """Whether nobody can fulfil it, which then does not forbid merging."""
    return rule.is_invalid
