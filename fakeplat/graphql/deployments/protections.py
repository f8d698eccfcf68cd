"""What protects environments, and how far the approvals of deployments are.

Source: docs/platform/graphql.md ('Protected environments'), docs/platform/deployments.md.
"""

from collections.abc import Sequence
from typing import Final, get_args

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.deployments import deployment_approvals, protected_environments
from fakeplat.domain.deployments.deployment_approvals import ApprovalSummary, Requirement, SummaryStatus
from fakeplat.domain.deployments.protected_environments import Protection
from fakeplat.graphql.deployments.deployments import DEPLOYMENT
from fakeplat.graphql.deployments.environments import ENVIRONMENT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.deployments import (
    Deployment,
    DeploymentRule,
    Environment,
    GroupProtectedEnvironment,
    ProtectedEnvironment,
)
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=15.8"
PROTECTED: Final = Type("ProtectedEnvironment", "What protects an environment.", since=_SINCE)
PROTECTED.attributes(
    {
        "name: String": "The name of the environment, or the tier of the environments of a group.",
        "requiredApprovalCount: Int": "The number of approvals, if there are no rules for them.",
    }
)
ACCESS: Final = Type("ProtectedEnvironmentDeployAccessLevel", "Who may deploy to an environment.", since=_SINCE)
RULE: Final = Type("ProtectedEnvironmentApprovalRule", "Who approves deployments to an environment.", since=_SINCE)
REQUIREMENT: Final = Type(
    "ProtectedEnvironmentApprovalRuleForSummary",
    "Who approves a deployment, and who did.",
    since=_SINCE,
    base=RULE,
    to_base=lambda requirement: NumberedAccess(requirement.rule),
)


@frozen
class NumberedAccess:
    """An entry of a protected environment."""

    access: Access

    @property
    def id(self) -> int:
        """The number of the entry within its list."""
        return self.access.number


@ENVIRONMENT.field("protectedEnvironments: ProtectedEnvironmentConnection", since=_SINCE)
def protections_of(ctx: ReadContext, environment: Environment) -> Sequence[Protection]:
    """What protects it: itself by its name, then its tier in the groups above; paid tiers only."""
    project = ctx.world.projects[environment.project_id]
    return protected_environments.list_protections(ctx.world, project, environment.name)


@PROTECTED.field("project: Project")
def project_of(ctx: ReadContext, protected: Protection) -> Project | None:
    """The project, unless a group protects its tiers."""
    return ctx.world.projects[protected.project_id] if isinstance(protected, ProtectedEnvironment) else None


@PROTECTED.field("group: Group")
def group_of(ctx: ReadContext, protected: Protection) -> Group | None:
    """The group that protects a tier."""
    return _find_group(ctx, protected.group_id) if isinstance(protected, GroupProtectedEnvironment) else None


def _find_group(ctx: ReadContext, group_id: int | None) -> Group | None:
    group = ctx.world.namespaces.get(group_id or 0)
    return group if isinstance(group, Group) and can_see(ctx, group) else None


@PROTECTED.field("deployAccessLevels: ProtectedEnvironmentDeployAccessLevelConnection")
def access_levels_of(_ctx: ReadContext, protected: Protection) -> Sequence[NumberedAccess]:
    """Who may deploy, the newest entry first."""
    return _number(protected.deploy)


@PROTECTED.field("approvalRules: ProtectedEnvironmentApprovalRuleConnection")
def rules_of(_ctx: ReadContext, protected: Protection) -> Sequence[NumberedAccess]:
    """Who approves deployments, the newest entry first."""
    return _number(protected.approval_rules)


def _number(entries: Sequence[Access]) -> Sequence[NumberedAccess]:
    return [NumberedAccess(entry) for entry in reversed(entries)]


@ACCESS.field("user: User")
@RULE.field("user: User")
def user_of(ctx: ReadContext, entry: NumberedAccess) -> User | None:
    """The user, if it is for one."""
    return ctx.world.users.get(entry.access.user_id or 0)


@ACCESS.field("group: Group")
@RULE.field("group: Group")
def group_of_entry(ctx: ReadContext, entry: NumberedAccess) -> Group | None:
    """The group, if it is for the members of one."""
    return _find_group(ctx, entry.access.group_id)


@ACCESS.field("accessLevel: AccessLevel")
@RULE.field("accessLevel: AccessLevel")
def level_of(_ctx: ReadContext, entry: NumberedAccess) -> int | None:
    """The role, if it is for one."""
    return entry.access.level


@RULE.field("requiredApprovals: Int")
def required_count_of(_ctx: ReadContext, entry: NumberedAccess) -> int | None:
    """How many have to approve."""
    return entry.access.required_approvals if isinstance(entry.access, DeploymentRule) else None


# How far approvals are

Enumeration(
    "DeploymentApprovalSummaryStatus",
    "How far the approvals of a deployment are.",
    {status.upper(): (status, f"The status {status.replace('_', ' ')}.") for status in get_args(SummaryStatus)},
    since=_SINCE,
)
SUMMARY: Final = Type("DeploymentApprovalSummary", "How far the approvals of a deployment are.", since=_SINCE)
SUMMARY.attributes({"status: DeploymentApprovalSummaryStatus": "How far they are."})
REQUIREMENT.attributes(
    {
        "approvedCount: Int": "How many users approved.",
        "status: DeploymentApprovalSummaryStatus": "How far the approvals are.",
    }
)
REQUIREMENT.attributes({"approvals: [DeploymentApproval!]": "What users said for the rule."}, since="<=16.2")


@DEPLOYMENT.field("approvalSummary: DeploymentApprovalSummary", calls=1)
def summary_of(ctx: ReadContext, deployment: Deployment) -> ApprovalSummary:
    """How far its approvals are, by the rules of its environment."""
    return deployment_approvals.summarize(ctx.world, deployment)


@SUMMARY.field("totalRequiredApprovals: Int")
def total_required(_ctx: ReadContext, summary: ApprovalSummary) -> int:
    """How many approvals all rules ask for."""
    return summary.required_count


@SUMMARY.field("totalPendingApprovalCount: Int")
def total_pending(_ctx: ReadContext, summary: ApprovalSummary) -> int:
    """How many approvals are missing."""
    return summary.pending_count


@SUMMARY.field("rules: [ProtectedEnvironmentApprovalRuleForSummary!]")
def requirements_of(_ctx: ReadContext, summary: ApprovalSummary) -> Sequence[Requirement]:
    """The rules."""
    return summary.requirements


@REQUIREMENT.field("pendingApprovalCount: Int")
def pending_of(_ctx: ReadContext, requirement: Requirement) -> int:
    """How many approvals are missing."""
    return requirement.pending_count


@REQUIREMENT.field("canApprove: Boolean")
def can_approve(ctx: ReadContext, requirement: Requirement) -> bool:
    """Whether the rule is for the caller."""
    return deployment_approvals.is_for_caller(ctx, requirement)
