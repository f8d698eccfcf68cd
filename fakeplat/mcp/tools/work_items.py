"""The tools that link work items, and list their types."""

from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.records import OF_WORK_ITEM, get_container_path, get_work_item_id

LINKS: Final = """mutation($input: WorkItemAddLinkedItemsInput!) {
  workItemAddLinkedItems(input: $input) { workItem { id iid title } message errors }
}"""
_TYPES: Final = {"relates_to": "RELATED", "blocks": "BLOCKS", "blocked_by": "BLOCKED_BY"}
_PREFIX: Final = "gid://gitlab/WorkItem/"
LINK_ARGUMENTS: Final = {
    **OF_WORK_ITEM,
    "work_items_ids": describe(
        "array",
        "The global ids of the work items to link to, at most 10",
        items={"type": "string"},
        minItems=1,
        maxItems=10,
    ),
    "link_type": describe("string", "The kind of the link", enum=list(_TYPES), default="relates_to"),
}


@frozen
class LinkWorkItemsTool(DocumentTool):
    """Links from one work item to others."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables; the others are named by global ids only."""
        source = get_work_item_id(session, arguments)
        for id_ in arguments["work_items_ids"]:
            if not id_.startswith(_PREFIX):
                raise InvalidArguments(
                    f"Invalid work item ID format: '{id_}'. Expected GitLab global ID ({_PREFIX}<id>)"
                )
        kind = _TYPES[arguments.get("link_type") or "relates_to"]
        return {"input": {"id": source, "workItemsIds": arguments["work_items_ids"], "linkType": kind}}


TYPES: Final = """query($fullPath: ID!) {
  namespace(fullPath: $fullPath) {
    id workItemTypes { nodes { id name iconName widgetDefinitions { type } } }
  }
}"""


@frozen
class ListWorkItemTypesTool(DocumentTool):
    """The types that work items of a project or group can have."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        return {"fullPath": get_container_path(session, arguments)}

    def select(self, data: Data) -> Any:
        """Return the types."""
        types = (data.get("workItemTypes") or {}).get("nodes")
        return {"workItemTypes": require(types, "Work item types not found or inaccessible")}
