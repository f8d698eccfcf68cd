"""Mentions and references in texts, except in code: ``@ada``, ``@acme``, ``@all``, ``#1``, ``acme/site#1``.

Source: docs/platform/notes-discussions.md, docs/platform/todos.md.
"""

import re
from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Any, Final

from fakeplat.domain.markup import commonmark
from fakeplat.domain.people import members
from fakeplat.domain.people.namespaces import find_by_path, find_project_by_path, full_path, project_path
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

# Fenced blocks, which last to the end of the text if nothing closes them, and inline code.
_CODE: Final = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
# Accepts usernames and paths of groups, as @ada and @acme/tools.
_NAME: Final = r"@([A-Za-z0-9_][A-Za-z0-9_.\-]*(?:/[A-Za-z0-9_.\-]+)*)"
# No mention in ada@example.com, and none within a path.
MENTION: Final = re.compile(rf"(?<![\w/]){_NAME}")
_MAY_ADDRESS: Final = re.compile("^ {0,3}@", re.MULTILINE)
# Accepts names with only white space before and between them, as "@ada @bob please". No name ends with a dot.
_ADDRESS: Final = re.compile(rf"\s*(?:{_NAME}(?<!\.)\s*)+")
# The lookbehinds exclude parts of longer words and paths, and HTML entities such as "&#39;".
ISSUE: Final = re.compile(r"(?<![\w./&#-])([A-Za-z0-9_./-]*)#([0-9]{1,9})(?![\w#])")
_MERGE_REQUEST: Final = re.compile(
    r"\s*(?:(?P<origin>https?://[^\s/]+)/(?P<page>[\w./-]+?)/-/merge_requests/|(?P<path>[\w./-]*)!)(?P<iid>[0-9]{1,9})\s*"
)
ISSUE_PAGE: Final = re.compile(r"(https?://[^\s/]+)/([\w./-]+?)/-/issues/([0-9]{1,9})(?![\w])")
MERGE_REQUEST_IN_TEXT: Final = re.compile(r"(?<![\w./&-])([A-Za-z0-9_./-]*)!([0-9]{1,9})(?![\w!])")
MERGE_REQUEST_PAGE: Final = re.compile(r"(https?://[^\s/]+)/([\w./-]+?)/-/merge_requests/([0-9]{1,9})(?![\w])")
EPIC_IN_TEXT: Final = re.compile(r"(?<![\w./&-])([A-Za-z0-9_./-]*)&([0-9]{1,9})(?![\w&])")
EPIC_PAGE: Final = re.compile(r"(https?://[^\s/]+)/groups/([\w./-]+?)/-/epics/([0-9]{1,9})(?![\w])")
_WORK_ITEM_PAGE: Final = re.compile(r"(https?://[^\s/]+)/(groups/)?([\w./-]+?)/-/work_items/([0-9]{1,9})(?![\w])")
EVERYBODY: Final = "all"
MAY_MENTION: Final = re.compile(r"[@#!&]|/(?:issues|merge_requests|epics)/")
"""Found in every text that mentions somebody or something; most texts mention nothing."""


def strip_code(text: str | None) -> str:
    """Return a text without its code blocks and inline code."""
    # Most texts have no code, and looking for its marks is much cheaper than the expression.
    if not text or ("`" not in text and "~~~" not in text):
        return text or ""
    return _CODE.sub(" ", text)


def find_mentioned_users(ctx: ReadContext, container: Routable, text: str | None) -> dict[int, User]:
    """Return the active users whom a text mentions, by id: by username, visible group, or ``@all``."""
    if not text or "@" not in text:
        return {}
    return _find_users_by_name(ctx, container, MENTION.findall(strip_code(text)))


def find_addressed_users(ctx: ReadContext, container: Routable, text: str | None) -> dict[int, User]:
    """Return the mentioned users at the start of a paragraph that is in no list and no quotation."""
    # Most texts contain no such line, and parsing them takes time.
    if not text or not _MAY_ADDRESS.search(text):
        return {}
    starts = (match[0] for match in map(_ADDRESS.match, commonmark.list_paragraphs(text)) if match)
    # What nobody is called is a text like others, which ends the address.
    names = (takewhile(lambda name: _find_ids(ctx, container, name) is not None, MENTION.findall(s)) for s in starts)
    return _find_users_by_name(ctx, container, list(chain.from_iterable(names)))


def _find_users_by_name(ctx: ReadContext, container: Routable, names: list[str]) -> dict[int, User]:
    ids = (id_ for name in dict.fromkeys(names) for id_ in _find_ids(ctx, container, name) or ())
    users = (ctx.world.users[id_] for id_ in dict.fromkeys(ids))
    return {user.id: user for user in users if user.state == "active"}


def _find_ids(ctx: ReadContext, container: Routable, mention: str) -> list[int] | None:
    """Return the ids of the users whom a mention names; None if it names neither a user nor a visible group."""
    # Names can contain dots and hyphens, so the end of a sentence is matched too and must be stripped.
    world, name = ctx.world, mention.rstrip(".-")
    if name.lower() == EVERYBODY:
        return [member.user_id for member in members.list_inherited(world, container)]
    user = world.users.find("username", name.lower())
    if user is not None:
        return [user.id]
    group = find_by_path(world, name) if name else None
    if isinstance(group, Group) and can_see(ctx, group):
        return [member.user_id for member in members.list_direct(world, group)]
    return None


def find_issues(ctx: ReadContext, container: Routable, text: str | None) -> dict[int, Issue]:
    """Return the issues that a text references, by id, whether or not the caller can see them."""
    # Most texts contain no reference, and this test is much cheaper than the expressions.
    if not text or ("#" not in text and "/issues/" not in text):
        return {}
    issues = (issue_at(ctx, container, path, iid) for path, iid in _parse_references(ctx, strip_code(text)))
    return {issue.id: issue for issue in issues if issue is not None}


def find_issue(ctx: ReadContext, container: Routable, text: str) -> Issue | None:
    """Return the first issue that a text references; None without one."""
    return next(iter(find_issues(ctx, container, text).values()), None)


def _parse_references(ctx: ReadContext, text: str) -> Iterator[tuple[str, str]]:
    yield from ISSUE.findall(text)
    for origin, path, iid in ISSUE_PAGE.findall(text):
        # URLs of other hosts are no references, whatever their path.
        if origin == ctx.origin:
            yield path, iid


def issue_at(ctx: ReadContext, container: Routable, path: str, iid: str) -> Issue | None:
    """Return the issue of a project that a path names; of the project where it is read without a path."""
    owner = _project_at(ctx, container, path)
    issue: Any = ctx.world.issues.find("iid", (owner.id, int(iid))) if owner else None
    return issue if isinstance(issue, Issue) else None


def find_merge_request(ctx: ReadContext, container: Routable, text: str) -> MergeRequest | None:
    """Return the merge request of a reference (``!1``, ``acme/site!1``, its URL); None without one."""
    match = _MERGE_REQUEST.fullmatch(text)
    if match is None or match["origin"] not in (None, ctx.origin):
        return None
    return merge_request_at(ctx, container, match["page"] or match["path"], match["iid"])


def merge_request_at(ctx: ReadContext, container: Routable, path: str, iid: str) -> MergeRequest | None:
    """Return the merge request of a project that a path names; of the project where it is read without a path."""
    owner = _project_at(ctx, container, path)
    merge_request: Any = ctx.world.merge_requests.find("iid", (owner.id, int(iid))) if owner else None
    return merge_request if isinstance(merge_request, MergeRequest) else None


def find_merge_requests(ctx: ReadContext, container: Routable, text: str | None) -> dict[int, MergeRequest]:
    """Return the merge requests that a text references, by id, whether or not the caller can see them."""
    if not text or ("!" not in text and "/merge_requests/" not in text):
        return {}
    prose = strip_code(text)
    pages = [(path, iid) for origin, path, iid in MERGE_REQUEST_PAGE.findall(prose) if origin == ctx.origin]
    references = [*MERGE_REQUEST_IN_TEXT.findall(prose), *pages]
    merge_requests = (merge_request_at(ctx, container, path, iid) for path, iid in references)
    return {merge_request.id: merge_request for merge_request in merge_requests if merge_request is not None}


def _project_at(ctx: ReadContext, container: Routable, path: str) -> Project | None:
    if path:
        return find_project(ctx, container, path)
    return container if isinstance(container, Project) else None


def find_project(ctx: ReadContext, container: Routable, path: str) -> Project | None:
    """Return the project of a full path, or of a bare name in the namespace of where it is read."""
    if "/" in path:
        return find_project_by_path(ctx.world, path)
    return find_project_by_path(ctx.world, f"{_namespace_path(ctx, container)}/{path}")


def _namespace_path(ctx: ReadContext, container: Routable) -> str:
    if isinstance(container, Project):
        return project_path(ctx.world, container).rpartition("/")[0]
    return full_path(ctx.world, container)


def find_epics(ctx: ReadContext, container: Routable, text: str | None) -> dict[int, Epic]:
    """Return the epics that a text references, by id, whether or not the caller can see them."""
    if not text or ("&" not in text and "/epics/" not in text):
        return {}
    prose = strip_code(text)
    pages = [(path, iid) for origin, path, iid in EPIC_PAGE.findall(prose) if origin == ctx.origin]
    epics = (epic_at(ctx, container, path, iid) for path, iid in [*EPIC_IN_TEXT.findall(prose), *pages])
    return {epic.id: epic for epic in epics if epic is not None}


def find_epic(ctx: ReadContext, container: Routable, text: str) -> Epic | None:
    """Return the first epic that a text references; None without one."""
    return next(iter(find_epics(ctx, container, text).values()), None)


def epic_at(ctx: ReadContext, container: Routable, path: str, iid: str) -> Epic | None:
    """Return the epic of a group that a path names; of the group where it is read without a path."""
    group = find_by_path(ctx.world, path or _namespace_path(ctx, container))
    epic: Any = ctx.world.epics.find("iid", (group.id, int(iid))) if isinstance(group, Group) else None
    return epic if isinstance(epic, Epic) else None


def find_work_items(ctx: ReadContext, container: Routable, text: str) -> dict[int, Issue | Epic]:
    """Return the issues and epics that a text references, also by pages of work items, by id, visible or not."""
    found: dict[int, Issue | Epic] = {**find_issues(ctx, container, text), **find_epics(ctx, container, text)}
    for origin, in_group, path, iid in _WORK_ITEM_PAGE.findall(strip_code(text)):
        if origin == ctx.origin:
            item = epic_at(ctx, container, path, iid) if in_group else issue_at(ctx, container, path, iid)
            found |= {item.id: item} if item is not None else {}
    return found
