"""Views of agents for clusters, and of their tokens. Source: docs/platform/cluster-agents.md."""

from base64 import b64encode
from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.model.clusters import AgentUrlConfiguration, ClusterAgent, ClusterAgentToken
from fakeplat.policy.context import ReadContext


def render_project(ctx: ReadContext, agent: ClusterAgent) -> Any:
    """Return the project of an agent, which has its configuration."""
    return ctx.render(ProjectIdentity, ctx.world.projects[agent.project_id])


class ClusterAgentView(Entity[ClusterAgent]):
    """An agent."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def config_project(self) -> ProjectIdentity:
        project: ProjectIdentity = render_project(self.ctx, self.record)
        return project

    created_at = attr()
    created_by_user_id = attr("creator_id")


class AgentTokenBasic(Entity[ClusterAgentToken]):
    """A token in lists."""

    id = attr()
    name = attr()
    description = attr()
    agent_id = attr()
    status = attr()
    created_at = attr()
    created_by_user_id = attr("creator_id")


class AgentTokenView(AgentTokenBasic):
    """A single token."""

    last_used_at = attr()


class AgentTokenWithToken(AgentTokenView):
    """A new token, with its value."""

    token = attr("value")


def _encode(pem: str | None) -> str | None:
    return None if pem is None else b64encode(pem.encode()).decode()


class AgentUrlConfigurationView(Entity[AgentUrlConfiguration]):
    """Where the platform reaches an agent; keys are secret."""

    id = attr()
    agent_id = attr()
    url = attr()
    public_key = attr()

    @computed
    def client_cert(self) -> str | None:
        return _encode(self.record.client_cert)

    @computed
    def ca_cert(self) -> str | None:
        return _encode(self.record.ca_cert)

    tls_host = attr()
