"""Agents for clusters, their tokens, and the agents that a job may use. Source: docs/platform/cluster-agents.md."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import predefined_variables
from fakeplat.domain.clusters import agents, kubeconfig
from fakeplat.domain.purging import purge
from fakeplat.entities.cluster_agents import (
    AgentTokenBasic,
    AgentTokenView,
    AgentTokenWithToken,
    ClusterAgentView,
    render_project,
)
from fakeplat.model.ci import Job
from fakeplat.model.clusters import ClusterAgent, ClusterAgentToken
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, decide
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors_of, project_level

area: Final = Area("Cluster agents", login=Login.ALWAYS)
_SINCE: Final = "14.10"
_TOKENS_SINCE: Final = "15.0"
_ROLES: Final = {
    "guest": Level.GUEST,
    "reporter": Level.REPORTER,
    "developer": Level.DEVELOPER,
    "maintainer": Level.MAINTAINER,
    "owner": Level.OWNER,
}


def _get_agent(ctx: ReadContext, project: Project, id_: int) -> ClusterAgent:
    """Return an agent that the caller may read, or 404."""
    decision = decide(ctx, Ability.READ_CLUSTER_AGENT, project)
    if not decision.allowed:
        raise RecordNotFound(reason=decision.why)
    return agents.get_agent(ctx.world, project, id_)


def _get_agent_to_change(ctx: ReadContext, project: Project, id_: int, *, ability: Ability) -> ClusterAgent:
    """Return an agent, or 404; 403 without the ability, whether or not there is one."""
    authorize(ctx, ability, project)
    return _get_agent(ctx, project, id_)


_PATH: Final = "cluster_agents/:agent_id"
AGENT: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_agent)
EXTENDED_AGENT: Final = PROJECT / Segment(
    _PATH, kind="integer", locate=partial(_get_agent_to_change, ability=Ability.CREATE_CLUSTER_AGENT)
)
DELETED_AGENT: Final = PROJECT / Segment(
    _PATH, kind="integer", locate=partial(_get_agent_to_change, ability=Ability.ADMIN_CLUSTER)
)


@area.operation(
    "GET",
    "cluster_agents",
    scope=PROJECT,
    params=Paged,
    view=ClusterAgentView,
    many=True,
    refusals=(404,),
    since=_SINCE,
)
def list_cluster_agents(ctx: ReadContext, project: Project) -> Sequence[ClusterAgent]:
    """List the agents of a project."""
    decision = decide(ctx, Ability.READ_CLUSTER_AGENT, project)
    if not decision.allowed:
        raise NotFound("ClusterAgents", reason=decision.why)
    return agents.list_agents(ctx.world, project)


@area.operation("GET", "", scope=AGENT, view=ClusterAgentView, since=_SINCE)
def get_cluster_agent(_ctx: ReadContext, _project: Project, agent: ClusterAgent) -> ClusterAgent:
    """Get an agent of a project."""
    return agent


class CreateClusterAgent(Params):
    """An agent to register."""

    name: str


@area.operation(
    "POST",
    "cluster_agents",
    scope=PROJECT,
    ability=Ability.CREATE_CLUSTER_AGENT,
    params=CreateClusterAgent,
    view=ClusterAgentView,
    refusals=(400,),
    since=_SINCE,
)
def create_cluster_agent(ctx: WriteContext, project: Project, p: CreateClusterAgent) -> ClusterAgent:
    """Register an agent with a project."""
    return agents.create_agent(ctx, project, name=p.name or "", creator_id=ctx.signed_in_user.id)


@area.operation("DELETE", "", scope=DELETED_AGENT, refusals=(403, 412), since=_SINCE)
def delete_cluster_agent(ctx: WriteContext, _project: Project, agent: ClusterAgent) -> None:
    """Delete an agent with its tokens."""
    ctx.check_unmodified_since(agent.updated_at)
    purge(ctx, agent)


@area.operation("GET", "tokens", scope=AGENT, params=Paged, view=AgentTokenBasic, many=True, since=_TOKENS_SINCE)
def list_cluster_agent_tokens(ctx: ReadContext, _project: Project, agent: ClusterAgent) -> Sequence[ClusterAgentToken]:
    """List the active tokens of an agent."""
    return agents.list_tokens(ctx.world, agent)


@area.operation("GET", "tokens/:token_id", scope=AGENT, view=AgentTokenView, refusals=(404,), since=_TOKENS_SINCE)
def get_cluster_agent_token(
    ctx: ReadContext, _project: Project, agent: ClusterAgent, token_id: int
) -> ClusterAgentToken:
    """Get an active token of an agent."""
    return agents.get_token(ctx.world, agent, token_id, active=True)


class CreateClusterAgentToken(Params):
    """A new token."""

    name: str
    description: str | None = None


@area.operation(
    "POST",
    "tokens",
    scope=EXTENDED_AGENT,
    params=CreateClusterAgentToken,
    view=AgentTokenWithToken,
    refusals=(400, 403),
    since=_TOKENS_SINCE,
)
def create_cluster_agent_token(
    ctx: WriteContext, _project: Project, agent: ClusterAgent, p: CreateClusterAgentToken
) -> ClusterAgentToken:
    """Create a token of an agent."""
    agents.refuse_third_token(ctx, agent)
    return agents.issue_token(ctx, agent, p.name or "", p.description)


@area.operation("DELETE", "tokens/:token_id", scope=DELETED_AGENT, refusals=(403, 404), since=_TOKENS_SINCE)
def delete_cluster_agent_token(ctx: WriteContext, _project: Project, agent: ClusterAgent, token_id: int) -> None:
    """Revoke a token of an agent."""
    agents.revoke_token(ctx, agents.get_token(ctx.world, agent, token_id, active=False))


@area.operation("GET", "job/allowed_agents", job_token=True, refusals=(404,), since="14.5")
def list_job_allowed_agents(ctx: ReadContext) -> dict[str, Any]:
    """List the agents that the job whose token was sent may use."""
    token = ctx.token
    job = ctx.world.jobs.get(token.job_id) if token is not None and token.job_id is not None else None
    if job is None:
        raise NotFound("Job", reason="the credential is not a job token")
    return _describe_access(ctx, job)


def _describe_access(ctx: ReadContext, job: Job) -> dict[str, Any]:
    project, user = ctx.world.projects[job.project_id], ctx.signed_in_user
    environment = predefined_variables.find_environment(ctx.world, job)
    level = project_level(ctx.world, project, user.id)
    described = {
        "allowed_agents": [
            {
                "id": each.agent.id,
                "config_project": render_project(ctx, each.agent),
                "configuration": each.configuration,
            }
            for each in kubeconfig.list_allowed(ctx.world, job)
        ],
        "job": {"id": job.id},
        "pipeline": {"id": job.pipeline_id},
        "project": {
            "id": project.id,
            "groups": [{"id": group.id} for group in ancestors_of(ctx.world, project) if isinstance(group, Group)],
        },
        "user": {
            "id": user.id,
            "username": user.username,
            "roles_in_project": [role for role, needed in _ROLES.items() if needed <= level],
        },
    }
    shown = {"tier": environment.tier, "slug": environment.slug} if environment else None
    return {**described, "environment": shown} if shown else described
