"""Where the platform itself reaches agents for clusters. Source: docs/platform/cluster-agents.md."""

import binascii
from base64 import b64decode
from collections.abc import Sequence
from functools import partial
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Params
from fakeplat.domain.clusters import agent_urls
from fakeplat.domain.purging import purge
from fakeplat.entities.cluster_agents import AgentUrlConfigurationView
from fakeplat.model.clusters import AgentUrlConfiguration, ClusterAgent
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Cluster agents", login=Login.ALWAYS)
_SINCE: Final = "17.4"
_PATH: Final = "cluster_agents/:agent_id"
_ONE: Final = "url_configurations/:url_configuration_id"


def _get_agent(ctx: ReadContext, project: Project, id_: int, *, ability: Ability) -> ClusterAgent:
    """Return an agent; 404 while agents are not reached by the platform, 403 without the ability."""
    if not ctx.world.settings.receptive_cluster_agents_enabled:
        raise NotFound(reason="the setting receptive_cluster_agents_enabled is off")
    authorize(ctx, ability, project)
    agent = ctx.world.cluster_agents.get(id_)
    if agent is None or agent.project_id != project.id:
        raise NotFound(reason=f"the project has no agent {id_}")
    return agent


AGENT: Final = PROJECT / Segment(_PATH, kind="integer", locate=partial(_get_agent, ability=Ability.ADMIN_CLUSTER))
NEW: Final = PROJECT / Segment(_PATH, kind="integer", locate=partial(_get_agent, ability=Ability.CREATE_CLUSTER_AGENT))


@area.operation(
    "GET",
    "url_configurations",
    scope=AGENT,
    view=AgentUrlConfigurationView,
    many=True,
    paging=None,
    refusals=(403,),
    since=_SINCE,
)
def list_cluster_agent_url_configurations(
    ctx: ReadContext, _project: Project, agent: ClusterAgent
) -> Sequence[AgentUrlConfiguration]:
    """List where the platform reaches an agent: at one URL, or nowhere."""
    found = agent_urls.find_configuration(ctx.world, agent)
    return [found] if found else []


@area.operation("GET", _ONE, scope=AGENT, view=AgentUrlConfigurationView, refusals=(403, 404), since=_SINCE)
def get_cluster_agent_url_configuration(
    ctx: ReadContext, _project: Project, agent: ClusterAgent, url_configuration_id: int
) -> AgentUrlConfiguration:
    """Get where the platform reaches an agent."""
    return agent_urls.get_configuration(ctx.world, agent, url_configuration_id)


class CreateUrlConfiguration(Params):
    """Where an agent listens; certificates and keys are PEM in base64."""

    url: str
    client_cert: str | None = None
    client_key: str | None = None
    ca_cert: str | None = None
    tls_host: str | None = None


@area.operation(
    "POST",
    "url_configurations",
    scope=NEW,
    params=CreateUrlConfiguration,
    view=AgentUrlConfigurationView,
    refusals=(400, 403),
    since=_SINCE,
)
def create_cluster_agent_url_configuration(
    ctx: WriteContext, _project: Project, agent: ClusterAgent, p: CreateUrlConfiguration
) -> AgentUrlConfiguration:
    """Create the URL at which the platform reaches an agent."""
    return agent_urls.create(
        ctx,
        agent,
        url=p.url or "",
        client_cert=_decode(p.client_cert),
        client_key=_decode(p.client_key),
        ca_cert=_decode(p.ca_cert),
        tls_host=p.tls_host or None,
        creator_id=ctx.signed_in_user.id,
    )


def _decode(text: str | None) -> str | None:
    """Return what base64 stands for; other text is no certificate, whatever it is."""
    try:
        return b64decode(text).decode(errors="replace") if text else None
    except (binascii.Error, ValueError):
        return text


@area.operation("DELETE", _ONE, scope=AGENT, refusals=(403, 404), since=_SINCE)
def delete_cluster_agent_url_configuration(
    ctx: WriteContext, _project: Project, agent: ClusterAgent, url_configuration_id: int
) -> None:
    """Delete the URL at which the platform reaches an agent."""
    purge(ctx, agent_urls.get_configuration(ctx.world, agent, url_configuration_id))
