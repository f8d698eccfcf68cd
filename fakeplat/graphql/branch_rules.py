"""Branch rules: protected branches with the branches that they match. Source: docs/platform/graphql.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.projects import Project
from fakeplat.model.repository import ProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=15.8"
RULE = Type("BranchRule", "A rule for the branches whose names match.", since=_SINCE)
PROTECTION = Type("BranchProtection", "The protection of branches.", since=_SINCE)


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
