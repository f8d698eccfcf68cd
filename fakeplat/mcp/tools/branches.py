"""The tool that adds branches."""

from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import DocumentTool
from fakeplat.mcp.tools.records import OF_PROJECT, get_project_path, parse_project_url

BRANCH: Final = """mutation($input: CreateBranchInput!) {
  createBranch(input: $input) { branch { name commit { id sha } } errors }
}"""
BRANCH_ARGUMENTS: Final = {
    **OF_PROJECT,
    "branch": describe("string", "The name of the new branch"),
    "ref": describe("string", "The branch or commit to begin with"),
}


@frozen
class AddBranchTool(DocumentTool):
    """A new branch."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        if "url" not in arguments and "project_id" not in arguments:
            raise InvalidArguments("Provide either url or project_id")
        reference = parse_project_url(arguments["url"]) if "url" in arguments else arguments["project_id"]
        path = get_project_path(session, reference)
        return {"input": {"projectPath": path, "name": arguments["branch"], "ref": arguments["ref"]}}
