"""The tool that tells the version of the server."""

from typing import Any

from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, build_schema
from fakeplat.mcp.results import ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.tool import CheckingTool
from fakeplat.policy.behaviours import MCP_VERSION_IS_STRUCTURED, TOOLS_ARE_ANNOTATED_IN_FULL


@frozen
class ServerVersionTool(CheckingTool):
    """The version, and since 18.4 also the revision."""

    def build_schema(self, profile: Profile) -> dict[str, Any]:
        """Return the schema of no arguments."""
        return build_schema({}, closed=profile.has(TOOLS_ARE_ANNOTATED_IN_FULL))

    def run(self, session: ToolSession, _arguments: Arguments) -> ToolResult:
        """Return the version of the instance."""
        instance = session.ctx.instance
        data = {"version": instance.version, "revision": instance.revision}
        return ToolResult(instance.version, data if session.profile.has(MCP_VERSION_IS_STRUCTURED) else None)
