"""The tool that reads files of repositories. Source: docs/platform/mcp.md ('Repositories')."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import urls
from fakeplat.domain.repository import commits
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, join_messages
from fakeplat.mcp.tools.records import build_not_found, get_project, parse_url
from fakeplat.mcp.tools.tool import FixedTool
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can

FILES: Final = """query($projectPath: ID!, $ref: String!, $filePaths: [String!]!, $refType: RefType) {
  project(fullPath: $projectPath) {
    id
    repository {
      blobs(ref: $ref, paths: $filePaths, refType: $refType) {
        nodes { id path size rawSize rawTextBlob storedExternally externalStorage }
      }
    }
  }
}"""
_DEFAULT_LINES: Final = 500
_MOST_LINES: Final = 2000
_MOST_BYTES: Final = 1 << 20
_REF_TYPES: Final = ("heads", "tags")
_URL: Final = re.compile(r"/?(?P<project>.+?)/-/(?:blob|raw|blame)/(?P<place>.+)")
_TRAVERSAL: Final = re.compile(r"(^|[/\\])\.\.([/\\]|$)")
_EITHER: Final = "Provide either url, or project_id, file_path, and ref"
FILE_ARGUMENTS: Final = {
    "url": describe("string", "The URL of the file"),
    "project_id": describe("string", "The id or full path of the project, without a URL"),
    "file_path": describe("string", "The path of the file, without a URL"),
    "ref": describe("string", "A branch, a tag, a SHA or HEAD, without a URL"),
    "offset": describe("integer", "How many lines to skip, by default 0", minimum=0),
    "limit": describe(
        "integer", "How many lines to show, by default 500, at most 2000", minimum=1, maximum=_MOST_LINES
    ),
}


class _Place(NamedTuple):
    """Where a file is. ``ref_type`` tells a branch from a tag of the same name."""

    project: Project
    ref: str
    path: str
    ref_type: str | None = None


class _Window(NamedTuple):
    """The lines that are shown, and why they are fewer than asked for."""

    lines: Sequence[str]
    note: str = ""


def is_traversal(path: str) -> bool:
    """Return whether a path leaves its folder."""
    return _TRAVERSAL.search(path) is not None


@frozen
class GetRepositoryFileTool(FixedTool):
    """The text of a file at a ref, in windows of lines."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Read the file."""
        place = _get_place(session, arguments)
        variables = {
            "projectPath": urls.project_path(session.ctx, place.project),
            "ref": place.ref,
            "filePaths": [place.path],
            "refType": place.ref_type.upper() if place.ref_type else None,
        }
        answer = session.query(FILES, variables)
        if "errors" in answer:
            return ToolResult.of_error(join_messages(answer["errors"]))
        nodes = answer["data"]["project"]["repository"]["blobs"]["nodes"]
        failure = _explain_failure(session, place, nodes[0] if nodes else None)
        if failure:
            return ToolResult.of_error(failure)
        shown = _present(place, nodes[0], arguments)
        return ToolResult.of_json(dump_json(shown).decode(), shown)


def _get_place(session: ToolSession, arguments: Arguments) -> _Place:
    if "url" not in arguments and "project_id" not in arguments:
        raise InvalidArguments(_EITHER)
    url = _split_url(arguments["url"]) if "url" in arguments else None
    reference = arguments["project_id"] if url is None else url["project"]
    project = get_project(session, reference)
    if not can(session.ctx, Ability.DOWNLOAD_CODE, project):
        raise build_not_found("project", reference)
    if url is None:
        if "ref" not in arguments or "file_path" not in arguments:
            raise InvalidArguments(_EITHER)
        return _Place(project, arguments["ref"], _clean_path(arguments["file_path"]))
    ref, path = commits.split_place(session.ctx.world, project, unquote(url["place"]).replace("\0", ""))
    if not path:
        raise InvalidArguments(f"Invalid file URL: no file path found after the ref in {arguments['url']}")
    _check_consistency(arguments, url["project"], ref, path)
    return _Place(project, ref, _clean_path(path), _find_ref_type(arguments["url"]))


def _split_url(url: str) -> re.Match[str]:
    match = _URL.fullmatch(parse_url(url).path)
    if match is None:
        raise InvalidArguments("Invalid file URL format. Expected: .../-/blob/<ref>/<file_path>")
    return match


def _find_ref_type(url: str) -> str | None:
    sent = parse_qs(parse_url(url).query).get("ref_type", [""])[-1].lower()
    return sent if sent in _REF_TYPES else None


def _check_consistency(arguments: Arguments, project: str, ref: str, path: str) -> None:
    """Check that the other arguments do not contradict the URL."""
    reference = arguments.get("project_id", "")
    if "/" in reference and reference != project:
        raise InvalidArguments(f"Project mismatch: project_id is '{reference}' but url contains '{project}'")
    sent_path, sent_ref = arguments.get("file_path"), arguments.get("ref")
    if sent_path is not None and _clean_path(sent_path) != _clean_path(path):
        raise InvalidArguments(f"File path mismatch: file_path is '{sent_path}' but url contains '{path}'")
    if sent_ref is not None and sent_ref != ref:
        raise InvalidArguments(f"Ref mismatch: ref is '{sent_ref}' but url contains '{ref}'")


def _clean_path(sent: str) -> str:
    path = sent.strip().removeprefix("/")
    if not path:
        raise InvalidArguments("file_path must not be empty")
    if path.endswith("/"):
        raise InvalidArguments(f"file_path must be a file, not a directory: '{path}'")
    if is_traversal(path):
        raise InvalidArguments(f"file_path must not contain a path traversal sequence: '{path}'")
    return path


def _explain_failure(session: ToolSession, place: _Place, node: Data | None) -> str:
    """Return why there is no text to show; empty if there is one."""
    if node is None:
        if commits.find_commit(session.ctx.world, place.project, place.ref) is None:
            return (
                f"Ref '{place.ref}' not found. Provide an existing branch name, tag name, or commit SHA, "
                "or use HEAD for the default branch."
            )
        return (
            f"File '{place.path}' does not exist at ref '{place.ref}'. The path must be relative to the repository "
            "root. Do not retry the same path; use the search tool with scope 'blobs' to locate the file."
        )
    size = f"Size: {node['rawSize']} bytes."
    if node["storedExternally"]:
        storage = node["externalStorage"]
        return f"File '{place.path}' is stored in LFS ({storage}) and its content cannot be read with this tool. {size}"
    return (
        f"File '{place.path}' is binary and cannot be returned as text. {size}" if node["rawTextBlob"] is None else ""
    )


def _present(place: _Place, node: Data, arguments: Arguments) -> dict[str, Any]:
    # Only a line feed ends a line, unlike in Python.
    lines = [line for line in re.split(r"(?<=\n)", node["rawTextBlob"]) if line]
    offset, limit = int(arguments.get("offset", 0)), int(arguments.get("limit", _DEFAULT_LINES))
    window = _limit_bytes(lines[offset : offset + limit])
    end = offset + len(window.lines)
    shown = {
        "path": place.path,
        "ref": place.ref,
        "metadata": {
            "total_lines": len(lines),
            "returned_lines": {"start": offset + 1, "end": end} if window.lines else None,
            "truncated": len(window.lines) < len(lines) or bool(window.note),
            "size_bytes": int(node["rawSize"]),
        },
        "content": "".join(window.lines),
    }
    notes = [_explain_rest(offset, limit, end, len(lines)), window.note]
    instruction = " ".join(note for note in notes if note)
    return {**shown, "system_instruction": instruction} if instruction else shown


def _limit_bytes(lines: Sequence[str]) -> _Window:
    """Return the lines that fit into an answer, of a line that is too long its beginning."""
    total, count = 0, 0
    for line in lines:
        size = len(line.encode())
        if count and total + size > _MOST_BYTES:
            break
        total, count = total + size, count + 1
    if total > _MOST_BYTES:
        start = lines[0].encode()[:_MOST_BYTES].decode("utf-8", "replace")
        note = (
            f"A line exceeded the {_MOST_BYTES} byte response limit and was cut; "
            "its remainder is not retrievable due to size."
        )
        return _Window([start], note)
    note = f"The window was shortened to stay within the {_MOST_BYTES} byte response limit."
    return _Window(lines[:count], note if count < len(lines) else "")


def _explain_rest(offset: int, limit: int, end: int, total: int) -> str:
    """Return how to go on if there are more lines, or what was wrong if there were none."""
    if end == offset and total:
        return f"Offset {offset} is past the end of the file ({total} lines). Call again with an offset below {total}."
    if end < total:
        return (
            f"File truncated. Remaining lines: {total - end}. To view more, call again with "
            f'{{"offset": {end}, "limit": {limit}}}.'
        )
    return ""
