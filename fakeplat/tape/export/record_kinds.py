"""Which kind of record a path, a key or an id of the API is about, by the API's own words.

Groups and users' own spaces share one row of ids, so both are of the kind ``namespace``.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog import KnownOperation, known
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.core.operations.router import Router

USER: Final = "user"
NAMESPACE: Final = "namespace"
PROJECT: Final = "project"
ISSUE: Final = "issue"
MERGE_REQUEST: Final = "merge_request"
MILESTONE: Final = "milestone"
LABEL: Final = "label"
NOTE: Final = "note"
BOARD: Final = "board"
BADGE: Final = "badge"

_WORDS: Final = {
    **dict.fromkeys(
        "assignee assigned_to author closed_by created_by creator eligible_approvers members merge_user merged_by "
        "mirror_user owner participants reviewer suggested_approvers updated_by user users".split(),
        USER,
    ),
    **dict.fromkeys("descendant_groups group groups namespace namespaces parent subgroups".split(), NAMESPACE),
    **dict.fromkeys(
        "file_template_project forked_from forked_from_project forks project projects shared_projects source_project "
        "starred_projects target_project".split(),
        PROJECT,
    ),
    "moved_to": ISSUE,
    **dict.fromkeys(("head_pipeline", "last_pipeline"), "pipeline"),
    "approval_project_rule": "approval_rule",
}
_ACTIONS: Final = frozenset(
    "activate all approve archive block cancel deactivate fork housekeeping import merge move play rebase restore "
    "retry reset_spent_time reset_time_estimate add_spent_time shared star subscribe time_estimate transfer unarchive "
    "unapprove unblock unstar unsubscribe".split()
)
_LISTED_AS: Final = {
    "changes": MERGE_REQUEST,
    "closed_by": MERGE_REQUEST,
    "closes_issues": ISSUE,
    "related_merge_requests": MERGE_REQUEST,
}
"""What is shown at the end of a path under another word than its own."""
_LINKS: Final = ["issues", "links"]
_NAMED_SO: Final = {":issue_link_id": "issue_link"}
"""Parameters whose kind the word before them does not say."""
_NUMBERS: Final = (":issue_id",)
"""Parameters that count within a project, whatever their names say."""
_BY_ID_OR_NAME: Final = "labels"
_NO_REFERENCES: Final = frozenset("theme_id color_scheme_id extern_uid".split())


Owner = tuple[str, str]
"""A kind, and an id or name as it stands in a path: ``("project", "acme/site")``."""


class RecordedRoute(NamedTuple):
    """Where a request goes: the operation's name, its path with parameters, and their texts."""

    operation: str
    path: str
    values: dict[str, str]


@cache
def _router() -> Router[Operation | KnownOperation]:
    declared = [operation for operation in OPERATIONS if operation.area.prefix == PREFIX]
    endings = [(operation.path, ending) for operation in declared for ending in operation.endings]
    return Router([*declared, *(one for one in known() if one.name not in OPERATIONS)], endings=endings)


def resolve_route(method: str, path: str) -> RecordedRoute:
    """Where a request goes; what is no operation is named by method and path."""
    found = _router().match(method, path)
    if found.route is None:
        return RecordedRoute(f"{method} {path}", path, {})
    return RecordedRoute(found.route.name, found.route.path, found.values)


def singular(word: str) -> str:
    """The kind of record that a word of the API is about: ``assignees`` is about users."""
    if word in _WORDS:
        return _WORDS[word]
    stem = word.removesuffix("s")
    return _WORDS.get(stem, stem)


def kind_shown_at(path: str) -> str:
    """The kind of record that a route's answers show: ``/api/v4/projects/:id/issues`` shows issues."""
    words = [part for part in path.removeprefix(PREFIX).split("/") if part and part not in _ACTIONS]
    fixed = [part for part in words if not part.startswith((":", "*"))]
    if fixed[:2] == ["projects", USER]:
        return PROJECT
    if fixed[-2:] == _LINKS:
        return ISSUE
    return _LISTED_AS.get(fixed[-1]) or singular(fixed[-1]) if fixed else ""


def kind_of_key(key: str) -> str | None:
    """The kind of record whose id stands under a key, ``author_id`` or ``label_ids``; None for no id of another."""
    stem = key.removesuffix("s")
    if key in _NO_REFERENCES or not stem.endswith("_id"):
        return None
    return singular(stem.removesuffix("_id"))


def parameters(method: str, path: str) -> Iterator[tuple[int, str]]:
    """The places of the segments of an actual path that may be ids, each with the kind of record.

    Numbers that count within a project or group (``issue_iid``) are no ids, nor are names that happen to be numbers.
    """
    before = ""
    for place, part in enumerate(resolve_route(method, path).path.split("/")):
        if part.startswith("*"):
            return
        if not part.startswith(":"):
            before = before if part in _ACTIONS else part
        elif part in _NUMBERS:
            continue
        elif part == ":id" or part.endswith("_id") or before == _BY_ID_OR_NAME:
            yield place, _NAMED_SO.get(part) or singular(before)


def is_action(path: str) -> bool:
    """Whether a route only does something with what its path names, ``/api/v4/projects/:id/star``."""
    return path.rpartition("/")[2] in _ACTIONS


def owner_in_path(path: str) -> Owner | None:
    """The project, group or user that a path goes through, by id or name."""
    parts = path.removeprefix(PREFIX).strip("/").split("/")
    kinds = {"projects": PROJECT, "groups": NAMESPACE, "users": USER}
    if len(parts) < 2 or parts[0] not in kinds or parts[1] == USER:
        return None
    return kinds[parts[0]], unquote(parts[1])
