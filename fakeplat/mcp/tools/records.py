"""How tools name projects, groups, work items and merge requests: by ids and paths, or by a URL.

Source: docs/platform/mcp.md ('Arguments').
"""

import re
from typing import Final, Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit

from fakeplat.domain import urls
from fakeplat.domain.people import namespaces
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import InvalidArguments, ToolError
from fakeplat.mcp.session import ToolSession
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import HIDDEN_PARENTS_ARE_NOT_FOUND

Kind = Literal["project", "group"]
_WORK_ITEM_PATH: Final = re.compile(r"/?(?:groups/)?(?P<path>\S*)/-/work_items/(?P<iid>\d+)")
_MERGE_REQUEST_URL: Final = re.compile(r"(?P<path>[^\s?#]+/[^\s?#]+?)/-/merge_requests/(?P<iid>\d+)(?=\D|\Z)")
_WORK_ITEM_QUERY: Final = (
    "query($path: ID!, $iid: String!) { namespace(fullPath: $path) { workItem(iid: $iid) { id } } }"
)
_MERGE_REQUEST_QUERY: Final = (
    "query($path: ID!, $iid: String!) { project(fullPath: $path) { mergeRequest(iid: $iid) { id } } }"
)
_NO_CONTAINER: Final = "Must provide either project_id or group_id"
_NO_MERGE_REQUEST: Final = "Merge request not found: it does not exist or you do not have access to it."
OF_WORK_ITEM: Final = {
    "url": describe("string", "The URL of the work item"),
    "group_id": describe("string", "The id or full path of the group, without a URL and a project"),
    "project_id": describe("string", "The id or full path of the project, without a URL and a group"),
    "work_item_iid": describe("integer", "The number of the work item, without a URL"),
}
OF_CONTAINER: Final = {
    "url": describe("string", "The URL of the project or group"),
    "group_id": describe("string", "The id or full path of the group, without a URL and a project"),
    "project_id": describe("string", "The id or full path of the project, without a URL and a group"),
}
OF_PROJECT: Final = {
    "url": describe("string", "The URL of the project"),
    "project_id": describe("string", "The id or full path of the project, without a URL"),
}
OF_MERGE_REQUEST: Final = {
    "url": describe("string", "The URL of the merge request"),
    "project_id": describe("string", "The id or full path of the project, without a URL"),
    "merge_request_iid": describe("integer", "The number of the merge request, without a URL"),
}


class MergeRequestPlace(NamedTuple):
    """The full path of a project, and the number of a merge request in it."""

    path: str
    iid: int


def get_project_path(session: ToolSession, reference: str) -> str:
    """Return the full path of a project with an id or path that the caller sees, or fail."""
    return _get_path(session, "project", reference)


def get_project_path_of_either(session: ToolSession, arguments: Arguments) -> str:
    """Return the full path of the project that either a URL or an id names, or fail."""
    if ("url" in arguments) == ("project_id" in arguments):
        raise InvalidArguments("Provide exactly one of: url or project_id")
    return get_project_path(
        session, parse_project_url(arguments["url"]) if "url" in arguments else arguments["project_id"]
    )


def parse_project_url(url: str) -> str:
    """Return the full path of the project that a URL is of."""
    path = _parse_url_path(url).partition("/-/")[0]
    if path.startswith("groups/"):
        raise InvalidArguments(f"Invalid project URL: {url}")
    return path


def find_project(session: ToolSession, reference: str) -> Project | None:
    """Return a project with an id or path that the caller sees, or None."""
    project = namespaces.find_project(session.ctx.world, reference)
    return project if project is not None and can_see(session.ctx, project) else None


def get_project(session: ToolSession, reference: str) -> Project:
    """Return a project with an id or path that the caller sees, or fail."""
    project = find_project(session, reference)
    if project is None:
        raise build_not_found("project", reference)
    return project


def build_not_found(kind: Kind, reference: str) -> ToolError:
    """Return the failure for a project or group that does not exist, or that the caller does not see."""
    return ToolError(f"{kind.capitalize()} '{reference}' not found or inaccessible")


def _get_path(session: ToolSession, kind: Kind, reference: str) -> str:
    ctx = session.ctx
    find = namespaces.find_project if kind == "project" else namespaces.find_group
    container: Project | Group | None = find(ctx.world, reference)
    if container is None or not can_see(ctx, container):
        if container is None or session.profile.has(HIDDEN_PARENTS_ARE_NOT_FOUND):
            raise build_not_found(kind, reference)
        raise InvalidArguments(f"Access denied to {kind}: '{reference}'")
    if isinstance(container, Group):
        return namespaces.full_path(ctx.world, container)
    return urls.project_path(ctx, container)


def get_group_path(session: ToolSession, reference: str) -> str:
    """Return the full path of a group with an id or path that the caller sees, or fail."""
    return _get_path(session, "group", reference)


def get_container_path(session: ToolSession, arguments: Arguments) -> str:
    """Return the full path of the project or group that a URL or an id names, or fail."""
    if "url" in arguments:
        path = _parse_url_path(arguments["url"]).partition("/-/")[0]
        is_group = path.startswith("groups/")
        return _get_path(session, "group" if is_group else "project", path.removeprefix("groups/"))
    return _get_path(session, *_get_reference(arguments))


def _get_reference(arguments: Arguments) -> tuple[Kind, str]:
    """Return the kind of a container, and its id or path, or fail."""
    kind: Kind = "project" if "project_id" in arguments else "group"
    if f"{kind}_id" not in arguments:
        raise InvalidArguments(_NO_CONTAINER)
    return kind, arguments[f"{kind}_id"]


def get_work_item_id(session: ToolSession, arguments: Arguments) -> str:
    """Return the global id of the work item that the arguments name, or fail."""
    if "url" in arguments:
        kind, reference, iid = _parse_work_item_url(arguments["url"])
    else:
        if "work_item_iid" not in arguments:
            raise InvalidArguments("Must provide work_item_iid")
        (kind, reference), iid = _get_reference(arguments), int(arguments["work_item_iid"])
    path = _get_path(session, kind, reference)
    data = session.query(_WORK_ITEM_QUERY, {"path": path, "iid": str(iid)}).get("data") or {}
    work_item = (data.get("namespace") or {}).get("workItem")
    if work_item is None:
        inaccessible = " or inaccessible" if session.profile.has(HIDDEN_PARENTS_ARE_NOT_FOUND) else ""
        raise InvalidArguments(f"Work item #{iid} not found{inaccessible}")
    return str(work_item["id"])


def _parse_work_item_url(url: str) -> tuple[Kind, str, int]:
    path = _parse_url_path(url)
    match = _WORK_ITEM_PATH.fullmatch(path)
    if match is None:
        raise InvalidArguments("Invalid work item URL format. Expected: .../-/work_items/<iid>")
    return "group" if path.startswith("groups/") else "project", match["path"], int(match["iid"])


def _parse_url_path(url: str) -> str:
    return parse_url(url).path.removeprefix("/")


def parse_url(url: str) -> SplitResult:
    """Return the parts of a URL, or fail."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InvalidArguments(f"Invalid URL format: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise InvalidArguments(f"Invalid URL format: {url}")
    return parts


def get_merge_request_place(session: ToolSession, arguments: Arguments) -> MergeRequestPlace:
    """Return where the merge request is that the arguments name; whether there is one is not looked up."""
    if "url" in arguments:
        match = _MERGE_REQUEST_URL.search(arguments["url"].removeprefix(f"{session.ctx.origin}/"))
        if match is None or "://" in match["path"]:
            raise InvalidArguments(f"Invalid merge request URL: {arguments['url']}")
        return MergeRequestPlace(match["path"], int(match["iid"]))
    if "merge_request_iid" not in arguments or "project_id" not in arguments:
        raise InvalidArguments("Provide either url, or project_id and merge_request_iid")
    return MergeRequestPlace(get_project_path(session, arguments["project_id"]), int(arguments["merge_request_iid"]))


def get_merge_request_id(session: ToolSession, arguments: Arguments) -> str:
    """Return the global id of the merge request that the arguments name, or fail."""
    place = get_merge_request_place(session, arguments)
    path = get_project_path(session, place.path) if "url" in arguments else place.path
    data = session.query(_MERGE_REQUEST_QUERY, {"path": path, "iid": str(place.iid)}).get("data") or {}
    merge_request = (data.get("project") or {}).get("mergeRequest")
    if merge_request is None:
        raise InvalidArguments(_NO_MERGE_REQUEST)
    return str(merge_request["id"])
