"""Branch rules: protected branches with the branches that they match. Source: docs/platform/graphql.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.projects import status_checks
from fakeplat.domain.repository import protection, repositories
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.merge_requests import ApprovalRule, ExternalStatusCheck
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import ProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=15.8"
RULE = Type("BranchRule", "A rule for the branches whose names match.", since=_SINCE)
PROTECTION = Type("BranchProtection", "The protection of branches.", since=_SINCE)
APPROVAL_RULE = Type(
    "ApprovalProjectRule", "A rule of a project that says who must approve.", gid="ApprovalProjectRule", since=_SINCE
)
APPROVAL_RULE.attributes({"name: String!": "The name.", "approvalsRequired: Int!": "Number of required approvals."})
STATUS_CHECK = Type(
    "ExternalStatusCheck",
    "A service outside that judges merge requests.",
    gid="MergeRequests::ExternalStatusCheck",
    since=_SINCE,
)
STATUS_CHECK.attributes({"name: String!": "The name.", "externalUrl: String!": "The URL of the service."})


@frozen
class Rule:
    """The rule of a protected branch."""

    project: Project
    branch: ProtectedBranch

    @property
    def id(self) -> int:
        """The id of the protected branch."""
        return self.branch.id


@PROJECT.field("branchRules: BranchRuleConnection", since=_SINCE)
def branch_rules(ctx: ReadContext, project: Project) -> Sequence[Rule] | None:
    """The rules by name, for those who manage the project."""
    if not can(ctx, Ability.ADMIN_PROJECT, project):
        return None
    found = ctx.world.protected_branches.where("project", project.id)
    return [Rule(project, branch) for branch in sorted(found, key=lambda branch: branch.name)]


@RULE.field("name: String!")
def name(_ctx: ReadContext, rule: Rule) -> str:
    """The name or pattern."""
    return rule.branch.name


@RULE.field("isDefault: Boolean!")
def is_default(_ctx: ReadContext, rule: Rule) -> bool:
    """Whether it is that of the default branch."""
    return rule.branch.name == rule.project.default_branch


@RULE.field("isProtected: Boolean!")
def is_protected(_ctx: ReadContext, _rule: Rule) -> bool:
    """Whether it protects branches, as each rule here does."""
    return True


@RULE.field("matchingBranchesCount: Int!")
def count_matching(ctx: ReadContext, rule: Rule) -> int:
    """Number of branches that match."""
    names = repositories.open_repository(ctx.world, rule.project).branches()
    return sum(protection.matches(rule.branch.name, each) for each in names)


@RULE.field("createdAt: Time")
@RULE.field("updatedAt: Time")
def updated_at(_ctx: ReadContext, rule: Rule) -> str | None:
    """Timestamp of the last update."""
    return rule.branch.updated_at or None


@RULE.field("branchProtection: BranchProtection")
def branch_protection(_ctx: ReadContext, rule: Rule) -> Rule:
    """The protection."""
    return rule


@PROTECTION.field("allowForcePush: Boolean!")
def allow_force_push(_ctx: ReadContext, rule: Rule) -> bool:
    """Whether those who may push may overwrite the history."""
    return rule.branch.allow_force_push


@PROTECTION.field("codeOwnerApprovalRequired: Boolean!")
def code_owner_approval_required(ctx: ReadContext, rule: Rule) -> bool:
    """Whether the owners of the changed files must approve."""
    return has_feature(ctx.world, "premium", rule.project) and rule.branch.code_owner_approval_required


@RULE.field("approvalRules: ApprovalProjectRuleConnection")
def list_approval_rules(ctx: ReadContext, rule: Rule) -> Sequence[ApprovalRule] | None:
    """The approval rules that are limited to the protected branch; paid tiers only."""
    if not has_feature(ctx.world, "premium", rule.project):
        return None
    found = approval_rules.list_rules(ctx.world, rule.project)
    return [each for each in found if rule.branch.id in each.protected_branch_ids]


@RULE.field("externalStatusChecks: ExternalStatusCheckConnection")
def list_status_checks(ctx: ReadContext, rule: Rule) -> Sequence[ExternalStatusCheck] | None:
    """The services that judge merge requests into the protected branch; paid tiers only."""
    if not has_feature(ctx.world, "ultimate", rule.project):
        return None
    found = status_checks.list_checks(ctx.world, rule.project)
    return [each for each in found if rule.branch.id in each.protected_branch_ids]


@APPROVAL_RULE.field("type: ApprovalRuleType!")
def type_of(_ctx: ReadContext, rule: ApprovalRule) -> str:
    """The type."""
    return rule.rule_type


@APPROVAL_RULE.field("eligibleApprovers: UserConnection")
def eligible_approvers(ctx: ReadContext, rule: ApprovalRule) -> Sequence[User]:
    """The users who may approve."""
    return [ctx.world.users[id_] for id_ in approval_rules.list_approvers(ctx.world, rule)]
