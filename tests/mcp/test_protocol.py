"""The messages of the MCP server: the handshake, versions, notifications, and what is wrong with a message."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MCP_LISTENING, MCP_PROTOCOLS, UNKNOWN_TOOL
from tests.by_release import by_release
from tests.mcp.messages import (
    INITIALIZE,
    PATH,
    WORLD,
    Answer,
    enable_server,
    error,
    invalid_params,
    mcp_token,
    post,
    send,
)

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="19.3")
MISSING_JSONRPC = ["jsonrpc is missing", "jsonrpc is empty", "jsonrpc does not have a valid value"]
MISSING_METHOD = ["method is missing", "method is empty"]
VERSIONS = "Supported: 2025-11-25, 2025-06-18, 2025-03-26"


def invalid_request(*validations: str) -> Answer:
    return 400, error(-32600, "Invalid Request", {"validations": [*validations]})


def test_the_handshake_tells_the_version_of_the_platform(fakeplat: Fakeplat) -> None:
    """The server offers tools, whose list does not change, and is named after the platform."""
    status, answer = send(fakeplat, "initialize", INITIALIZE)
    assert 200 == status
    assert answer == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": "Official Platform MCP Server", "version": "19.3"},
        },
    }


@by_release(MCP_PROTOCOLS, "version", {"18.6": "2025-06-18", "18.7": "2025-11-25"})
def test_the_version_of_the_protocol_is_negotiated_since_18_7(fakeplat: Fakeplat, version: str) -> None:
    """Since 18.7 a client gets the version that it asks for; before, there was only one."""
    enable_server(fakeplat)
    _, answer = send(fakeplat, "initialize", {"protocolVersion": "2025-11-25"})
    assert version == answer["result"]["protocolVersion"]


@by_release(
    MCP_PROTOCOLS,
    "expected",
    {
        "18.6": (200, 200),
        "18.7": (
            f"Unsupported protocol version '2024-11-05'. {VERSIONS}",
            f"Missing required parameter 'protocolVersion'. {VERSIONS}",
        ),
    },
)
def test_other_versions_of_the_protocol_are_refused_since_18_7(fakeplat: Fakeplat, expected: tuple[Any, Any]) -> None:
    """Since 18.7 an unknown version of the protocol, or none, is refused with those that the server knows."""
    enable_server(fakeplat)
    for params, wanted in zip(({"protocolVersion": "2024-11-05"}, {}), expected, strict=True):
        answer = send(fakeplat, "initialize", params)
        assert answer[0] == wanted if isinstance(wanted, int) else invalid_params(wanted) == answer


def test_notifications_are_not_answered(fakeplat: Fakeplat) -> None:
    """A message without an id is answered with 204, also if it calls a tool."""
    token = mcp_token(fakeplat)
    assert (204, None) == post(fakeplat, token, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    params = {"name": "create_issue", "arguments": {"id": "acme/site", "title": "Quiet"}}
    assert (204, None) == post(fakeplat, token, {"jsonrpc": "2.0", "method": "tools/call", "params": params})
    assert "Quiet" == fakeplat.as_user("mia").get("projects/acme%2Fsite/issues").json()[0]["title"]


@pytest.mark.parametrize("method", ["ping", "resources/list", "notifications/cancelled", "tools/List"])
def test_other_methods_are_unknown(fakeplat: Fakeplat, method: str) -> None:
    """The server has no other methods, not even ping; the error has the id of the message."""
    assert (404, error(-32601, "Method not found", {"method": method}, 1)) == send(fakeplat, method)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid_request(*MISSING_JSONRPC, *MISSING_METHOD)),
        ([], invalid_request(*MISSING_JSONRPC, *MISSING_METHOD)),
        ([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], invalid_request(*MISSING_JSONRPC, *MISSING_METHOD)),
        ({"jsonrpc": "1.0", "method": "tools/list"}, invalid_request("jsonrpc does not have a valid value")),
        ({"jsonrpc": "2.0", "id": 1}, invalid_request(*MISSING_METHOD)),
        ({"jsonrpc": "2.0", "method": ""}, invalid_request("method is empty")),
        ({"jsonrpc": "2.0", "method": "tools/list", "id": ""}, invalid_request("id is empty")),
        ({"jsonrpc": "2.0", "method": "tools/list", "id": None}, invalid_request("id is empty")),
        ({"jsonrpc": "2.0", "method": "tools/list", "id": 1, "params": 7}, invalid_request("params is invalid")),
    ],
)
def test_what_is_no_message_is_refused(fakeplat: Fakeplat, body: Any, expected: Answer) -> None:
    """A body that is no message of JSON-RPC is refused with all that is wrong; batches are none."""
    assert expected == post(fakeplat, mcp_token(fakeplat), body)


def test_malformed_json_is_refused(fakeplat: Fakeplat) -> None:
    """What is no JSON is refused before the protocol sees it."""
    status, answer = post(fakeplat, mcp_token(fakeplat), b'{"jsonrpc"')
    assert (400, ["error"]) == (status, list(answer))


@pytest.mark.parametrize("message_id", [7, "seven", 1.5, False])
def test_an_answer_has_the_id_of_its_request(fakeplat: Fakeplat, message_id: object) -> None:
    """The id of a request comes back with its value and type."""
    _, answer = post(fakeplat, mcp_token(fakeplat), {"jsonrpc": "2.0", "id": message_id, "method": "tools/list"})
    assert message_id == answer["id"]
    assert type(message_id) is type(answer["id"])


@by_release(
    UNKNOWN_TOOL,
    "text",
    {"18.3": "tool name is unsupported", "18.4": "name is unsupported", "18.6": "Tool 'nothing' not found."},
)
def test_unknown_tools_are_refused(fakeplat: Fakeplat, text: str) -> None:
    """A tool that the release does not have is a wrong parameter of the call."""
    enable_server(fakeplat)
    assert invalid_params(text) == send(fakeplat, "tools/call", {"name": "nothing"})


@pytest.mark.parametrize(
    ("params", "text"),
    [
        (None, "name is missing"),
        ({}, "name is missing"),
        ([], "name is missing"),
        ({"name": " "}, "name is empty"),
        ({"name": "get_issue", "arguments": [1]}, "arguments is invalid"),
    ],
)
def test_calls_without_a_tool_are_refused(fakeplat: Fakeplat, params: Any, text: str) -> None:
    """A call names a tool; its arguments are an object."""
    assert invalid_params(text) == send(fakeplat, "tools/call", params)


@by_release(MCP_LISTENING, "status", {"18.3": 501, "18.5": 501, "18.6": 405})
def test_nobody_can_listen(fakeplat: Fakeplat, status: int) -> None:
    """The server sends no messages of its own, so a GET is answered with a status only."""
    enable_server(fakeplat)
    headers = {"authorization": f"Bearer {mcp_token(fakeplat)}"}
    assert status == fakeplat.as_user(None).get(PATH, headers=headers).status


@pytest.mark.fakeplat(scenario=WORLD, version="18.2")
def test_the_server_came_with_18_3(fakeplat: Fakeplat) -> None:
    """Before 18.3 there is no such path."""
    assert 404 == post(fakeplat, fakeplat.token("mia"), {})[0]


def test_the_journal_names_methods_and_tools(fakeplat: Fakeplat) -> None:
    """The journal shows the method of a message, the called tool, and why it failed."""
    send(fakeplat, "tools/list")
    send(fakeplat, "tools/call", {"name": "get_issue", "arguments": {"id": "acme/site", "issue_iid": 99}})
    listed, failed = [*fakeplat.requests][-2:]
    assert ("create_mcp", "tools/list") == (listed.operation, listed.detail)
    assert ("tools/call get_issue", "404 Issue Not Found") == (failed.detail, failed.reason)
