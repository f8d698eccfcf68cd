"""Who and what a text names: ``@ada``, ``@acme``, ``@all``, ``#1``, ``acme/site#1``. Code names nobody.

Source: docs/platform/notes-discussions.md, docs/platform/todos.md.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from fakeplat.domain.people import members
from fakeplat.domain.people.namespaces import find_by_path, find_project_by_path, project_path
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

_CODE: Final = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_NAME: Final = r"@([A-Za-z0-9_][A-Za-z0-9_.\-]*(?:/[A-Za-z0-9_.\-]+)*)"
_MENTION: Final = re.compile(rf"(?<![\w@./-]){_NAME}")
_ADDRESS: Final = re.compile(rf"^[ \t>*-]*((?:{_NAME}[\s,;:]*(?:and[ \t]+)?)+)", re.MULTILINE)
_ISSUE: Final = re.compile(r"(?<![\w./&#-])([A-Za-z0-9_./-]*)#([0-9]{1,9})(?![\w#])")
_MERGE_REQUEST: Final = re.compile(
    r"\s*(?:(?P<origin>https?://[^\s/]+)/(?P<page>[\w./-]+?)/-/merge_requests/|(?P<path>[\w./-]*)!)(?P<iid>[0-9]{1,9})\s*"
)
_ISSUE_PAGE: Final = re.compile(r"(https?://[^\s/]+)/([\w./-]+?)/-/issues/([0-9]{1,9})(?![\w])")
_MERGE_REQUEST_IN_TEXT: Final = re.compile(r"(?<![\w./&-])([A-Za-z0-9_./-]*)!([0-9]{1,9})(?![\w!])")
_MERGE_REQUEST_PAGE: Final = re.compile(r"(https?://[^\s/]+)/([\w./-]+?)/-/merge_requests/([0-9]{1,9})(?![\w])")
EVERYBODY: Final = "all"


def strip_code(text: str | None) -> str:
    """A text without the code in it."""
    return _CODE.sub(" ", text or "")


def find_mentioned_users(ctx: ReadContext, project: Project, text: str | None) -> dict[int, User]:
    """The active users whom a text names, by id: themselves, by a group that the caller sees, or all of a project."""
    if not text or "@" not in text:
        return {}
    return _named(ctx, project, _MENTION.findall(strip_code(text)))


def find_addressed_users(ctx: ReadContext, project: Project, text: str | None) -> dict[int, User]:
    """Those of them with whose names a line begins."""
    if not text or "@" not in text:
        return {}
    starts = (match[1] for match in _ADDRESS.finditer(strip_code(text)))
    return _named(ctx, project, [name for start in starts for name in _MENTION.findall(start)])


def _named(ctx: ReadContext, project: Project, names: list[str]) -> dict[int, User]:
    ids = (id_ for name in dict.fromkeys(names) for id_ in _ids(ctx, project, name.rstrip(".-")))
    users = (ctx.world.users[id_] for id_ in dict.fromkeys(ids))
    return {user.id: user for user in users if user.state == "active"}


def _ids(ctx: ReadContext, project: Project, name: str) -> Iterator[int]:
    world = ctx.world
    if name.lower() == EVERYBODY:
        yield from (member.user_id for member in members.list_inherited(world, project))
        return
    user = world.users.find("username", name.lower())
    if user is not None:
        yield user.id
        return
    group = find_by_path(world, name) if name else None
    if isinstance(group, Group) and can_see(ctx, group):
        yield from (member.user_id for member in members.list_direct(world, group))


def find_issues(ctx: ReadContext, project: Project, text: str | None) -> dict[int, Issue]:
    """The issues that a text names, by id, as it is read in a project; whether the caller sees them is not asked."""
    if not text or ("#" not in text and "/issues/" not in text):
        return {}
    found = (_issue(ctx, project, *written) for written in _written(ctx, strip_code(text)))
    return {issue.id: issue for issue in found if issue is not None}


def find_issue(ctx: ReadContext, project: Project, text: str) -> Issue | None:
    """The one issue that a text names."""
    return next(iter(find_issues(ctx, project, text).values()), None)


def _written(ctx: ReadContext, text: str) -> Iterator[tuple[str, str]]:
    yield from _ISSUE.findall(text)
    for origin, path, iid in _ISSUE_PAGE.findall(text):
        if origin == ctx.origin:
            yield path, iid


def _issue(ctx: ReadContext, project: Project, path: str, iid: str) -> Issue | None:
    place = find_project(ctx, project, path) if path else project
    found: Any = ctx.world.issues.find("iid", (place.id, int(iid))) if place else None
    return found if isinstance(found, Issue) else None


def find_merge_request(ctx: ReadContext, project: Project, text: str) -> MergeRequest | None:
    """The merge request that a reference (``!1``, ``acme/site!1``, its address) names."""
    match = _MERGE_REQUEST.fullmatch(text)
    if match is None or match["origin"] not in (None, ctx.origin):
        return None
    path = match["page"] or match["path"]
    place = find_project(ctx, project, path) if path else project
    found: Any = ctx.world.merge_requests.find("iid", (place.id, int(match["iid"]))) if place else None
    return found if isinstance(found, MergeRequest) else None


def find_merge_requests(ctx: ReadContext, project: Project, text: str | None) -> dict[int, MergeRequest]:
    """The merge requests that a text names, by id; whether the caller sees them is not asked."""
    said = strip_code(text)
    pages = [(path, iid) for origin, path, iid in _MERGE_REQUEST_PAGE.findall(said) if origin == ctx.origin]
    found = dict[int, MergeRequest]()
    for path, iid in [*_MERGE_REQUEST_IN_TEXT.findall(said), *pages]:
        place = find_project(ctx, project, path) if path else project
        one: Any = ctx.world.merge_requests.find("iid", (place.id, int(iid))) if place else None
        if isinstance(one, MergeRequest):
            found[one.id] = one
    return found


def find_project(ctx: ReadContext, project: Project, path: str) -> Project | None:
    """The project that a path names: in full, or beside the project where it is read."""
    if "/" in path:
        return find_project_by_path(ctx.world, path)
    beside = project_path(ctx.world, project).rpartition("/")[0]
    return find_project_by_path(ctx.world, f"{beside}/{path}")
