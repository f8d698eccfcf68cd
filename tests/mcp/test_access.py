"""Who may use the MCP server: tokens, scopes, tiers and settings."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MCP_CHALLENGES,
    MCP_HAS_A_SETTING,
    MCP_IS_A_BETA_FEATURE,
    MCP_IS_A_PAID_FEATURE,
    MCP_NEEDS_ITS_SCOPE,
    MCP_SERVER_IS_ON,
    MCP_TOKENS_HAVE_OTHER_SCOPES,
)
from tests.api.oauth import send
from tests.by_release import by_release
from tests.mcp.messages import INITIALIZE, PATH, WORLD, enable_server, mcp_token, post, tool_names

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="19.3")
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
UNAUTHORIZED = (401, {"message": "401 Unauthorized"})
NOT_FOUND = (404, {"message": "404 Not Found"})
FORBIDDEN = (403, {"message": "403 Forbidden"})


def get_status(fake: Fakeplat, *scopes: str) -> int:
    return post(fake, mcp_token(fake, "mia", *scopes), HELLO)[0]


def test_nobody_is_refused(fakeplat: Fakeplat) -> None:
    """Without a token both methods are refused, and with one that nobody has."""
    assert UNAUTHORIZED == post(fakeplat, None, HELLO)
    assert UNAUTHORIZED == post(fakeplat, "unknown", HELLO)
    assert 401 == fakeplat.as_user(None).get(PATH).status


@by_release(MCP_CHALLENGES, "is_told", {"18.11": False, "19.3": True})
def test_the_refusal_tells_where_tokens_come_from(fakeplat: Fakeplat, is_told: bool) -> None:
    """Later releases name the document that names the authorization server."""
    reply = fakeplat.as_user(None).post(PATH, json=HELLO)
    url = f"{fakeplat.url.rstrip('/')}/.well-known/oauth-protected-resource/api/v4/mcp"
    expected = f'Bearer realm="Platform", resource_metadata="{url}"' if is_told else None
    assert expected == reply.headers.get("www-authenticate")


def test_the_document_of_the_refusal_exists(fakeplat: Fakeplat) -> None:
    """The document that a refusal names tells of the server and of the authorization server."""
    origin = fakeplat.url.rstrip("/")
    reply = send(fakeplat, "GET", ".well-known/oauth-protected-resource/api/v4/mcp")
    assert {"resource": [f"{origin}/api/v4/mcp"], "authorization_servers": [origin]} == reply.json()


@by_release(MCP_NEEDS_ITS_SCOPE, "status", {"18.3": 200, "18.4": 403})
def test_the_server_asks_for_its_scope_since_18_4(fakeplat: Fakeplat, status: int) -> None:
    """A token for the API was sufficient for 18.3 only."""
    enable_server(fakeplat)
    assert status == get_status(fakeplat, "api")
    assert status == post(fakeplat, fakeplat.token("mia"), HELLO)[0]


def test_the_scope_is_checked_last(fakeplat: Fakeplat) -> None:
    """A token for the API gets 403; one for less is refused as by every operation of the API."""
    assert FORBIDDEN == post(fakeplat, mcp_token(fakeplat, "mia", "api"), HELLO)
    status, answer = post(fakeplat, mcp_token(fakeplat, "mia", "read_user"), HELLO)
    assert (403, "insufficient_scope") == (status, answer["error"])


@by_release(MCP_TOKENS_HAVE_OTHER_SCOPES, "status", {"18.5": 403, "18.6": 200})
def test_tokens_may_have_other_scopes_since_18_6(fakeplat: Fakeplat, status: int) -> None:
    """Before 18.6 the scope of the server had to be the only one of a token."""
    enable_server(fakeplat)
    assert status == get_status(fakeplat, "api", "mcp")


def test_the_scope_opens_nothing_else(fakeplat: Fakeplat) -> None:
    """A token of the server is none for the API or GraphQL."""
    headers = {"authorization": f"Bearer {mcp_token(fakeplat)}"}
    assert 403 == fakeplat.as_user(None).get("projects/acme%2Fsite/issues/1", headers=headers).status
    assert 401 == fakeplat.as_user(None).post("/api/graphql", json={"query": "{__typename}"}, headers=headers).status


def test_the_handshake_asks_for_a_bearer_token(fakeplat: Fakeplat) -> None:
    """The handshake reads the token as OAuth sends it; the other methods accept every way."""
    token = fakeplat.token("mia", kind="personal", scopes=["mcp"])
    headers = {"private-token": token, "content-type": "application/json"}
    client = fakeplat.as_user(None)
    assert 401 == client.post(PATH, json=HELLO, headers=headers).status
    assert 200 == client.post(PATH, json=TOOLS, headers=headers).status


@by_release(MCP_SERVER_IS_ON, "is_on", {"18.5": False, "18.6": True})
def test_a_feature_switches_the_server_on_before_18_6(fakeplat: Fakeplat, is_on: bool) -> None:
    """Before 18.6 the server waits for the feature mcp_server."""
    settings = {"instance_level_ai_beta_features_enabled": True}
    fakeplat.as_user("root").put("application/settings", json=settings)
    assert is_on is (200 == get_status(fakeplat))
    fakeplat.as_user("root").post("features/mcp_server", json={"value": True})
    assert 200 == get_status(fakeplat)


@by_release(MCP_IS_A_BETA_FEATURE, "is_on", {"18.4": True, "18.11": False, "19.2": True})
def test_the_server_was_a_beta_feature_until_19_2(fakeplat: Fakeplat, is_on: bool) -> None:
    """The setting for beta features, which is off by default, opens the server."""
    fakeplat.as_user("root").post("features/mcp_server", json={"value": True})
    assert (200 if is_on else 404) == get_status(fakeplat)
    enable_server(fakeplat)
    assert 200 == get_status(fakeplat)


@pytest.mark.fakeplat(scenario=WORLD, version="18.11")
def test_the_server_was_a_feature_of_duo(fakeplat: Fakeplat) -> None:
    """Without the features of the assistant, the server is hidden."""
    enable_server(fakeplat)
    fakeplat.as_user("root").put("application/settings", json={"duo_features_enabled": False})
    assert NOT_FOUND == post(fakeplat, mcp_token(fakeplat), HELLO)


@pytest.mark.fakeplat(scenario="starter", tier="free")
@by_release(MCP_IS_A_PAID_FEATURE, "status", {"18.11": 404, "19.2": 200})
def test_the_server_is_free_since_19_2(fakeplat: Fakeplat, status: int) -> None:
    """A free instance has the server since 19.2."""
    enable_server(fakeplat)
    assert status == get_status(fakeplat)


@by_release(MCP_HAS_A_SETTING, "status", {"18.11": 200, "19.2": 404})
def test_a_setting_closes_the_server_since_19_2(fakeplat: Fakeplat, status: int) -> None:
    """Administrators switch the server off with mcp_server_enabled."""
    enable_server(fakeplat)
    fakeplat.as_user("root").put(
        "application/settings", json={"mcp_server_enabled": False, "default_ci_config_path": ""}
    )
    assert status == get_status(fakeplat)


def test_tools_are_listed_for_everybody_alike(fakeplat: Fakeplat) -> None:
    """Who may do nothing sees the same tools."""
    assert tool_names(fakeplat) == [
        tool["name"] for tool in post(fakeplat, mcp_token(fakeplat, "eve"), TOOLS)[1]["result"]["tools"]
    ]


def create_granular_token(fake: Fakeplat, *permissions: str) -> str:
    """Create a fine-grained token of mia with permissions of the user and of acme/site; return its value."""
    project = fake.as_user("mia").get("projects/acme%2Fsite").json()["id"]
    scopes = [
        {"access": "user", "permissions": ["execute_mcp_tool"]},
        {"access": "selected_memberships", "permissions": ["read_project", *permissions], "project_ids": [project]},
    ]
    body = {"name": "fine", "granular_scopes": scopes}
    reply = fake.as_user("mia").post("user/personal_access_tokens", json=body)
    assert 201 == reply.status, reply.text
    value: str = reply.json()["token"]
    return value


def test_fine_grained_tokens_need_permissions_for_the_server_and_the_operation(fakeplat: Fakeplat) -> None:
    """A fine-grained token calls the server with its permission, and operations with those that they need."""
    params = {"name": "get_issue", "arguments": {"id": "acme/site", "issue_iid": 1}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    _, answer = post(fakeplat, create_granular_token(fakeplat, "read_work_item"), body)
    assert answer["result"]["isError"] is False
    _, answer = post(fakeplat, create_granular_token(fakeplat), body)
    assert "insufficient_granular_scope" == answer["result"]["content"][0]["text"]


def test_fine_grained_tokens_without_the_permission_are_refused(fakeplat: Fakeplat) -> None:
    """A fine-grained token without the permission to call tools is refused by the server."""
    scopes = [{"access": "user", "permissions": ["read_user"]}]
    reply = fakeplat.as_user("mia").post("user/personal_access_tokens", json={"name": "f", "granular_scopes": scopes})
    status, answer = post(fakeplat, reply.json()["token"], TOOLS)
    assert (403, "insufficient_granular_scope") == (status, answer["error"])
