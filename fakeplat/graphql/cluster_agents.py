"""Agents for clusters. Source: docs/platform/cluster-agents.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.clusters import agent_access, agents
from fakeplat.domain.clusters.agent_access import Authorization
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type, mutation
from fakeplat.model.clusters import AgentActivityEvent, ClusterAgent, ClusterAgentToken
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see, level_on
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=14.9"
_AUTHORIZATIONS: Final = "<=16.2"
Scalar("ClustersAgentID", "The global ID of a record of the type Clusters::Agent.", since=_SINCE)
Scalar("ClustersAgentTokenID", "The global ID of a record of the type Clusters::AgentToken.", since=_SINCE)
Enumeration(
    "AgentTokenStatus",
    "The status of a token of an agent.",
    {"ACTIVE": ("active", "The token is active."), "REVOKED": ("revoked", "The token is revoked.")},
    since=_SINCE,
)
AGENT = Type("ClusterAgent", "An agent for a cluster.", gid="Clusters::Agent", has_count=True, since=_SINCE)
AGENT.attributes(
    {
        "name: String": "The name.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
    }
)
TOKEN = Type("ClusterAgentToken", "A token of an agent.", gid="Clusters::AgentToken", has_count=True, since=_SINCE)
TOKEN.attributes(
    {
        "name: String": "The name.",
        "description: String": "The description.",
        "status: AgentTokenStatus": "The status.",
        "createdAt: Time": "Timestamp of creation.",
        "lastUsedAt: Time": "Timestamp of the last use.",
    }
)

EVENT: Final = Type("ClusterAgentActivityEvent", "Something that happened to an agent.", has_count=True, since=_SINCE)
EVENT.attributes(
    {"recordedAt: Time": "Timestamp.", "kind: String": "What happened.", "level: String": "How severe it is."}
)
CONFIGURATION: Final = Type("AgentConfiguration", "The configuration of an agent.", since="<=14.1")
CONFIGURATION.attributes({"agentName: String": "The name of the agent."})
CI_ACCESS: Final = Type("ClusterAgentAuthorizationCiAccess", "An agent that jobs may use.", since=_AUTHORIZATIONS)
USER_ACCESS: Final = Type("ClusterAgentAuthorizationUserAccess", "An agent that users may use.", since=_AUTHORIZATIONS)
for _type in (CI_ACCESS, USER_ACCESS):
    _type.attributes({"agent: ClusterAgent": "The agent."})


@frozen
class AgentConfiguration:
    """A configuration in a repository."""

    agent_name: str

    @property
    def id(self) -> str:
        """The name of the agent."""
        return self.agent_name


@CI_ACCESS.field("config: JSON")
@USER_ACCESS.field("config: JSON")
def configuration_of(_ctx: ReadContext, authorization: Authorization) -> Mapping[str, Any]:
    """How the agent may be used."""
    return authorization.configuration


@AGENT.field("createdByUser: User")
def creator_of_agent(ctx: ReadContext, agent: ClusterAgent) -> User | None:
    """The user who registered the agent."""
    return ctx.world.users.get(agent.creator_id or 0)


@AGENT.field("project: Project")
def project_of(ctx: ReadContext, agent: ClusterAgent) -> Project:
    """The project of the agent."""
    return ctx.world.projects[agent.project_id]


@AGENT.field("tokens: ClusterAgentTokenConnection")
def tokens_of(ctx: ReadContext, agent: ClusterAgent) -> Sequence[ClusterAgentToken]:
    """The active tokens of the agent."""
    return agents.list_tokens(ctx.world, agent)


@AGENT.field("webPath: String")
def web_path(ctx: ReadContext, agent: ClusterAgent) -> str:
    """The path of the agent's page."""
    project = ctx.world.projects[agent.project_id]
    return f"/{namespaces.project_path(ctx.world, project)}/-/cluster_agents/{quote(agent.name)}"


@AGENT.field("activityEvents: ClusterAgentActivityEventConnection")
def events_of(ctx: ReadContext, agent: ClusterAgent) -> Sequence[AgentActivityEvent]:
    """What happened to it, the last event first, for those who administer clusters."""
    return agents.list_events(ctx.world, agent) if can(ctx, Ability.ADMIN_CLUSTER, project_of(ctx, agent)) else ()


@EVENT.field("user: User")
def user_of_event(ctx: ReadContext, event: AgentActivityEvent) -> User | None:
    """The user who did it."""
    return ctx.world.users.get(event.user_id or 0)


@EVENT.field("agentToken: ClusterAgentToken")
def token_of_event(ctx: ReadContext, event: AgentActivityEvent) -> ClusterAgentToken | None:
    """The token that had to do with it."""
    return ctx.world.cluster_agent_tokens.get(event.token_id or 0)


@AGENT.field("userAccessAuthorizations: ClusterAgentAuthorizationUserAccess", since="<=18.5")
def user_access_of(ctx: ReadContext, agent: ClusterAgent) -> Authorization | None:
    """How users may use it; null if its configuration gives nobody access."""
    return agent_access.find_user_authorization(ctx.world, agent)


@TOKEN.field("clusterAgent: ClusterAgent")
def agent_of_token(ctx: ReadContext, token: ClusterAgentToken) -> ClusterAgent:
    """The agent of the token."""
    return ctx.world.cluster_agents[token.agent_id]


@TOKEN.field("createdByUser: User")
def creator_of_token(ctx: ReadContext, token: ClusterAgentToken) -> User | None:
    """The user who created the token."""
    return ctx.world.users.get(token.creator_id or 0)


@PROJECT.field("clusterAgents: ClusterAgentConnection", since=_SINCE)
def agents_of(ctx: ReadContext, project: Project) -> Sequence[ClusterAgent]:
    """The agents of the project, by name."""
    return agents.list_agents(ctx.world, project) if can(ctx, Ability.READ_CLUSTER_AGENT, project) else ()


@GROUP.field("clusterAgents: ClusterAgentConnection", since="<=15.8")
def agents_below(ctx: ReadContext, group: Group) -> Sequence[ClusterAgent]:
    """The agents of the projects of the group and of its subgroups that the caller may see, by name."""
    found = [
        agent for project in namespaces.list_projects_within(ctx.world, group) for agent in agents_of(ctx, project)
    ]
    return sorted(found, key=lambda agent: agent.name)


@PROJECT.field("clusterAgent(name: String!): ClusterAgent", since=_SINCE)
def agent_of(ctx: ReadContext, project: Project, name: str) -> ClusterAgent | None:
    """The agent of the project with a name."""
    return agents.find_agent(ctx.world, project, name) if can(ctx, Ability.READ_CLUSTER_AGENT, project) else None


@PROJECT.field("agentConfigurations: AgentConfigurationConnection", since="<=14.1")
def agent_configurations(ctx: ReadContext, project: Project) -> Sequence[AgentConfiguration]:
    """The agents whose configurations are in the repository."""
    if not can(ctx, Ability.READ_CLUSTER_AGENT, project):
        return ()
    return [AgentConfiguration(name) for name in agent_access.list_configured_names(ctx.world, project)]


@PROJECT.field("ciAccessAuthorizedAgents: ClusterAgentAuthorizationCiAccessConnection", since=_AUTHORIZATIONS)
def agents_for_jobs(ctx: ReadContext, project: Project) -> Sequence[Authorization]:
    """The agents that its jobs may use, as far as the caller sees them."""
    return _select_readable(ctx, agent_access.list_authorizations(ctx.world, project))


@PROJECT.field("userAccessAuthorizedAgents: ClusterAgentAuthorizationUserAccessConnection", since=_AUTHORIZATIONS)
def agents_for_users(ctx: ReadContext, project: Project) -> Sequence[Authorization]:
    """The agents that its Developers may use, for these, as far as the caller sees them."""
    if level_on(ctx, project) < Level.DEVELOPER:
        return ()
    return _select_readable(ctx, agent_access.list_user_authorizations(ctx.world, project))


def _select_readable(ctx: ReadContext, authorizations: Sequence[Authorization]) -> Sequence[Authorization]:
    return [each for each in authorizations if can(ctx, Ability.READ_CLUSTER_AGENT, project_of(ctx, each.agent))]


# Changes

_OF_AGENT: Final = '"""The agent."""\nclusterAgent: ClusterAgent'


def _get_agent(ctx: ReadContext, text: str, ability: Ability) -> ClusterAgent:
    """Return the agent with a global id that the caller may change, or refuse."""
    return _check(ctx, text, ctx.world.cluster_agents.get(parse_id(ctx, text, "Clusters::Agent")), ability)


def _check(ctx: ReadContext, text: str, agent: ClusterAgent | None, ability: Ability) -> ClusterAgent:
    project = ctx.world.projects[agent.project_id] if agent is not None else None
    if agent is None or project is None or not can_see(ctx, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    authorize(ctx, ability, project)
    return agent


@mutation(
    "createClusterAgent",
    input_fields='"""The full path of the project."""\nprojectPath: ID!\n"""The name."""\nname: String!',
    payload_fields=_OF_AGENT,
    since=_SINCE,
)
def create_cluster_agent(ctx: WriteContext, project_path: str, name: str) -> Mapping[str, Any]:
    """Register an agent with a project."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_CLUSTER_AGENT, project)
    errors = agents.validate_agent(ctx.world, project, name)
    if errors:
        return {"errors": errors.full_messages()}
    return {"cluster_agent": agents.create_agent(ctx, project, name=name, creator_id=ctx.signed_in_user.id)}


@mutation(
    "clusterAgentDelete",
    input_fields='"""The global ID of the agent."""\nid: ClustersAgentID!',
    payload_fields="",
    since=_SINCE,
)
def cluster_agent_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete an agent with its tokens."""
    purge(ctx, _get_agent(ctx, id, Ability.ADMIN_CLUSTER))
    return {}


@mutation(
    "clusterAgentTokenCreate",
    input_fields='''
"""The global ID of the agent."""
clusterAgentId: ClustersAgentID!
"""The name."""
name: String!
"""The description."""
description: String
''',
    payload_fields='"""The value of the token."""\nsecret: String\n"""The token."""\ntoken: ClusterAgentToken',
    since=_SINCE,
)
def cluster_agent_token_create(
    ctx: WriteContext, cluster_agent_id: str, name: str, description: str | None = None
) -> Mapping[str, Any]:
    """Create a token of an agent."""
    agent = _get_agent(ctx, cluster_agent_id, Ability.CREATE_CLUSTER_AGENT)
    errors = agents.find_token_errors(ctx, agent, name, description)
    if errors:
        return {"errors": errors}
    token = agents.issue_token(ctx, agent, name, description)
    return {"secret": token.value, "token": token}


@mutation(
    "clusterAgentTokenRevoke",
    input_fields='"""The global ID of the token."""\nid: ClustersAgentTokenID!',
    payload_fields="",
    since=_SINCE,
)
def cluster_agent_token_revoke(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Revoke a token of an agent."""
    token = ctx.world.cluster_agent_tokens.get(parse_id(ctx, id, "Clusters::AgentToken"))
    agent = ctx.world.cluster_agents.get(token.agent_id) if token is not None else None
    _check(ctx, id, agent, Ability.ADMIN_CLUSTER)
    if token is not None:
        agents.revoke_token(ctx, token)
    return {}


@mutation(
    "clusterAgentTokenDelete",
    input_fields='"""The global ID of the token."""\nid: ClustersAgentTokenID!',
    payload_fields="",
    since=_SINCE,
    until="<=15.0",
)
def cluster_agent_token_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a token of an agent."""
    token = ctx.world.cluster_agent_tokens.get(parse_id(ctx, id, "Clusters::AgentToken"))
    agent = ctx.world.cluster_agents.get(token.agent_id) if token is not None else None
    _check(ctx, id, agent, Ability.ADMIN_CLUSTER)
    if token is not None:
        purge(ctx, token)
    return {}
