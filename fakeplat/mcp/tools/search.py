"""The tool that searches everywhere, in a group or in a project. Source: docs/platform/mcp.md ('Search')."""

from typing import Any, Final

from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, build_schema, describe
from fakeplat.mcp.results import ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.routes import RouteTool
from fakeplat.mcp.tools.tool import READS, CheckingTool

_TOOL: Final = {"lifetime": Lifetime(), "hints": READS}
_EVERYWHERE: Final = RouteTool(
    "search_in_instance",
    "search_instance",
    ("scope", "search", "state", "confidential", "fields", "order_by", "sort", "per_page", "page"),
    lifetime=Lifetime(),
    hints=READS,
)
_NAMES: Final = (*("id", "scope", "search", "state", "confidential", "fields", "order_by", "sort", "per_page", "page"),)
_IN_GROUP: Final = RouteTool("search_in_group", "search_group", _NAMES, lifetime=Lifetime(), hints=READS)
_IN_PROJECT: Final = RouteTool("search_in_project", "search_project", _NAMES, lifetime=Lifetime(), hints=READS)
_PROPERTIES: Final = {
    "scope": describe("string", "What to search for, such as issues, merge_requests, projects or blobs"),
    "search": describe("string", "The text to search for"),
    "group_id": describe("string", "The id or full path of a group to search in"),
    "project_id": describe("string", "The id or full path of a project to search in"),
    "state": describe("string", "The state of issues or merge requests"),
    "confidential": describe("boolean", "Whether issues are confidential"),
    "fields": describe("array", "The fields of issues or merge requests to search in: title", items={"type": "string"}),
    "order_by": describe("string", "What to order by: created_at"),
    "sort": describe("string", "The direction of the order: asc or desc"),
    "per_page": describe("integer", "The number of items on a page, by default 20", minimum=1),
    "page": describe("integer", "The number of the page, by default 1", minimum=1),
}


@frozen
class SearchTool(CheckingTool):
    """A search on the level that the arguments name: of a project, of a group, or of the instance."""

    def build_schema(self, _profile: Profile) -> dict[str, Any]:
        """Return the schema."""
        return build_schema(_PROPERTIES, ("scope", "search"))

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Search."""
        if "project_id" in arguments:
            return _IN_PROJECT.call(session, {**arguments, "id": arguments["project_id"]})
        if "group_id" in arguments:
            return _IN_GROUP.call(session, {**arguments, "id": arguments["group_id"]})
        return _EVERYWHERE.call(session, arguments)
