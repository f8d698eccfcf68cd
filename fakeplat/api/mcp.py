"""The operations of the platform's own MCP server, which the endpoint executes. Source: docs/platform/mcp.md."""

from typing import Annotated, Final

from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.policy.context import ReadContext

area: Final = Area("MCP server", login=Login.ALWAYS, scopes=("mcp",), write_scopes=("mcp",), endpoint="mcp")
_SINCE: Final = "18.3"


class CallMcp(Params):
    """A message of JSON-RPC 2.0: a request, or a notification if it has no id."""

    jsonrpc: Annotated[str, NotBlank]
    method: Annotated[str, NotBlank]
    id: object = None
    params: object = None


@area.operation("POST", "mcp", params=CallMcp, status=200, also=(204,), refusals=(400, 401, 403, 404), since=_SINCE)
def create_mcp(ctx: ReadContext, p: CallMcp) -> RawBody:
    """Send a message to the server of the Model Context Protocol."""
    raise NotImplementedError("the 'mcp' endpoint executes this operation")


@area.operation("GET", "mcp", refusals=(401, 403, 404, 405, 501), since=_SINCE)
def get_mcp(ctx: ReadContext) -> RawBody:
    """Get the messages of the server of the Model Context Protocol, which sends none of its own."""
    raise NotImplementedError("the 'mcp' endpoint executes this operation")
