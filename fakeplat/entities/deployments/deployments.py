"""Views of environments and deployments. Source: docs/platform/deployments.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.deployments import environments
from fakeplat.entities.ci.jobs import JobView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.deployments import Deployment, Environment
from fakeplat.policy.context import ReadContext


class EnvironmentBasic(Entity[Environment]):
    """An environment as part of a deployment."""

    ctx: ReadContext

    id = attr()
    name = attr()
    slug = attr()
    external_url = attr()
    created_at = attr(since="<=15.4")
    updated_at = attr(since="<=15.4")


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


class EnvironmentView(EnvironmentBasic):
    """An environment in a list."""

    tier = attr(since="13.10")

    @computed
    def project(self) -> ProjectSimple:
        record = self.ctx.world.projects[self.record.project_id]
        project: ProjectSimple = self.ctx.render(ProjectSimple, record)
        return project

    state = attr()


class EnvironmentDetail(EnvironmentBasic):
    """A single environment."""

    tier = attr(since="13.10")

    @computed
    def last_deployment(self) -> DeploymentOfEnvironment | None:
        record = environments.find_last_deployment(self.ctx.world, self.record)
        deployment: DeploymentOfEnvironment | None = self.ctx.render(DeploymentOfEnvironment, record)
        return deployment

    state = attr()
