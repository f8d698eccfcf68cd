"""Kinds of records: which kind a path, key or id of the API refers to.

Groups and personal namespaces share one sequence of ids, so both are of the kind ``namespace``.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import UnbuiltOperation, unbuilt_operations
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
RUNNER: Final = "runner"
PIPELINE: Final = "pipeline"
JOB: Final = "job"
RELEASE: Final = "release"
PACKAGE: Final = "package"
IMAGE_REPOSITORY: Final = "container_repository"
CLUSTER: Final = "cluster"

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
# Segments that do not name what is listed: ``/projects/:id/star`` shows a project.
_ACTIONS: Final = frozenset(
    "activate all approve archive block cancel deactivate fork housekeeping import merge move play rebase restore "
    "retry reset_spent_time reset_time_estimate add_spent_time shared star subscribe time_estimate transfer unarchive "
    "unapprove unblock unstar unsubscribe".split()
)
_LISTED_KINDS: Final = {
    "changes": MERGE_REQUEST,
    "closed_by": MERGE_REQUEST,
    "closes_issues": ISSUE,
    "related_merge_requests": MERGE_REQUEST,
}
"""Last path segments that do not name the kind of record that they list."""
_LINKS: Final = ["issues", "links"]
_PARAMETER_KINDS: Final = {":issue_link_id": "issue_link"}
"""Parameters whose kind does not follow from the preceding path segment."""
_IID_PARAMETERS: Final = (":issue_id",)
"""Parameters that are numbers within a project despite their names."""
# In ``/labels/:name`` the parameter can be a name or an id.
_BY_ID_OR_NAME: Final = "labels"
_NO_REFERENCES: Final = frozenset("theme_id color_scheme_id extern_uid".split())


Owner = tuple[str, str]
"""A kind, and an id or full path: ``("project", "acme/site")``."""


class RecordedRoute(NamedTuple):
    """The route of a request: the operation's name, its path pattern, and the values of the path parameters."""

    operation: str
    path: str
    values: Mapping[str, str]


@cache
def _router() -> Router[Operation | UnbuiltOperation]:
    declared = [operation for operation in OPERATIONS if operation.area.prefix == PREFIX]
    endings = [(operation.path, ending) for operation in declared for ending in operation.endings]
    dashed = [(operation.path, operation.area.dashed) for operation in declared if operation.area.dashed]
    # Operations that fakeplat only knows by name are routes too, so that their requests are reported by name.
    return Router([*declared, *unbuilt_operations()], endings=endings, dashed=dashed)


def resolve_route(method: str, path: str) -> RecordedRoute:
    """Return the route of a request; unknown operations are named by method and path."""
    match = _router().match(method, path)
    if match.route is None:
        return RecordedRoute(f"{method} {path}", path, {})
    return RecordedRoute(match.route.name, match.route.path, match.values)


def kind_of_word(word: str) -> str:
    """Return the kind of record that a word of the API denotes: ``assignees`` are users."""
    if word in _WORDS:
        return _WORDS[word]
    # All plurals that are not listed above are regular: ``milestones``.
    stem = word.removesuffix("s")
    return _WORDS.get(stem, stem)


def kind_shown_at(path: str) -> str:
    """Return the kind of record in a route's responses: issues for ``/api/v4/projects/:id/issues``."""
    segments = [part for part in path.removeprefix(PREFIX).split("/") if part and part not in _ACTIONS]
    fixed = [part for part in segments if not part.startswith((":", "*"))]
    # Administrators create projects for a user at /projects/user/:user_id.
    if fixed[:2] == ["projects", USER]:
        return PROJECT
    if fixed[-2:] == _LINKS:
        return ISSUE
    return _LISTED_KINDS.get(fixed[-1]) or kind_of_word(fixed[-1]) if fixed else ""


def kind_of_key(key: str) -> str | None:
    """Return the kind of record that a key such as ``author_id`` or ``label_ids`` refers to; None for other keys."""
    stem = key.removesuffix("s")
    if key in _NO_REFERENCES or not stem.endswith("_id"):
        return None
    return kind_of_word(stem.removesuffix("_id"))


def find_id_segments(method: str, path: str) -> Iterator[tuple[int, str]]:
    """Iterate over the path segments that may be ids: index and kind of record.

    Numbers within a project or group (``issue_iid``) and names that happen to be numeric are not ids.
    """
    collection = ""
    for index, part in enumerate(resolve_route(method, path).path.split("/")):
        if part.startswith("*"):
            return
        if not part.startswith(":"):
            collection = collection if part in _ACTIONS else part
        elif part in _IID_PARAMETERS:
            continue
        elif part == ":id" or part.endswith("_id") or collection == _BY_ID_OR_NAME:
            yield index, _PARAMETER_KINDS.get(part) or kind_of_word(collection)


def is_action(path: str) -> bool:
    """Whether a route is an action on the record in its path, such as ``/api/v4/projects/:id/star``."""
    return path.rpartition("/")[2] in _ACTIONS


def owner_in_path(path: str) -> Owner | None:
    """Return the project, group or user at the beginning of a path, by id or name."""
    parts = path.removeprefix(PREFIX).strip("/").split("/")
    kinds = {"projects": PROJECT, "groups": NAMESPACE, "users": USER}
    if len(parts) < 2 or parts[0] not in kinds or parts[1] == USER:
        return None
    return kinds[parts[0]], unquote(parts[1])
