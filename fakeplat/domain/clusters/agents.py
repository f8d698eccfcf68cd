"""Agents for clusters, and their tokens. Source: docs/platform/cluster-agents.md."""

import re
from collections.abc import Sequence
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.clusters import AgentActivityEvent, AgentEventKind, ClusterAgent, ClusterAgentToken
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CLUSTER_AGENTS_HAVE_TWO_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_NAME_TEXT: Final = "can contain only lowercase letters, digits, and '-', but cannot start or end with '-'"
_MAX_NAME: Final = 63
_MAX_DESCRIPTION: Final = 1024
_MAX_TOKENS: Final = 2
_MAX_EVENTS: Final = 200
_TOO_MANY_TOKENS: Final = "An agent can have only two active tokens at a time"
_PREFIX: Final = "glagent-"


def list_agents(world: World, project: Project) -> Sequence[ClusterAgent]:
    """Return the agents of a project, by name."""
    return sorted(world.cluster_agents.where("project", project.id), key=lambda agent: agent.name)


def find_agent(world: World, project: Project, name: str) -> ClusterAgent | None:
    """Return the agent of a project with a name."""
    return world.cluster_agents.find("name", (project.id, name))


def get_agent(world: World, project: Project, id_: int) -> ClusterAgent:
    """Return the agent of a project with an id, or refuse with 404."""
    agent = world.cluster_agents.get(id_)
    if agent is None or agent.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no agent {id_}")
    return agent


class NewAgent(TypedDict, total=False):
    """The fields of a new agent."""

    name: Required[str]
    created_at: str
    updated_at: str
    creator_id: int | None


def create_agent(ctx: WriteContext, project: Project, **fields: Unpack[NewAgent]) -> ClusterAgent:
    """Register an agent with a project."""
    table, now = ctx.world.cluster_agents, ctx.now_iso
    refuse(validate_agent(ctx.world, project, fields["name"]).full_messages())
    values: dict[str, Any] = {"created_at": now, "updated_at": fields.get("created_at", now), **fields}
    return table.add(ClusterAgent(id=table.next_id(), project_id=project.id, **values))


def validate_agent(world: World, project: Project, name: str) -> ValidationErrors:
    """Return what is wrong with the name of a new agent."""
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name, _MAX_NAME)
    errors.when(find_agent(world, project, name) is not None, "name", TAKEN)
    errors.when(_NAME.fullmatch(name) is None, "name", _NAME_TEXT)
    return errors


def refuse(messages: Sequence[str]) -> None:
    """Raise 400 with messages, as the platform's language writes a list."""
    if messages:
        quoted = ", ".join(f'"{message}"' for message in messages)
        raise BadRequest(f"400 Bad request - [{quoted}]")


def list_tokens(world: World, agent: ClusterAgent) -> Sequence[ClusterAgentToken]:
    """Return the tokens of an agent that are not revoked, the last used one first, then by id."""
    rows = [token for token in world.cluster_agent_tokens.where("agent", agent.id) if not token.revoked]
    return sorted(rows, key=lambda token: token.last_used_at or "", reverse=True)


def get_token(world: World, agent: ClusterAgent, id_: int, *, active: bool) -> ClusterAgentToken:
    """Return the token of an agent with an id, or refuse with 404; ``active``: also for one that is revoked."""
    token = world.cluster_agent_tokens.get(id_)
    if token is None or token.agent_id != agent.id or (active and token.revoked):
        raise RecordNotFound(reason=f"the agent {agent.name} has no token {id_}")
    return token


def issue_token(ctx: WriteContext, agent: ClusterAgent, name: str, description: str | None = None) -> ClusterAgentToken:
    """Create a token of an agent as the caller, which is recorded."""
    token = create_token(ctx, agent, name=name, description=description, creator_id=ctx.signed_in_user.id)
    _record_event(ctx, token, "token_created", token.created_at)
    return token


def _record_event(ctx: WriteContext, token: ClusterAgentToken, kind: AgentEventKind, at: str) -> None:
    """Record what the caller did with a token; the oldest of too many events are forgotten."""
    agent, user_id = ctx.world.cluster_agents[token.agent_id], ctx.signed_in_user.id
    table = ctx.world.agent_activity_events
    table.add(AgentActivityEvent(table.next_id(), agent.id, kind, at, user_id=user_id, token_id=token.id))
    for event in list_events(ctx.world, agent)[_MAX_EVENTS:]:
        purge(ctx, event)


def list_events(world: World, agent: ClusterAgent) -> list[AgentActivityEvent]:
    """Return what happened to an agent, the last event first."""
    events = world.agent_activity_events.where("agent", agent.id)
    return sorted(events, key=lambda event: (event.recorded_at, event.id), reverse=True)


class NewToken(TypedDict, total=False):
    """The fields of a new token. Its value is random unless it is given."""

    name: Required[str]
    value: str
    description: str | None
    created_at: str
    updated_at: str
    creator_id: int | None
    revoked: bool
    last_used_at: str | None


def create_token(ctx: WriteContext, agent: ClusterAgent, **fields: Unpack[NewToken]) -> ClusterAgentToken:
    """Create a token of an agent."""
    table, now = ctx.world.cluster_agent_tokens, ctx.now_iso
    refuse(_validate_token(fields["name"], fields.get("description")).full_messages())
    value = fields.get("value") or f"{_PREFIX}{ctx.random_hex('cluster_agent_token', 25)}"
    values: dict[str, Any] = {"created_at": now, "updated_at": fields.get("created_at", now), **fields, "value": value}
    return table.add(ClusterAgentToken(id=table.next_id(), agent_id=agent.id, **values))


def _validate_token(name: str, description: str | None) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    too_long(errors, "description", description, _MAX_DESCRIPTION)
    return errors


def find_token_errors(ctx: ReadContext, agent: ClusterAgent, name: str, description: str | None) -> list[str]:
    """Return what is wrong with a new token, or that the agent has two already, which first releases do not mind."""
    is_limited = ctx.profile.has(CLUSTER_AGENTS_HAVE_TWO_TOKENS)
    if is_limited and len(list_tokens(ctx.world, agent)) >= _MAX_TOKENS:
        return [_TOO_MANY_TOKENS]
    return _validate_token(name, description).full_messages()


def refuse_third_token(ctx: ReadContext, agent: ClusterAgent) -> None:
    """Raise 400 if an agent has as many active tokens as it may have."""
    if _TOO_MANY_TOKENS in find_token_errors(ctx, agent, "token", None):
        raise BadRequest(f"400 Bad request - {_TOO_MANY_TOKENS}")


def revoke_token(ctx: WriteContext, token: ClusterAgentToken) -> ClusterAgentToken:
    """Revoke a token as the caller, after which the agent cannot sign in with it; that is recorded."""
    revoked = ctx.world.cluster_agent_tokens.change(token, revoked=True, updated_at=ctx.now_iso)
    _record_event(ctx, revoked, "token_revoked", revoked.updated_at)
    return revoked
