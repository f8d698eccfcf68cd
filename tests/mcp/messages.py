"""Helpers for tests of the MCP server: messages, calls of tools, and a world in which the server is on."""

import json
from typing import Any

from fakeplat.harness.fake import Fakeplat

PATH = "/api/v4/mcp"
JSON = {"content-type": "application/json"}
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
WORLD: dict[str, Any] = {"extends": "starter", "instance": {"tier": "ultimate"}}
Answer = tuple[int, Any]


def enable_server(fake: Fakeplat) -> None:
    """Switch the server on, in whatever way the release of the world has."""
    administrator = fake.as_user("root")
    administrator.post("features/mcp_server", json={"value": True})
    administrator.put("application/settings", json={"instance_level_ai_beta_features_enabled": True})


def mcp_token(fake: Fakeplat, username: str = "mia", *scopes: str) -> str:
    """Return an OAuth token of a user, by default with the one scope of the server."""
    return fake.token(username, kind="oauth", scopes=[*(scopes or ("mcp",))])


def post(fake: Fakeplat, token: str | None, body: bytes | dict[str, Any] | list[Any], **headers: str) -> Answer:
    """Send a body; return the status and the JSON of the answer, None without a body."""
    authorization = {} if token is None else {"authorization": f"Bearer {token}"}
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    others = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = fake.as_user(None).post(PATH, data=sent, headers={**JSON, **authorization, **others})
    is_json = (reply.headers.get("content-type") or "").startswith("application/json")
    return reply.status, reply.json() if reply.text and is_json else reply.text or None


def send(fake: Fakeplat, method: str, params: Any = None, by: str = "mia", token: str = "", **headers: str) -> Answer:
    """Send a request of JSON-RPC with the id 1, with a new token unless one is given."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params})}
    return post(fake, token or mcp_token(fake, by), body, **headers)


def call(fake: Fakeplat, tool: str, by: str = "mia", /, **arguments: Any) -> dict[str, Any]:
    """Call a tool; return its result."""
    return call_with(fake, mcp_token(fake, by), tool, arguments)


def call_with(fake: Fakeplat, token: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool with a token; return its result."""
    status, answer = send(fake, "tools/call", {"name": tool, "arguments": arguments}, token=token)
    assert 200 == status, answer
    assert {"jsonrpc", "result", "id"} == answer.keys()
    result: dict[str, Any] = answer["result"]
    return result


def succeed(fake: Fakeplat, tool: str, by: str = "mia", /, **arguments: Any) -> Any:
    """Call a tool that succeeds; return its structured content, which is that of its text."""
    result = call(fake, tool, by, **arguments)
    assert result["isError"] is False, result
    assert ["text"] == [part["type"] for part in result["content"]]
    return result["structuredContent"]


def fail(fake: Fakeplat, tool: str, by: str = "mia", /, **arguments: Any) -> str:
    """Call a tool that fails and changes nothing; return its text."""
    token = mcp_token(fake, by)
    before = fake.bench.platform.state
    result = call_with(fake, token, tool, arguments)
    assert result["isError"] is True, result
    assert before is fake.bench.platform.state
    text: str = result["content"][0]["text"]
    return text


def tool_names(fake: Fakeplat, **headers: str) -> list[str]:
    """Return the names of the tools that the server lists."""
    _, answer = send(fake, "tools/list", **headers)
    return [tool["name"] for tool in answer["result"]["tools"]]


def schema_of(fake: Fakeplat, name: str) -> dict[str, Any]:
    """Return the input schema of a tool."""
    _, answer = send(fake, "tools/list")
    (schema,) = [tool["inputSchema"] for tool in answer["result"]["tools"] if tool["name"] == name]
    return dict(schema)


def error(code: int, message: str, data: dict[str, Any], message_id: object = None) -> dict[str, Any]:
    """Return an error of JSON-RPC."""
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message, "data": data}, "id": message_id}


def invalid_params(text: str) -> Answer:
    """Return the answer to parameters that are not valid."""
    return 400, error(-32602, "Invalid params", {"params": text})
