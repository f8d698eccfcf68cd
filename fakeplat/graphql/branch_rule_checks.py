"""Approvals and status checks that the branches of a rule need. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.merge_requests.approval_rules import RuleParams
from fakeplat.domain.projects import status_checks
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.graphql.branch_rules import APPROVAL_RULE, DOCUMENTED, STATUS_CHECK, Rule, get_rule
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Scalar, mutation
from fakeplat.model.merge_requests import ApprovalRule, ExternalStatusCheck
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

Payload = Mapping[str, Any]
_RULES: Final = "16.10"
_CHECKS: Final = "16.11"
_CHECK_CHANGES: Final = "17.0"
_NOT_FOUND: Final = "Not found"
_BRANCH_RULE: Final = '"""The global ID of the branch rule."""\nbranchRuleId: ProjectsBranchRuleID!'


def _get_changeable(ctx: WriteContext, text: str) -> Rule:
    """Return the branch rule with a global ID, if the caller may change it."""
    rule = get_rule(ctx, text)
    protection.check_can_change(ctx, rule.project, rule.branch)
    return rule


# Approval rules

_RULE_KIND: Final = str(APPROVAL_RULE.gid)
_RULE: Final = '"""The global ID of the rule."""\nid: ApprovalProjectRuleID!'
_GIVES_RULE: Final = '"""The rule."""\napprovalRule: ApprovalProjectRule'
_RULE_FIELDS: Final = '''
"""The name."""
name: String!
"""Number of required approvals."""
approvalsRequired: Int!
"""The ids of users who may approve."""
userIds: [ID!]
"""The ids of groups whose members may approve."""
groupIds: [ID!]
'''
Scalar("ApprovalProjectRuleID", "The global ID of a record of the type ApprovalProjectRule.", since=_RULES)


class RuleArguments(TypedDict, total=False):
    """The arguments of both mutations that set attributes of an approval rule."""

    name: str
    approvals_required: int
    user_ids: Sequence[str] | None
    group_ids: Sequence[str] | None


def _to_params(arguments: RuleArguments) -> RuleParams:
    params = RuleParams(name=arguments["name"], approvals_required=arguments["approvals_required"])
    if "user_ids" in arguments:
        params["user_ids"] = _read_ids(arguments["user_ids"])
    if "group_ids" in arguments:
        params["group_ids"] = _read_ids(arguments["group_ids"])
    return params


def _read_ids(texts: Sequence[str] | None) -> list[int]:
    return [id_ for id_ in map(parse_number, texts or ()) if id_ is not None]


def _require_rule(ctx: WriteContext, text: str) -> ApprovalRule:
    rule = ctx.world.approval_rules.get(parse_id(ctx, text, _RULE_KIND))
    owner = None if rule is None else approval_rules.owner_of(ctx.world, rule)
    if rule is None or not isinstance(owner, Project) or not can(ctx, Ability.ADMIN_PROJECT, owner):
        raise ResourceNotAvailable(
            lambda: f"{text} is no rule of a project, or {caller_name(ctx)} does not manage the project"
        )
    return rule


@mutation(
    "branchRuleApprovalProjectRuleCreate",
    input_fields=f"{_BRANCH_RULE}\n{_RULE_FIELDS}",
    payload_fields=_GIVES_RULE,
    since=_RULES,
    keeps_case=True,
)
def create_approval_rule(ctx: WriteContext, branch_rule_id: str, **arguments: Unpack[RuleArguments]) -> Payload:
    """Require approvals of merge requests into the branches of a rule; free tiers cannot limit that to branches."""
    rule = _get_changeable(ctx, branch_rule_id)
    params = _to_params(arguments)
    if has_feature(ctx.world, "premium", rule.project):
        params["protected_branch_ids"] = (rule.branch.id,)
    with collect_errors(approval_rule=None):
        return {"approval_rule": approval_rules.create(ctx, rule.project, **params)}


@mutation(
    "approvalProjectRuleUpdate",
    input_fields=f"{_RULE}\n{_RULE_FIELDS}",
    payload_fields=_GIVES_RULE,
    since=_RULES,
    keeps_case=True,
)
def update_approval_rule(ctx: WriteContext, id: str, **arguments: Unpack[RuleArguments]) -> Payload:
    """Change an approval rule of a project; users and groups that are not sent stay."""
    rule = _require_rule(ctx, id)
    with collect_errors(approval_rule=None):
        return {"approval_rule": approval_rules.update(ctx, rule, **_to_params(arguments))}


@mutation("approvalProjectRuleDelete", input_fields=_RULE, payload_fields=_GIVES_RULE, since=_RULES, keeps_case=True)
def delete_approval_rule(ctx: WriteContext, id: str) -> Payload:
    """Delete an approval rule of a project."""
    rule = _require_rule(ctx, id)
    approval_rules.delete(ctx, rule)
    return {"approval_rule": rule}


# External status checks

_CHECK_KIND: Final = str(STATUS_CHECK.gid)
_CHECK: Final = '"""The global ID of the status check."""\nid: MergeRequestsExternalStatusCheckID!'
_GIVES_CHECK: Final = '"""The status check."""\nexternalStatusCheck: ExternalStatusCheck'
_CHECK_FIELDS: Final = f'''
"""The name."""
name: String!
"""The URL of the service."""
externalUrl: String!
"""The secret that signs the requests to it."""
sharedSecret: String @lifetime(since: "{DOCUMENTED}")
'''
Scalar(
    "MergeRequestsExternalStatusCheckID",
    "The global ID of a record of the type MergeRequests::ExternalStatusCheck.",
    since=_CHECK_CHANGES,
)


class CheckArguments(TypedDict, total=False):
    """The arguments of both mutations that set attributes of a status check."""

    name: str
    external_url: str
    shared_secret: str | None


def _find_check(ctx: WriteContext, rule: Rule, text: str) -> ExternalStatusCheck | None:
    try:
        return status_checks.get_check(ctx.world, rule.project, parse_id(ctx, text, _CHECK_KIND))
    except RecordNotFound:
        return None


@mutation(
    "branchRuleExternalStatusCheckCreate",
    input_fields=f"{_BRANCH_RULE}\n{_CHECK_FIELDS}",
    payload_fields=_GIVES_CHECK,
    since=_CHECKS,
)
def create_status_check(ctx: WriteContext, branch_rule_id: str, **arguments: Unpack[CheckArguments]) -> Payload:
    """Let a service judge merge requests into the branches of a rule."""
    rule = _get_changeable(ctx, branch_rule_id)
    with collect_errors(external_status_check=None):
        check = status_checks.create(ctx, rule.project, protected_branch_ids=(rule.branch.id,), **arguments)
        return {"external_status_check": check}


@mutation(
    "branchRuleExternalStatusCheckUpdate",
    input_fields=f"{_CHECK}\n{_BRANCH_RULE}\n{_CHECK_FIELDS}",
    payload_fields=_GIVES_CHECK,
    since=_CHECK_CHANGES,
)
def update_status_check(
    ctx: WriteContext, id: str, branch_rule_id: str, **arguments: Unpack[CheckArguments]
) -> Payload:
    """Change a service that judges merge requests; then it does so for the branches of the rule only."""
    rule = _get_changeable(ctx, branch_rule_id)
    check = _find_check(ctx, rule, id)
    if check is None:
        return {"external_status_check": None, "errors": [_NOT_FOUND]}
    with collect_errors(external_status_check=None):
        changed = status_checks.update(ctx, rule.project, check, protected_branch_ids=(rule.branch.id,), **arguments)
        return {"external_status_check": changed}


@mutation(
    "branchRuleExternalStatusCheckDestroy",
    input_fields=f"{_CHECK}\n{_BRANCH_RULE}",
    payload_fields="",
    since=_CHECK_CHANGES,
)
def destroy_status_check(ctx: WriteContext, id: str, branch_rule_id: str) -> Payload:
    """Delete a service that judges merge requests."""
    rule = _get_changeable(ctx, branch_rule_id)
    check = _find_check(ctx, rule, id)
    if check is None:
        return {"errors": [_NOT_FOUND]}
    purge(ctx, check)
    return {}
