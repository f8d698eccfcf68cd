"""Views of environments and deployments. Source: docs/platform/deployments.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.deployments import deployment_approvals, environments
from fakeplat.domain.deployments.deployment_approvals import Requirement
from fakeplat.entities.ci.jobs import JobView
from fakeplat.entities.cluster_agents import ClusterAgentView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.deployments import Deployment, DeploymentApproval, Environment
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_TIMES_SINCE: Final = "<=15.4"
_PROJECT_SINCE: Final = "<=14.10"


class EnvironmentBasic(Entity[Environment]):
    """An environment as part of a deployment."""

    ctx: ReadContext

    id = attr()
    name = attr()
    slug = attr()
    external_url = attr()
    created_at = attr(since=_TIMES_SINCE)
    updated_at = attr(since=_TIMES_SINCE)


class DeploymentOfEnvironment(Entity[Deployment]):
    """The last deployment, as part of its environment."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    ref = attr()
    sha = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def user(self) -> UserBasic | None:
        id_ = self.record.user_id
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ else None)
        return user

    @computed
    def deployable(self) -> JobView | None:
        id_ = self.record.job_id
        job: JobView | None = self.ctx.render(JobView, self.ctx.world.jobs.get(id_) if id_ else None)
        return job

    status = attr()


class DeploymentView(DeploymentOfEnvironment):
    """A deployment."""

    @computed
    def environment(self) -> EnvironmentBasic:
        record = self.ctx.world.environments[self.record.environment_id]
        environment: EnvironmentBasic = self.ctx.render(EnvironmentBasic, record)
        return environment


class ApprovalView(Entity[DeploymentApproval]):
    """What a user said of a blocked deployment."""

    ctx: ReadContext

    @computed
    def user(self) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return user

    status = attr()
    created_at = attr()
    comment = attr()


def _has_approvals(view: Entity[Deployment]) -> bool:
    world = view.ctx.world
    return has_feature(world, "premium", world.projects[view.record.project_id])


class DeploymentExtended(DeploymentView):
    """A single deployment, with its approvals on paid tiers."""

    @computed_if(since="14.7", when=_has_approvals)
    def pending_approval_count(self) -> int:
        return deployment_approvals.count_pending(self.ctx.world, self.record)

    @computed_if(since="14.8", when=_has_approvals)
    def approvals(self) -> list[ApprovalView]:
        return self._render_approvals(deployment_approvals.list_approvals(self.ctx.world, self.record))

    @computed_if(since="15.0", when=_has_approvals)
    def approval_summary(self) -> dict[str, Any]:
        requirements = deployment_approvals.list_requirements(self.ctx.world, self.record)
        return {"rules": [self._describe(each) for each in requirements]}

    def _describe(self, requirement: Requirement) -> dict[str, Any]:
        rule = requirement.rule
        return {
            "user_id": rule.user_id,
            "group_id": rule.group_id,
            "access_level": rule.level,
            "access_level_description": requirement.name,
            "required_approvals": rule.required_approvals,
            "deployment_approvals": self._render_approvals(requirement.approvals),
        }

    def _render_approvals(self, approvals: Sequence[DeploymentApproval]) -> list[Any]:
        return [self.ctx.render(ApprovalView, approval) for approval in approvals]


def _shows_agent(view: Entity[Environment]) -> bool:
    ctx = view.ctx
    return view.record.cluster_agent_id is not None and can(
        ctx, Ability.READ_CLUSTER_AGENT, ctx.world.projects[view.record.project_id]
    )


class _WithDashboard(EnvironmentBasic):
    """What later releases show of an environment, such as its dashboard in a cluster."""

    auto_stop_at = attr(since="17.0")

    @computed_if(since="16.3", when=_shows_agent)
    def cluster_agent(self) -> ClusterAgentView:
        agent = self.ctx.world.cluster_agents.get(self.record.cluster_agent_id or 0)
        rendered: ClusterAgentView = self.ctx.render(ClusterAgentView, agent)
        return rendered

    kubernetes_namespace = attr(since="16.4", when=_shows_agent)
    flux_resource_path = attr(since="16.4", when=_shows_agent)
    description = attr(since="17.1")
    auto_stop_setting = attr(since="17.8")


class EnvironmentView(_WithDashboard):
    """An environment in a list."""

    tier = attr(since="13.10")

    @computed
    def project(self) -> ProjectSimple:
        record = self.ctx.world.projects[self.record.project_id]
        project: ProjectSimple = self.ctx.render(ProjectSimple, record)
        return project

    state = attr()


class EnvironmentDetail(_WithDashboard):
    """A single environment."""

    tier = attr(since="13.10")

    @computed_if(since=_PROJECT_SINCE)
    def project(self) -> ProjectSimple:
        record = self.ctx.world.projects[self.record.project_id]
        project: ProjectSimple = self.ctx.render(ProjectSimple, record)
        return project

    @computed
    def last_deployment(self) -> DeploymentOfEnvironment | None:
        record = environments.find_last_deployment(self.ctx.world, self.record)
        deployment: DeploymentOfEnvironment | None = self.ctx.render(DeploymentOfEnvironment, record)
        return deployment

    state = attr()
