"""The tools that read and write the comments of work items and merge requests."""

import re
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolError
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.records import (
    OF_MERGE_REQUEST,
    OF_WORK_ITEM,
    get_merge_request_id,
    get_merge_request_place,
    get_work_item_id,
)

_LONGEST_NOTE: Final = 1_048_576
_MOST_NOTES: Final = 100
_QUICK_ACTION: Final = re.compile(r"^\s*/\w+", re.MULTILINE)
_PAGE_INFO: Final = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
_WINDOW: Final = "after: $after, before: $before, first: $first, last: $last"
_VARIABLES_OF_WINDOW: Final = "$after: String, $before: String, $first: Int, $last: Int"
NOTE: Final = """mutation($input: CreateNoteInput!) {
  createNote(input: $input) {
    note {
      id body internal createdAt updatedAt
      author { id name username avatarUrl webUrl }
      discussion { id }
    }
    errors
  }
}"""
NOTES_OF_WORK_ITEM: Final = f"""query($id: WorkItemID!, {_VARIABLES_OF_WINDOW}) {{
  workItem(id: $id) {{
    id
    widgets {{
      ... on WorkItemWidgetNotes {{
        notes({_WINDOW}) {{
          {_PAGE_INFO}
          nodes {{
            id body internal createdAt updatedAt system systemNoteIconName
            author {{ id name username avatarUrl webUrl }}
            discussion {{ id }}
          }}
          count
        }}
      }}
    }}
  }}
}}"""
NOTES_OF_MERGE_REQUEST: Final = f"""query($fullPath: ID!, $iid: String!, {_VARIABLES_OF_WINDOW}) {{
  project(fullPath: $fullPath) {{
    id
    mergeRequest(iid: $iid) {{
      id resolvedDiscussionsCount resolvableDiscussionsCount
      notes({_WINDOW}) {{
        {_PAGE_INFO}
        count
        nodes {{
          id webUrl: url body system internal createdAt updatedAt
          author {{ id username name }}
          position {{ newPath oldPath newLine oldLine }}
          discussion {{ id resolvable resolved resolvedBy {{ id username name }} }}
        }}
      }}
    }}
  }}
}}"""
_NOTE_ARGUMENTS: Final = {
    "body": describe(
        "string", "The comment in Markdown, in which no line begins with a slash", maxLength=_LONGEST_NOTE
    ),
    "internal": describe("boolean", "Whether the comment is internal", default=False),
    "discussion_id": describe("string", "The global id of the thread to reply to"),
}
NOTE_OF_WORK_ITEM_ARGUMENTS: Final = {**OF_WORK_ITEM, **_NOTE_ARGUMENTS}
NOTE_OF_MERGE_REQUEST_ARGUMENTS: Final = {
    **OF_MERGE_REQUEST,
    **{name: _NOTE_ARGUMENTS[name] for name in ("body", "discussion_id")},
}
_WINDOW_ARGUMENTS: Final = {
    "after": describe("string", "The cursor after which notes are listed"),
    "before": describe("string", "The cursor before which notes are listed"),
    "first": describe("integer", "How many notes to list from the start, at most 100", minimum=1, maximum=_MOST_NOTES),
    "last": describe("integer", "How many notes to list from the end, at most 100", minimum=1, maximum=_MOST_NOTES),
}
NOTES_OF_WORK_ITEM_ARGUMENTS: Final = {**OF_WORK_ITEM, **_WINDOW_ARGUMENTS}
NOTES_OF_MERGE_REQUEST_ARGUMENTS: Final = {**OF_MERGE_REQUEST, **_WINDOW_ARGUMENTS}


def _check_no_quick_actions(body: str) -> None:
    if _QUICK_ACTION.search(body):
        raise InvalidArguments("Quick actions (commands starting with /) are not allowed in note body")


def _select_window(arguments: Arguments) -> dict[str, Any]:
    return {name: arguments[name] for name in _WINDOW_ARGUMENTS if arguments.get(name) is not None}


def _build_note_input(noteable_id: str, arguments: Arguments) -> dict[str, Any]:
    others = {"internal": arguments.get("internal"), "discussionId": arguments.get("discussion_id")}
    sent = {name: value for name, value in others.items() if value is not None}
    return {"input": {"noteableId": noteable_id, "body": arguments["body"], **sent}}


@frozen
class CreateWorkItemNoteTool(DocumentTool):
    """A comment on a work item."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables; comments with quick actions are refused."""
        _check_no_quick_actions(arguments["body"])
        return _build_note_input(get_work_item_id(session, arguments), arguments)


@frozen
class CreateMergeRequestNoteTool(DocumentTool):
    """A comment on a merge request."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables; comments with quick actions are refused."""
        _check_no_quick_actions(arguments["body"])
        return _build_note_input(get_merge_request_id(session, arguments), arguments)


@frozen
class ListWorkItemNotesTool(DocumentTool):
    """The comments on a work item, with those of the system."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        return {"id": get_work_item_id(session, arguments), **_select_window(arguments)}

    def select(self, data: Data) -> Any:
        """Return the notes of the widget that has them."""
        return require(next((widget["notes"] for widget in data["widgets"] if widget.get("notes")), None))


@frozen
class ListMergeRequestNotesTool(DocumentTool):
    """The comments on a merge request, with those of the system."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        place = get_merge_request_place(session, arguments)
        return {"fullPath": place.path, "iid": str(place.iid), **_select_window(arguments)}

    def explain_missing(self, _arguments: Arguments) -> str:
        """Return the text for a project that the caller does not see."""
        return "Project not found or inaccessible"

    def select(self, data: Data) -> Any:
        """Return the merge request with its notes."""
        if data.get("mergeRequest") is None:
            raise ToolError("Merge request not found or inaccessible")
        return data["mergeRequest"]
