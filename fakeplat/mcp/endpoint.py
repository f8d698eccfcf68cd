"""The endpoint: it checks the caller, reads the message, and answers it. Source: docs/platform/mcp.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.operations.http_messages import JSON, REVALIDATE, dump_json
from fakeplat.core.release import Profile
from fakeplat.mcp.access import authorize, build_unauthorized
from fakeplat.mcp.messages import InvalidMessageParams, Message, UnknownMethod
from fakeplat.mcp.results import ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.table import find_tool, list_tools
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.pipeline.rendering import ALWAYS, Outcome
from fakeplat.policy.behaviours import (
    MCP_LISTENING,
    MCP_PROTOCOLS,
    TOOL_NAMES_HAVE_PREFIXES,
    TOOLS_CAN_BE_CHOSEN,
    UNKNOWN_TOOL,
)
from fakeplat.policy.credentials import parse_bearer

_FIRST_PROTOCOL: Final = "2025-06-18"
_LONGEST_PREFIX: Final = 32
_NO_CACHE: Final = ("Cache-Control", "no-cache")


def handle_request(exchange: RequestHandler) -> Outcome:
    """Answer a request to the server."""
    authorize(exchange)
    if exchange.request.method in ("GET", "HEAD"):
        status = exchange.world.profile.choose(MCP_LISTENING)
        return Outcome(status, (("Content-Type", JSON), _NO_CACHE, *ALWAYS), b"null", reason="nothing is sent")
    message = Message.of(exchange.request)
    answer = _METHODS.get(message.method)
    if answer is None:
        raise UnknownMethod(message.method, message.id)
    result, reason = answer(exchange, message)
    detail = f"{message.method} {message.params.get('name')}" if message.method == _CALL else message.method
    # Notifications are not answered, whatever they did.
    if message.id is None or result is None:
        return Outcome(204, (_NO_CACHE, *ALWAYS), b"", reason=reason, detail=detail)
    headers = (("Content-Type", JSON), REVALIDATE, *ALWAYS)
    return Outcome(200, headers, dump_json(message.answer(result)), reason=reason, detail=detail)


Answer = tuple[Mapping[str, Any] | None, str]
"""The result of a method, None for a notification, and what the journal tells of a failure."""


def _initialize(exchange: RequestHandler, message: Message) -> Answer:
    _require_bearer(exchange)
    instance = exchange.world.instance
    result = {
        "protocolVersion": _choose_protocol(exchange.world.profile, message.params.get("protocolVersion")),
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": f"Official {instance.product_name} MCP Server", "version": instance.version},
    }
    return result, ""


def _choose_protocol(profile: Profile, wanted: object) -> str:
    supported = profile.choose(MCP_PROTOCOLS)
    if not supported:
        return _FIRST_PROTOCOL
    versions = f"Supported: {', '.join(supported)}"
    if wanted is None:
        raise InvalidMessageParams(f"Missing required parameter 'protocolVersion'. {versions}")
    if wanted not in supported:
        raise InvalidMessageParams(f"Unsupported protocol version '{wanted}'. {versions}")
    return str(wanted)


def _note_initialized(exchange: RequestHandler, _message: Message) -> Answer:
    _require_bearer(exchange)
    return None, ""


def _require_bearer(exchange: RequestHandler) -> None:
    """Refuse a token that is not sent as those of OAuth are, which these methods ask for in particular."""
    if parse_bearer(exchange.request.headers.get("authorization")) is None and "access_token" not in exchange.params:
        raise build_unauthorized(exchange, "the token is not sent as a bearer token")


def _list_tools(exchange: RequestHandler, _message: Message) -> Answer:
    profile, headers = exchange.world.profile, exchange.request.headers
    chosen = headers.get("x-gitlab-enabled-mcp-server-tools", "") if profile.has(TOOLS_CAN_BE_CHOSEN) else ""
    allowed = {name.strip() for name in chosen.split(",")} if chosen.strip() else None
    icon = f"{exchange.request.origin}/assets/gitlab_logo.png"
    tools = [tool.present(profile, icon) for tool in list_tools(profile) if allowed is None or tool.name in allowed]
    prefix = _prefix_of(exchange)
    return {"tools": [{**tool, "name": f"{prefix}{tool['name']}"} for tool in tools]}, ""


def _prefix_of(exchange: RequestHandler) -> str:
    """Return what the names of tools begin with for the client, which may not be all of its wish."""
    if not exchange.world.profile.has(TOOL_NAMES_HAVE_PREFIXES):
        return ""
    wanted = exchange.request.headers.get("x-gitlab-mcp-server-tool-name-prefix", "")
    return wanted[:_LONGEST_PREFIX] if wanted.strip() else ""


def _call_tool(exchange: RequestHandler, message: Message) -> Answer:
    name = _get_tool_name(exchange, message.params.get("name"))
    tool = find_tool(exchange.world.profile, name)
    if tool is None:
        raise InvalidMessageParams(exchange.world.profile.choose(UNKNOWN_TOOL).format(message.params["name"]))
    arguments = message.params.get("arguments")
    if not isinstance(arguments, dict | None):
        raise InvalidMessageParams("arguments is invalid")
    result: ToolResult = tool.call(ToolSession(exchange, message.id, name), arguments or {})
    return result.render(), result.text if result.is_error else ""


def _get_tool_name(exchange: RequestHandler, name: object) -> str:
    """Return the name of the tool that a client calls, without the prefix that it wished for."""
    if name is None:
        raise InvalidMessageParams("name is missing")
    if not isinstance(name, str) or not name.strip():
        raise InvalidMessageParams("name is empty")
    return name.removeprefix(_prefix_of(exchange))


_CALL: Final = "tools/call"
_METHODS: Final = {
    "initialize": _initialize,
    "notifications/initialized": _note_initialized,
    "tools/list": _list_tools,
    _CALL: _call_tool,
}
