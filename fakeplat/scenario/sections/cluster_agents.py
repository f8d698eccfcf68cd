"""Agents for clusters of projects, with their tokens, in scenarios."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, ListOf, Object
from fakeplat.domain.clusters import agent_urls, agents
from fakeplat.model.clusters import AgentActivityEvent, AgentUrlConfiguration, ClusterAgent, ClusterAgentToken
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import AGENTS, EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(ClusterAgent)
_TOKEN_FIELDS: Final = own_fields(ClusterAgentToken)
_TOKEN: Final = Object(
    {**_TOKEN_FIELDS, "creator": NULLABLE_TEXT},
    required=("name",),
    descriptions={"value": "The token itself. Default: random.", "creator": "Username."},
)
_EVENT_FIELDS: Final = own_fields(AgentActivityEvent)
_EVENT: Final = Object(
    {**_EVENT_FIELDS, "user": NULLABLE_TEXT, "token": NULLABLE_TEXT},
    required=("kind",),
    descriptions={
        "kind": "What happened.",
        "level": "How severe it is.",
        "recorded_at": "Default: when the agent was created.",
        "user": "Username of who did it.",
        "token": "Name of the token that had to do with it.",
    },
)
_URL_FIELDS: Final = own_fields(AgentUrlConfiguration, without=("public_key",))
_URL: Final = Object(
    _URL_FIELDS,
    required=("url",),
    descriptions={
        "client_cert": "Certificate in PEM with which the platform signs in, in place of a key of its own.",
        "client_key": "Key of the certificate in PEM.",
        "ca_cert": "Certificate in PEM that vouches for the agent.",
        "tls_host": "Name of the host in the certificate of the agent.",
        "url": "Where the agent listens (grpc, grpcs).",
    },
)


def _create(entry: Entry) -> ClusterAgent:
    creator = entry.user_or_none("creator")
    values = {"created_at": entry.created_at, **entry.select(_FIELDS), "creator_id": creator.id if creator else None}
    existing = agents.find_agent(entry.world, entry.owner, values["name"])
    if existing is not None:
        agent = entry.world.cluster_agents.change(existing, **values)
    else:
        agent = agents.create_agent(entry.ctx, entry.owner, **values)
    for token in entry.values.get("tokens", ()):
        _add_token(entry, agent, token)
    for event in entry.values.get("activity_events", ()):
        _add_event(entry, agent, event)
    if entry.values.get("url_configuration") and agent_urls.find_configuration(entry.world, agent) is None:
        agent_urls.create(entry.ctx, agent, **entry.values["url_configuration"])
    return agent


def _add_token(entry: Entry, agent: ClusterAgent, values: EntryData) -> None:
    creator = entry.get_user(values["creator"], "creator") if values.get("creator") else None
    given = {name: values[name] for name in values if name in _TOKEN_FIELDS}
    ids = {"creator_id": creator.id if creator else None}
    agents.create_token(entry.ctx, agent, **{"created_at": agent.created_at, **given, **ids})


def _add_event(entry: Entry, agent: ClusterAgent, values: EntryData) -> None:
    table, tokens = entry.world.agent_activity_events, entry.world.cluster_agent_tokens.where("agent", agent.id)
    given = {name: values[name] for name in values if name in _EVENT_FIELDS}
    user = entry.get_user(values["user"], "activity_events") if values.get("user") else None
    token = next((each for each in tokens if each.name == values.get("token")), None)
    ids = {"user_id": user.id if user else None, "token_id": token.id if token else None}
    table.add(
        AgentActivityEvent(**{"recorded_at": agent.created_at, **given, **ids}, id=table.next_id(), agent_id=agent.id)
    )


def _serialize_event(world: World, agent: ClusterAgent, event: AgentActivityEvent) -> EntryData:
    data = serialization.non_default_fields(event, _EVENT_FIELDS, ("kind",))
    data = serialization.remove_defaults(data, recorded_at=agent.created_at)
    user, token = serialization.username_of(world, event.user_id), world.cluster_agent_tokens.get(event.token_id or 0)
    return {**data, **({"user": user} if user else {}), **({"token": token.name} if token else {})}


def _serialize_parts(world: World, agent: ClusterAgent) -> EntryData:
    tokens = world.cluster_agent_tokens.where("agent", agent.id)
    events = world.agent_activity_events.where("agent", agent.id)
    data: EntryData = {
        "tokens": [_serialize_token(world, agent, token) for token in tokens],
        "activity_events": [_serialize_event(world, agent, event) for event in events],
    }
    configuration = agent_urls.find_configuration(world, agent)
    if configuration is not None:
        data["url_configuration"] = serialization.non_default_fields(configuration, _URL_FIELDS, ("url",))
    return data


def _serialize_token(world: World, agent: ClusterAgent, token: ClusterAgentToken) -> EntryData:
    data = serialization.non_default_fields(token, _TOKEN_FIELDS, ("name", "value"))
    data = serialization.remove_defaults(data, created_at=agent.created_at, updated_at=token.created_at)
    creator = serialization.username_of(world, token.creator_id)
    return {**data, **({"creator": creator} if creator else {})}


SECTION: Final = derive_section(
    "cluster_agents",
    ClusterAgent,
    within=("project",),
    # Before the environments that name them.
    rank=AGENTS,
    further_keys={
        "creator": NULLABLE_TEXT,
        "tokens": ListOf(_TOKEN),
        "activity_events": ListOf(_EVENT),
        "url_configuration": _URL,
    },
    references={"creator": "creator_id"},
    required=("name",),
    descriptions={
        "creator": "Username of who registered it.",
        "tokens": "Tokens with which the agent signs in.",
        "activity_events": "What happened to the agent.",
        "url_configuration": "Where the platform itself reaches the agent.",
    },
    create=_create,
    parts=_serialize_parts,
)
