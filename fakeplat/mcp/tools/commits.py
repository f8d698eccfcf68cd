"""The tools that read and add commits. Source: docs/platform/mcp.md ('Repositories')."""

import re
from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import repositories
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.files import FILES, is_traversal
from fakeplat.mcp.tools.records import OF_PROJECT, get_project, get_project_path, parse_project_url

_AFTER: Final = "pageInfo { hasNextPage endCursor }"
_PEOPLE: Final = "id username name"
COMMIT: Final = f"""query(
  $fullPath: ID!, $ref: String!, $withStats: Boolean = false, $withPatch: Boolean = false,
  $withNotes: Boolean = false, $notesAfter: String, $notesFirst: Int
) {{
  project(fullPath: $fullPath) {{
    id
    repository {{
      commit(ref: $ref) {{
        id sha shortId title fullTitle message description webUrl
        authorName authorEmail authoredDate committerName committerEmail committedDate
        author {{ {_PEOPLE} }}
        diffStatsSummary @include(if: $withStats) {{ additions deletions changes fileCount }}
        diffStats @include(if: $withStats) {{ path additions deletions }}
        diffs @include(if: $withPatch) {{
          oldPath newPath diff newFile deletedFile renamedFile collapsed tooLarge
        }}
        notes(after: $notesAfter, first: $notesFirst) @include(if: $withNotes) {{
          {_AFTER}
          count
          nodes {{
            id webUrl: url body system internal createdAt updatedAt
            author {{ {_PEOPLE} }}
            position {{ newPath oldPath newLine oldLine }}
          }}
        }}
      }}
    }}
  }}
}}"""
_MOST: Final = 100
_STATS: Final = "stats"
_PATCH: Final = "full_patch"
COMMIT_ARGUMENTS: Final = {
    "url": describe("string", "The URL of the commit"),
    "project_id": describe("string", "The id or full path of the project, without a URL"),
    "commit_sha": describe("string", "A SHA, a part of one, a branch or a tag, without a URL"),
    "include": describe(
        "array",
        "What to show besides, one thing per call",
        items={"type": "string", "enum": ["diff", "notes"]},
        maxItems=1,
    ),
    "diff_detail": describe("string", "How to show the diff, by default stats", enum=[_STATS, _PATCH]),
    "notes_after": describe("string", "The cursor after which notes are listed"),
    "notes_first": describe("integer", "How many notes to list, at most 100", minimum=1, maximum=_MOST),
}
_EITHER: Final = "Provide either url, or project_id and commit_sha"


@frozen
class GetCommitTool(DocumentTool):
    """A commit, and its diff or the comments on it."""

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        path, ref = _get_place(session, arguments)
        facets, detail = arguments.get("include", ()), arguments.get("diff_detail", _STATS)
        return {
            "fullPath": path,
            "ref": ref,
            "withStats": "diff" in facets and detail == _STATS,
            "withPatch": "diff" in facets and detail == _PATCH,
            "withNotes": "notes" in facets,
            "notesAfter": arguments.get("notes_after"),
            "notesFirst": arguments.get("notes_first"),
        }

    def explain_missing(self, _arguments: Arguments) -> str:
        """Return the text for a project that the caller does not see."""
        return "Project not found or inaccessible"

    def select(self, data: Data) -> Any:
        """Return the commit."""
        return require((data.get("repository") or {}).get("commit"), "Commit not found or inaccessible")


def _get_place(session: ToolSession, arguments: Arguments) -> tuple[str, str]:
    """Return the full path of the project of a commit, and how the commit is named."""
    if "url" not in arguments:
        if "project_id" not in arguments or "commit_sha" not in arguments:
            raise InvalidArguments(_EITHER)
        return get_project_path(session, arguments["project_id"]), arguments["commit_sha"]
    if "project_id" in arguments or "commit_sha" in arguments:
        raise InvalidArguments(f"{_EITHER}, not both")
    match = re.search(
        rf"{re.escape(session.ctx.origin)}/(?P<path>[\w.-]+(?:/[\w.-]+)+?)(?:/-)?/commit/(?P<sha>[0-9a-f]{{7,40}})",
        arguments["url"],
    )
    if match is None:
        raise InvalidArguments(f"Invalid commit URL: {arguments['url']}")
    return match["path"], match["sha"]


NEW_COMMIT: Final = """mutation($input: CommitCreateInput!) {
  commitCreate(input: $input) { commit { id sha shortId webUrl } errors }
}"""
_ACTION: Final = {
    "type": "object",
    "properties": {
        "action": describe("string", "What to do", enum=["create", "update", "delete", "move", "chmod"]),
        "file_path": describe("string", "The path of the file"),
        "content": describe("string", "The whole content"),
        "old_str": describe("string", "The text to replace, of an update"),
        "new_str": describe("string", "The text to put in its place"),
        "previous_path": describe("string", "The path before a move"),
        "encoding": describe("string", "The encoding of the content, by default text", enum=["text", "base64"]),
        "last_commit_id": describe("string", "The last known commit of the file"),
        "execute_filemode": describe("boolean", "Whether the file can be executed"),
    },
    "required": ["action", "file_path"],
    "additionalProperties": False,
}
NEW_COMMIT_ARGUMENTS: Final = {
    **OF_PROJECT,
    "branch": describe("string", "The branch to commit to"),
    "start_branch": describe("string", "The branch to begin with, if the branch is new"),
    "commit_message": describe("string", "The message"),
    "actions": describe("array", "What to do with files", items=_ACTION, minItems=1, maxItems=100),
}
_NAMES: Final = {
    "file_path": "filePath",
    "content": "content",
    "previous_path": "previousPath",
    "last_commit_id": "lastCommitId",
    "execute_filemode": "executeFilemode",
}
"""The fields of actions, by those of the tool; the others are enumerations."""
_PARTIAL: Final = ("old_str", "new_str")


class _EditRefused(Exception):
    """A replacement of text cannot be made."""


@frozen
class AddCommitTool(DocumentTool):
    """A commit of several changes of files. An update can replace one part of the text."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Make the commit."""
        if ("project_id" in arguments) == ("url" in arguments):
            return ToolResult.of_error("Provide exactly one of project_id or url")
        try:
            actions = _expand_edits(session, arguments)
        except _EditRefused as refusal:
            return ToolResult.of_error(str(refusal))
        return super().run(session, {**arguments, "actions": actions})

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        sent = {
            "projectPath": get_project_path(session, _get_reference(arguments)),
            "branch": arguments["branch"],
            "message": arguments["commit_message"],
            "actions": [_build_action(action) for action in arguments["actions"]],
        }
        start = arguments.get("start_branch")
        return {"input": sent if start is None else {**sent, "startBranch": start}}


def _get_reference(arguments: Arguments) -> str:
    """Return the id or path of the project."""
    return str(arguments["project_id"]) if "project_id" in arguments else parse_project_url(arguments["url"])


def _build_action(action: Arguments) -> dict[str, Any]:
    sent = {theirs: action[ours] for ours, theirs in _NAMES.items() if ours in action}
    encoding = {"encoding": action["encoding"].upper()} if "encoding" in action else {}
    return {"action": action["action"].upper(), **sent, **encoding}


def _expand_edits(session: ToolSession, arguments: Arguments) -> Sequence[Arguments]:
    """Return the actions with the whole text in place of the part that is replaced."""
    actions: list[Arguments] = arguments["actions"]
    edits = [action for action in actions if any(name in action for name in _PARTIAL)]
    if not edits:
        return actions
    for action in edits:
        _check_edit(action)
    contents = _read_files(session, arguments, list(dict.fromkeys(action["file_path"] for action in edits)))
    return [_expand_edit(action, contents) if action in edits else action for action in actions]


def _check_edit(action: Arguments) -> None:
    if action["action"] != "update":
        raise _EditRefused("Partial edits are only supported for update actions")
    if not all(name in action for name in _PARTIAL):
        raise _EditRefused("Provide both old_str and new_str for a partial edit")
    if not action["old_str"]:
        raise _EditRefused("old_str cannot be empty")
    if "content" in action:
        raise _EditRefused("Provide either content or old_str and new_str, not both")
    if action.get("encoding", "text") != "text":
        raise _EditRefused("Partial edits require text encoding")


def _read_files(session: ToolSession, arguments: Arguments, paths: Sequence[str]) -> dict[str, str | None]:
    """Return the texts of files where the commit begins, None for binary ones."""
    outside = [path.removeprefix("/") for path in paths if is_traversal(path.removeprefix("/"))]
    if outside:
        raise _build_unread(f"Path(s) {', '.join(outside)} must not contain a path traversal sequence.")
    reference = _get_reference(arguments)
    project, branch, start = get_project(session, reference), arguments["branch"], arguments.get("start_branch")
    is_new = start is not None and branch not in repositories.open_repository(session.ctx.world, project).branches()
    variables = {"projectPath": get_project_path(session, reference), "filePaths": paths}
    answer = session.query(FILES, {**variables, "ref": start if is_new else branch})
    if "errors" in answer:
        raise _build_unread(", ".join(error["message"] for error in answer["errors"]))
    repository = ((answer.get("data") or {}).get("project") or {}).get("repository") or {}
    return {node["path"]: node["rawTextBlob"] for node in (repository.get("blobs") or {}).get("nodes", ())}


def _build_unread(error: str) -> _EditRefused:
    return _EditRefused(
        f"Could not read the file(s) needed to expand the partial edit; check the project and ref. Error: {error}"
    )


def _expand_edit(action: Arguments, contents: dict[str, str | None]) -> Arguments:
    """Return an edit with the whole text, which becomes the one that later edits of the file change."""
    path, old = action["file_path"], action["old_str"]
    if path not in contents:
        raise _EditRefused(f"File '{path}' was not found")
    content = contents[path]
    if content is None:
        raise _EditRefused(f"File '{path}' is binary and cannot be partially edited")
    if old not in content:
        raise _EditRefused(f"old_str was not found in '{path}'")
    if content.count(old) > 1:
        raise _EditRefused(f"old_str is ambiguous in '{path}'; provide more surrounding context")
    contents[path] = content = content.replace(old, action["new_str"])
    return {**{name: value for name, value in action.items() if name not in _PARTIAL}, "content": content}
