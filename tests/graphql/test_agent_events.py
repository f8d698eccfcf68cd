"""What happened to agents.

Source: spec/graphql/resolvers/clusters/agent_activity_events_resolver_spec.rb, app/services/clusters of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data, query_project, write_mutation

SITE = {"path_with_namespace": "acme/site", "cluster_agents": [{"name": "edge"}]}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    clock="virtual",
    start="2027-01-01T09:00:00.000Z",
    tick=0,
    scenario={"extends": "starter", "projects": [SITE]},
)
EVENTS = "activityEvents { count nodes { kind level recordedAt user { username } agentToken { name status } } }"
CREATE = write_mutation("clusterAgentTokenCreate", "token { id }")
REVOKE = write_mutation("clusterAgentTokenRevoke", "")


def show_agent(fake: Fakeplat, selection: str, by: str = "mia") -> Any:
    return query_project(fake, by, f'clusterAgent(name: "edge") {{ {selection} }}')["clusterAgent"]


def list_events(fake: Fakeplat, by: str = "mia") -> list[dict[str, Any]]:
    connection = show_agent(fake, EVENTS, by)["activityEvents"]
    assert connection["count"] == len(connection["nodes"])
    nodes: list[dict[str, Any]] = connection["nodes"]
    return nodes


def create_token(fake: Fakeplat, name: str) -> str:
    given = {"clusterAgentId": show_agent(fake, "id")["id"], "name": name}
    return str(query_data(fake, "mia", CREATE, input=given)["clusterAgentTokenCreate"]["token"]["id"])


def build_event(kind: str, at: str, status: str = "REVOKED") -> dict[str, Any]:
    token = {"name": "one", "status": status}
    return {"kind": kind, "level": "info", "recordedAt": at, "user": {"username": "mia"}, "agentToken": token}


def test_tokens_that_are_created_and_revoked_are_recorded(fakeplat: Fakeplat) -> None:
    """An agent shows who created and revoked its tokens, the last event first."""
    id_ = create_token(fakeplat, "one")
    assert [build_event("token_created", "2027-01-01T09:00:00Z", "ACTIVE")] == list_events(fakeplat)
    fakeplat.clock.advance("1m")
    query_data(fakeplat, "mia", REVOKE, input={"id": id_})

    assert [
        build_event("token_revoked", "2027-01-01T09:01:00Z"),
        build_event("token_created", "2027-01-01T09:00:00Z"),
    ] == list_events(fakeplat)


def test_what_rest_does_is_recorded_too(fakeplat: Fakeplat) -> None:
    """A token that is created and revoked by REST is recorded, as by GraphQL."""
    mia = fakeplat.as_user("mia")
    agent = mia.get("projects/acme%2Fsite/cluster_agents").json()[0]
    path = f"projects/acme%2Fsite/cluster_agents/{agent['id']}/tokens"
    token = mia.post(path, json={"name": "one"}).json()
    mia.delete(f"{path}/{token['id']}")

    assert ["token_revoked", "token_created"] == [event["kind"] for event in list_events(fakeplat)]


def test_events_are_for_those_who_administer_clusters(fakeplat: Fakeplat) -> None:
    """Developers, who see the agent, see nothing of what happened to it."""
    create_token(fakeplat, "one")
    assert [] == list_events(fakeplat, "dev")


def test_the_oldest_events_are_forgotten(fakeplat: Fakeplat) -> None:
    """An agent keeps its last two hundred events."""
    events = [
        {"kind": "agent_connected", "recorded_at": f"2026-01-01T00:{each // 60:02}:{each % 60:02}.000Z"}
        for each in range(200)
    ]
    agent = {"name": "edge", "activity_events": [*events]}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "cluster_agents": [agent]}]})
    create_token(fakeplat, "one")
    kept = [event.recorded_at for event in fakeplat.bench.platform.view.agent_activity_events.all()]

    assert (200, "2026-01-01T00:00:01.000Z") == (len(kept), min(kept))


def test_events_are_declared(fakeplat: Fakeplat) -> None:
    """A scenario declares what happened to an agent."""
    event = {"kind": "agent_disconnected", "level": "warn", "recorded_at": "2026-12-01T00:00:00.000Z", "token": "one"}
    agent = {"name": "edge", "tokens": [{"name": "one"}], "activity_events": [event]}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "cluster_agents": [agent]}]})

    assert [
        {
            "kind": "agent_disconnected",
            "level": "warn",
            "recordedAt": "2026-12-01T00:00:00Z",
            "user": None,
            "agentToken": {"name": "one", "status": "ACTIVE"},
        }
    ] == list_events(fakeplat)
