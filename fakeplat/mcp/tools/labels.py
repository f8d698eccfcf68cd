"""The tool that searches labels."""

from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require

LABELS: Final = """query($fullPath: ID!, $search: String, $isProject: Boolean = false) {
  project(fullPath: $fullPath) @include(if: $isProject) {
    id labels(searchTerm: $search, includeAncestorGroups: true) { nodes { id title } }
  }
  group(fullPath: $fullPath) @skip(if: $isProject) {
    id labels(searchTerm: $search, includeAncestorGroups: true, includeDescendantGroups: true) { nodes { id title } }
  }
}"""
LABEL_ARGUMENTS: Final = {
    "full_path": describe("string", "The full path of the project or group"),
    "is_project": describe("boolean", "Whether the path is that of a project"),
    "search": describe("string", "A part of the title"),
}


@frozen
class SearchLabelsTool(DocumentTool):
    """The labels of a project or group, with those of the groups above it, and below a group."""

    def build_variables(self, _session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        variables = {"isProject": arguments["is_project"], "fullPath": arguments["full_path"]}
        return {**variables, "search": arguments["search"]} if "search" in arguments else variables

    def choose_root(self, arguments: Arguments) -> str:
        """Return the kind of the container."""
        return "project" if arguments["is_project"] else "group"

    def explain_missing(self, arguments: Arguments) -> str:
        """Return the text for a container that the caller does not see."""
        kind = "Project" if arguments["is_project"] else "Group"
        return f"{kind} '{arguments['full_path']}' not found or inaccessible"

    def select(self, data: Data) -> Any:
        """Return the labels."""
        return require((data.get("labels") or {}).get("nodes"))
