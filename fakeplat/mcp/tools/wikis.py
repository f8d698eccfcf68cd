"""The tool that lists the pages of wikis."""

from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.records import get_group_path, get_project_path
from fakeplat.policy.features import has_feature

_PAGES: Final = (
    "id wikiPages(first: $first, after: $after) { nodes { id title slug webUrl } pageInfo { endCursor hasNextPage } }"
)
PAGES: Final = f"""query($fullPath: ID!, $first: Int, $after: String, $isProject: Boolean = false) {{
  project(fullPath: $fullPath) @include(if: $isProject) {{ {_PAGES} }}
  group(fullPath: $fullPath) @skip(if: $isProject) {{ {_PAGES} }}
}}"""
_PAGE: Final = 20
_MOST: Final = 100
_SHOWN: Final = ("title", "slug", "webUrl")
_UNAVAILABLE: Final = (
    "This wiki isn't available. It may be disabled, not available on the current plan, or you don't have permission to "
    "view it. If you expected access, check the wiki's settings or contact an administrator."
)
WIKI_ARGUMENTS: Final = {
    "project_id": describe("string", "The id or full path of the project, without a group"),
    "group_id": describe("string", "The id or full path of the group, without a project"),
    "first": describe("integer", "How many pages to list, by default 20, at most 100", minimum=1, maximum=_MOST),
    "after": describe("string", "The cursor after which pages are listed"),
}


@frozen
class ListWikiPagesTool(DocumentTool):
    """The pages of the wiki of a project or, where these are licensed, of a group."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the document, unless groups have no wikis."""
        is_group = self.choose_root(arguments) == "group"
        if is_group and not has_feature(session.ctx.world, "premium"):
            return ToolResult.of_error(_UNAVAILABLE)
        return super().run(session, arguments)

    def choose_root(self, arguments: Arguments) -> str:
        """Return the kind of the container."""
        if ("project_id" in arguments) == ("group_id" in arguments):
            raise InvalidArguments("Provide exactly one of project_id or group_id.")
        return "project" if "project_id" in arguments else "group"

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        is_project = "project_id" in arguments
        get_path = get_project_path if is_project else get_group_path
        path = get_path(session, arguments["project_id" if is_project else "group_id"])
        page = {"first": arguments.get("first", _PAGE), "after": arguments.get("after")}
        return {"fullPath": path, "isProject": is_project, **page}

    def explain_missing(self, arguments: Arguments) -> str:
        """Return the text for a container that the caller does not see."""
        return f"{self.choose_root(arguments).capitalize()} not found, or you do not have access to it."

    def select(self, data: Data) -> Any:
        """Return the pages, and the cursor if there are more."""
        listed = require(data["wikiPages"], _UNAVAILABLE)
        items = [{name: page[name] for name in _SHOWN} for page in listed["nodes"]]
        after = listed["pageInfo"]
        return {"items": items, "metadata": {"end_cursor": after["endCursor"] if after["hasNextPage"] else None}}
