"""The tools that read, list and save merge requests from 19.3 on. Source: docs/platform/mcp.md ('Merge requests')."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import users
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.records import (
    OF_MERGE_REQUEST,
    OF_PROJECT,
    get_merge_request_place,
    get_project_path_of_either,
)
from fakeplat.mcp.tools.routes import RouteTool
from fakeplat.mcp.tools.tool import ADDS, FixedTool

_FACETS: Final = ("diffs", "commits", "notes", "pipelines", "discussions")
_MOST: Final = 100
_PAGE: Final = 20
_PEOPLE: Final = "id username name"
_AFTER: Final = "pageInfo { hasNextPage endCursor }"
ONE: Final = f"""query(
  $fullPath: ID!, $iid: String!, $notesAfter: String, $notesFirst: Int, $diffs: Boolean = false,
  $commits: Boolean = false, $notes: Boolean = false, $pipelines: Boolean = false, $discussions: Boolean = false
) {{
  project(fullPath: $fullPath) {{
    id
    mergeRequest(iid: $iid) {{
      id iid title description state draft webUrl sourceBranch targetBranch createdAt updatedAt mergedAt conflicts
      author {{ {_PEOPLE} }}
      diffStatsSummary @include(if: $diffs) {{ additions deletions changes fileCount }}
      diffStats @include(if: $diffs) {{ path additions deletions }}
      commits(first: 100) @include(if: $commits) {{
        {_AFTER} nodes {{ id sha shortId title authoredDate authorName webUrl }}
      }}
      pipelines(first: 100) @include(if: $pipelines) {{
        {_AFTER} nodes {{ id iid sha ref status source path createdAt updatedAt }}
      }}
      discussions(first: 50) @include(if: $discussions) {{
        {_AFTER}
        nodes {{
          id resolvable resolved
          notes {{ nodes {{ id body system internal createdAt author {{ {_PEOPLE} }} }} }}
        }}
      }}
      resolvedDiscussionsCount @include(if: $notes)
      resolvableDiscussionsCount @include(if: $notes)
      notes(after: $notesAfter, first: $notesFirst) @include(if: $notes) {{
        pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }}
        count
        nodes {{
          id webUrl: url body system internal createdAt updatedAt
          author {{ {_PEOPLE} }}
          position {{ newPath oldPath newLine oldLine }}
          discussion {{ id resolvable resolved resolvedBy {{ {_PEOPLE} }} }}
        }}
      }}
    }}
  }}
}}"""
ONE_ARGUMENTS: Final = {
    **OF_MERGE_REQUEST,
    "include": describe(
        "array", "What to show besides, one thing per call", items={"type": "string", "enum": list(_FACETS)}, maxItems=1
    ),
    "notes_after": describe("string", "The cursor after which notes are listed"),
    "notes_first": describe("integer", "How many notes to list, at most 100", minimum=1, maximum=_MOST),
}
LIST: Final = f"""query(
  $fullPath: ID!, $authorUsername: String, $assigneeUsername: String, $reviewerUsername: String,
  $state: MergeRequestState, $milestoneTitle: String, $labelName: [String!], $search: String, $first: Int,
  $after: String
) {{
  project(fullPath: $fullPath) {{
    id
    mergeRequests(
      authorUsername: $authorUsername, assigneeUsername: $assigneeUsername, reviewerUsername: $reviewerUsername,
      state: $state, milestoneTitle: $milestoneTitle, labelName: $labelName, search: $search, first: $first,
      after: $after
    ) {{
      {_AFTER} nodes {{ id iid title state webUrl sourceBranch targetBranch author {{ id username }} }}
    }}
  }}
}}"""
_SCOPES: Final = {"created_by_me": "author", "assigned_to_me": "assignee", "review_requested": "reviewer"}
_STATES: Final = ("opened", "closed", "merged", "locked", "all")
LIST_ARGUMENTS: Final = {
    **OF_PROJECT,
    "author_username": describe("string", "The username of the author"),
    "assignee_username": describe("string", "The username of an assignee"),
    "reviewer_username": describe("string", "The username of a reviewer"),
    "state": describe("string", "The state, by default any", enum=list(_STATES)),
    "scope": describe("string", "Only those of the caller, in one of these roles", enum=list(_SCOPES)),
    "milestone": describe("string", "The title of the milestone"),
    "labels": describe("string", "The names of labels, separated by commas; all of them are wanted"),
    "search": describe("string", "A part of the title or the description"),
    "after": describe("string", "The cursor after which merge requests are listed"),
    "first": describe("integer", "How many to list, by default 20, at most 100", minimum=1, maximum=_MOST),
}


@frozen
class GetMergeRequestTool(DocumentTool):
    """A merge request, and one thing of it besides."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        place = get_merge_request_place(session, arguments)
        pages = {"notesAfter": arguments.get("notes_after"), "notesFirst": arguments.get("notes_first")}
        facets = {name: name in arguments.get("include", ()) for name in _FACETS}
        return {"fullPath": place.path, "iid": str(place.iid), **facets, **pages}

    def explain_missing(self, _arguments: Arguments) -> str:
        """Return the text for a project that the caller does not see."""
        return "Project not found or inaccessible"

    def select(self, data: Data) -> Any:
        """Return the merge request."""
        return require(data.get("mergeRequest"), "Merge request not found or inaccessible")


@frozen
class ListMergeRequestsTool(DocumentTool):
    """The merge requests of a project."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables. A username counts more than the caller whom ``scope`` stands for."""
        user = session.ctx.signed_in_user
        people = {
            f"{role}Username": arguments.get(f"{role}_username", user.username if mine else None)
            for role in _SCOPES.values()
            for mine in [_SCOPES.get(arguments.get("scope", "")) == role]
        }
        labels = [name.strip() for name in arguments.get("labels", "").split(",") if name.strip()]
        variables = {
            "fullPath": get_project_path_of_either(session, arguments),
            **people,
            "state": arguments.get("state"),
            "milestoneTitle": arguments.get("milestone"),
            "labelName": labels or None,
            "search": arguments.get("search"),
            "first": arguments.get("first", _PAGE),
            "after": arguments.get("after"),
        }
        return {name: value for name, value in variables.items() if value is not None}

    def select(self, data: Data) -> Any:
        """Return the page."""
        return require(data.get("mergeRequests"))


_NEW: Final = (
    *("id", "title", "source_branch", "target_branch", "target_project_id", "description", "labels", "assignee_ids"),
    *("reviewer_ids", "milestone_id", "milestone", "remove_source_branch", "squash"),
)
_ONLY_CHANGES: Final = ("add_labels", "remove_labels", "state_event", "discussion_locked", "allow_collaboration")
_CHANGES: Final = (
    *("id", "merge_request_iid", "title", "target_branch", "description", "labels", "assignee_ids", "reviewer_ids"),
    *("milestone_id", "milestone", "remove_source_branch", "squash", *_ONLY_CHANGES),
)
_NEEDED: Final = ("title", "source_branch", "target_branch")
_OPERATIONS: Final = {
    "create": RouteTool("create_merge_request", "create_merge_request", _NEW, lifetime=Lifetime(), hints=ADDS),
    "update": RouteTool("update_merge_request", "update_merge_request", _CHANGES, lifetime=Lifetime(), hints=ADDS),
}
_TEXTS: Final = {"type": "string"}
_NUMBERS: Final = {"type": "integer"}
SAVE_ARGUMENTS: Final = {
    "project_id": describe("string", "The id or full path of the project"),
    "merge_request_iid": describe("integer", "The number of the merge request to change; a new one has none"),
    "title": describe("string", "The title, which a new merge request needs"),
    "description": describe("string", "The description, in Markdown"),
    "source_branch": describe("string", "The branch to merge, which a new merge request needs"),
    "target_branch": describe("string", "The branch to merge into, which a new merge request needs"),
    "target_project_id": describe("integer", "The id of the project to merge into, of a new merge request"),
    "labels": describe("array", "The names of all labels", items=_TEXTS),
    "add_labels": describe("array", "The names of labels to add, of a change", items=_TEXTS),
    "remove_labels": describe("array", "The names of labels to remove, of a change", items=_TEXTS),
    "assignees": describe("array", "The usernames of all assignees", items=_TEXTS),
    "assignee_ids": describe("array", "The ids of all assignees", items=_NUMBERS),
    "reviewers": describe("array", "The usernames of all reviewers", items=_TEXTS),
    "reviewer_ids": describe("array", "The ids of all reviewers", items=_NUMBERS),
    "milestone_id": describe("integer", "The id of the milestone"),
    "milestone": describe("string", "The title of the milestone, without an id"),
    "remove_source_branch": describe("boolean", "Whether the source branch is removed after the merge"),
    "squash": describe("boolean", "Whether the commits are squashed"),
    "state_event": describe("string", "What to do with the state, of a change", enum=["close", "reopen"]),
    "discussion_locked": describe("boolean", "Whether only members may comment, of a change"),
    "allow_collaboration": describe("boolean", "Whether who may merge may push, of a change"),
}
_UNDECIDED: Final = (
    "Cannot determine operation. Provide merge_request_iid to update an existing merge request, "
    "or title, source_branch, target_branch to create a new one."
)


@frozen
class SaveMergeRequestTool(FixedTool):
    """A new merge request, or changes of one whose number is given."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Create or change the merge request, and say in the result which of both."""
        given = {("id" if name == "project_id" else name): value for name, value in arguments.items()}
        for names, ids in (("assignees", "assignee_ids"), ("reviewers", "reviewer_ids")):
            if names in given:
                if ids in given:
                    raise InvalidArguments(f"Provide {names} or {ids}, not both.")
                given[ids] = _find_user_ids(session, given[names])
        operation = _choose_operation(session.called_as, given)
        tool = _OPERATIONS[operation]
        known = {*tool.list_names(session.profile), "assignees", "reviewers", "project_id"}
        ignored = [name for name in arguments if name not in known]
        result = tool.call(session, {name: value for name, value in given.items() if name in known})
        if result.is_error:
            return result
        hint = f" Ignored params not valid for {operation}: {', '.join(ignored)}." if ignored else ""
        text = f"Merge request {operation}d successfully via {self.name}.{hint} {result.text}"
        meta = {"operation": operation, "tool": tool.name, "aggregator": self.name}
        return ToolResult(text, {**(result.data or {}), "_meta": meta})


def _find_user_ids(session: ToolSession, usernames: Sequence[str]) -> list[int]:
    people = [users.find_by_username(session.ctx.world, username) for username in usernames]
    if None in people:
        raise InvalidArguments("One or more usernames could not be resolved.")
    return [user.id for user in people if user is not None]


def _choose_operation(called_as: str, given: Arguments) -> str:
    if "merge_request_iid" in given:
        if called_as == "create_merge_request":
            raise InvalidArguments(
                "create_merge_request does not accept merge_request_iid. Remove it to create a new merge request, "
                "or use save_merge_request to update an existing one."
            )
        return "update"
    if called_as == "update_merge_request":
        raise InvalidArguments(
            "update_merge_request requires merge_request_iid. Provide it to update an existing merge request, "
            "or use save_merge_request to create one."
        )
    only_changes = [name for name in _ONLY_CHANGES if name in given]
    if only_changes:
        raise InvalidArguments(
            f"These fields only apply when updating: {', '.join(only_changes)}. "
            "Provide merge_request_iid to update, or remove them to create a merge request."
        )
    if not all(str(given.get(name) or "").strip() for name in _NEEDED):
        raise InvalidArguments(_UNDECIDED)
    return "create"
