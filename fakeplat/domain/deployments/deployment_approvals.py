"""Approvals of deployments to protected environments, which block them until enough users approved.

Source: docs/platform/deployments.md.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.deployments import deployments, protected_environments
from fakeplat.domain.deployments.protected_environments import Protection
from fakeplat.model.ci import Job
from fakeplat.model.deployments import ApprovalStatus, Deployment, DeploymentApproval, DeploymentRule
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DEPLOYMENTS_ARE_APPROVED
from fakeplat.policy.context import ReadContext, WriteContext

_LEVELS: Final = {30: "Developers + Maintainers", 40: "Maintainers", 60: "Instance admins"}
_NOT_PROTECTED: Final = "This environment is not protected."
_NOT_WAITING: Final = "This deployment is not waiting for approvals."
_NO_PERMISSION: Final = (
    "You don't have permission to review this deployment. Contact the project or group owner for help."
)
_OWN: Final = "You cannot approve your own deployment."
_NO_RULE: Final = (
    "There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead."
)

SummaryStatus = Literal["approved", "rejected", "pending_approval"]
_BY_WEIGHT: Final[tuple[SummaryStatus, ...]] = ("rejected", "pending_approval")


class Requirement(NamedTuple):
    """A rule with its name and the approvals that count for it."""

    protection: Protection
    rule: DeploymentRule
    name: str
    approvals: Sequence[DeploymentApproval]

    @property
    def approved_count(self) -> int:
        """How many users approved."""
        return _count_approved(self.approvals)

    @property
    def pending_count(self) -> int:
        """How many approvals are missing."""
        return max(0, self.rule.required_approvals - self.approved_count)

    @property
    def status(self) -> SummaryStatus:
        """Whether it is met; one user who rejects the deployment is enough."""
        if any(approval.status == "rejected" for approval in self.approvals):
            return "rejected"
        return "pending_approval" if self.pending_count else "approved"


class ApprovalSummary(NamedTuple):
    """The rules of a deployment together."""

    requirements: Sequence[Requirement]

    @property
    def required_count(self) -> int:
        """How many approvals all rules ask for."""
        return sum(each.rule.required_approvals for each in self.requirements)

    @property
    def pending_count(self) -> int:
        """How many approvals are missing."""
        return sum(each.pending_count for each in self.requirements)

    @property
    def status(self) -> SummaryStatus:
        """Whether all rules are met, or one of them is rejected."""
        statuses = {each.status for each in self.requirements}
        return next((status for status in _BY_WEIGHT if status in statuses), "approved")


def list_approvals(world: World, deployment: Deployment) -> Sequence[DeploymentApproval]:
    """Return what users said of a deployment, the earliest first."""
    return world.deployment_approvals.where("deployment", deployment.id)


def list_requirements(world: World, deployment: Deployment) -> list[Requirement]:
    """Return the rules of a deployment; each approval counts for the rule that it was given for."""
    approvals = list_approvals(world, deployment)
    return [
        Requirement(protection, rule, name, [approval for approval in approvals if approval.represented_as == name])
        for protection, rule, name in _list_rules(world, deployment)
    ]


def _list_rules(world: World, deployment: Deployment) -> Iterator[tuple[Protection, DeploymentRule, str]]:
    for protection in _list_protections(world, deployment):
        for rule in protection.approval_rules:
            yield protection, rule, describe(world, rule)


def describe(world: World, access: Access) -> str:
    """Return the name of whom a rule is for: a user, a group or a role."""
    if access.user_id is not None:
        return world.users[access.user_id].name
    if access.group_id is not None:
        return world.namespaces[access.group_id].name
    return _LEVELS.get(access.level or 0, "")


def _list_protections(world: World, deployment: Deployment) -> list[Protection]:
    project, environment = world.projects[deployment.project_id], world.environments[deployment.environment_id]
    return protected_environments.list_protections(world, project, environment.name)


def count_pending(world: World, deployment: Deployment) -> int:
    """Return how many approvals a blocked deployment still needs."""
    return _count_missing(world, deployment) if deployment.status == "blocked" else 0


def summarize(world: World, deployment: Deployment) -> ApprovalSummary:
    """Return how far the approvals of a deployment are."""
    return ApprovalSummary(list_requirements(world, deployment))


def _count_missing(world: World, deployment: Deployment) -> int:
    summary = summarize(world, deployment)
    if summary.requirements:
        return summary.pending_count
    needed = max((each.required_approval_count for each in _list_protections(world, deployment)), default=0)
    return max(0, needed - _count_approved(list_approvals(world, deployment)))


def _count_approved(approvals: Sequence[DeploymentApproval]) -> int:
    return sum(approval.status == "approved" for approval in approvals)


def block(ctx: WriteContext, job: Job) -> bool:
    """Block the deployment of a job that waits for approvals; return whether it does."""
    deployment = deployments.find_by_job(ctx.world, job)
    if deployment is None or deployment.status not in ("created", "blocked"):
        return False
    if not ctx.profile.has(DEPLOYMENTS_ARE_APPROVED) or not _count_missing(ctx.world, deployment):
        return False
    if deployment.status != "blocked":
        deployments.set_status(ctx, deployment, "blocked")
    return True


def is_blocked(world: World, job: Job) -> bool:
    """Return whether the deployment of a job waits for approvals."""
    deployment = deployments.find_by_job(world, job)
    return deployment is not None and deployment.status == "blocked"


def record(
    ctx: WriteContext,
    deployment: Deployment,
    status: ApprovalStatus,
    comment: str | None = None,
    represented_as: str | None = None,
) -> DeploymentApproval:
    """Approve or reject a blocked deployment as the caller, or refuse with 400; a second time replaces the first."""
    rule = _find_rule(ctx, deployment, status, represented_as)
    table, user, now = ctx.world.deployment_approvals, ctx.signed_in_user, ctx.now_iso
    existing = table.find("approver", (deployment.id, user.id))
    if existing is not None:
        return table.change(existing, status=status, comment=comment, represented_as=rule, updated_at=now)
    return table.add(DeploymentApproval(table.next_id(), deployment.id, user.id, status, now, now, comment, rule))


def _find_rule(ctx: ReadContext, deployment: Deployment, status: str, represented_as: str | None) -> str | None:
    """Return the name of the rule for which the caller approves, None without rules; refuse with 400."""
    project, protections = ctx.world.projects[deployment.project_id], _list_protections(ctx.world, deployment)
    if not protections:
        raise BadRequest(_NOT_PROTECTED)
    if deployment.status != "blocked":
        raise BadRequest(_NOT_WAITING, reason=f"the status of the deployment is {deployment.status}")
    if status == "approved" and _is_own(ctx, project, deployment):
        raise BadRequest(_OWN)
    rules = [each.name for each in list_requirements(ctx.world, deployment) if is_for_caller(ctx, each)]
    if represented_as is not None and represented_as not in rules:
        raise BadRequest(_NO_RULE)
    if any(each.approval_rules for each in protections):
        if not rules:
            raise BadRequest(_NO_PERMISSION)
        return represented_as or rules[0]
    if not all(protected_environments.admits(ctx, each, each.deploy) for each in protections):
        raise BadRequest(_NO_PERMISSION)
    return None


def is_for_caller(ctx: ReadContext, requirement: Requirement) -> bool:
    """Return whether the caller is among those who approve for a rule."""
    return protected_environments.admits(ctx, requirement.protection, [requirement.rule])


def may_approve(ctx: ReadContext, deployment: Deployment) -> bool:
    """Return whether the caller is among those who approve deployments to the environment."""
    protections = _list_protections(ctx.world, deployment)
    requirements = list_requirements(ctx.world, deployment)
    if ctx.viewer is None or not protections:
        return False
    if requirements:
        return any(is_for_caller(ctx, each) for each in requirements)
    return all(protected_environments.admits(ctx, each, each.deploy) for each in protections)


def _is_own(ctx: ReadContext, project: Project, deployment: Deployment) -> bool:
    return deployment.user_id == ctx.signed_in_user.id and not project.allow_pipeline_trigger_approve_deployment
