"""Subresources: records within others that have no kind of their own, such as members, notes and awards.

Defines their paths, and what identifies each of them.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.records import record_kinds
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.record_kinds import MERGE_REQUEST, NAMESPACE, PROJECT, USER, Owner

MEMBERS: Final = "members"
ALL_MEMBERS: Final = "all"
ACCESS: Final = "access"
PRIORITIES: Final = "label_priorities"
LANGUAGES: Final = "languages"
BRANCHES: Final = "branches"
TAGS: Final = "tags"
PROTECTED: Final = ("protected_branches", "protected_tags")
AWARDS: Final = "award_emoji"
NOTES: Final = "notes"
DISCUSSIONS: Final = "discussions"
COMMENTS: Final = "comments"
LINKS: Final = "links"
VERSIONS: Final = "versions"
APPROVALS: Final = "approvals"
CLOSED_BY: Final = "closed_by"
BOARDS: Final = "boards"
BADGES: Final = "badges"
ACCESS_REQUESTS: Final = "access_requests"
NOTIFICATIONS: Final = "notification_settings"
TODOS: Final = "todos"
LABEL_EVENTS: Final = "resource_label_events"
MILESTONE_EVENTS: Final = "resource_milestone_events"
STATE_EVENTS: Final = "resource_state_events"
WEIGHT_EVENTS: Final = "resource_weight_events"
CONTENT: Final = "content_base64"
"""The content of a file, which a crawler adds to what the list of files shows."""
PIPELINES: Final = "pipelines"
JOBS: Final = "jobs"
BRIDGES: Final = "bridges"
VARIABLES: Final = "variables"
TRIGGERS: Final = "triggers"
SCHEDULES: Final = "pipeline_schedules"
RESOURCE_GROUPS: Final = "resource_groups"
ENVIRONMENTS: Final = "environments"
DEPLOYMENTS: Final = "deployments"
FEATURE_FLAGS: Final = "feature_flags"
USER_LISTS: Final = "feature_flags_user_lists"
FREEZE_PERIODS: Final = "freeze_periods"
DEPLOY_KEYS: Final = "deploy_keys"
DEPLOY_TOKENS: Final = "deploy_tokens"
RELEASES: Final = "releases"
RELEASE_LINKS: Final = "assets"
PACKAGES: Final = "packages"
PACKAGE_FILES: Final = "package_files"
IMAGES: Final = "repositories"
CLUSTERS: Final = "clusters"
HISTORIES: Final = (LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, WEIGHT_EVENTS)

DELIVERY: Final = (
    *(PIPELINES, JOBS, VARIABLES, TRIGGERS, SCHEDULES, RESOURCE_GROUPS),
    *(ENVIRONMENTS, DEPLOYMENTS, FEATURE_FLAGS, USER_LISTS, FREEZE_PERIODS, DEPLOY_KEYS, DEPLOY_TOKENS),
)
"""What belongs to the pipelines and deployments of projects; groups have variables and deploy tokens, too."""
PUBLISHED: Final = (RELEASES, PACKAGES, IMAGES)
"""What projects publish; groups list the packages and images of their projects, too."""
INSTANCE: Final = ("instance", "")
"""The owner of variables that all projects have, and of the clusters of the instance."""

ISSUES: Final = "issues"
MERGE_REQUESTS: Final = "merge_requests"
COMMITS: Final = "commits"
NOTEABLES: Final = (ISSUES, MERGE_REQUESTS, COMMITS)
"""Collections of noteables, as in paths."""

PEOPLE: Final = (MEMBERS, ALL_MEMBERS, ACCESS_REQUESTS)
RECORD_KINDS: Final = {**dict.fromkeys(PEOPLE, USER), CLOSED_BY: MERGE_REQUEST}
"""Subresources that are themselves records, or users with additional fields."""
COMPLETE_LISTS: Final = (*PEOPLE, *PROTECTED, BRANCHES, TAGS, "starrers", "custom_attributes", AWARDS)
"""Subresources that are observed only as complete lists: anything not listed is known not to exist."""

_OF_CONTAINERS: Final = (
    *(MEMBERS, "starrers", "custom_attributes", *PROTECTED, BRANCHES, TAGS),
    *(BOARDS, BADGES, ACCESS_REQUESTS, NOTIFICATIONS),
    *(*DELIVERY, *PUBLISHED, CLUSTERS),
)
_OF_ISSUABLES: Final = (AWARDS, NOTES, DISCUSSIONS, LINKS, VERSIONS, APPROVALS, CLOSED_BY, *HISTORIES)
_SHAPES: Final = frozenset(
    {
        *((word,) for word in _OF_CONTAINERS),
        *((collection, word) for collection in (ISSUES, MERGE_REQUESTS) for word in _OF_ISSUABLES),
        *((collection, DISCUSSIONS, NOTES) for collection in NOTEABLES),
        *((collection, NOTES, AWARDS) for collection in (ISSUES, MERGE_REQUESTS)),
        *((COMMITS, word) for word in (COMMENTS, DISCUSSIONS)),
        *((PIPELINES, word) for word in (JOBS, BRIDGES, VARIABLES)),
        *((RELEASES, RELEASE_LINKS), (PACKAGES, PACKAGE_FILES), (IMAGES, TAGS)),
    }
)
_OF_CALLER: Final = (TODOS, NOTIFICATIONS)
_FIRST_WORDS: Final = ("repository", "registry")
"""Words that only say which part of a project the next one belongs to."""
_OF_INSTANCE: Final = {("admin", "ci", VARIABLES): VARIABLES, ("admin", CLUSTERS): CLUSTERS}
_BY_ID: Final = (
    *(NOTES, DISCUSSIONS, VERSIONS, BOARDS, BADGES, TODOS, *HISTORIES, CLOSED_BY),
    *(PIPELINES, JOBS, BRIDGES, TRIGGERS, SCHEDULES, ENVIRONMENTS, DEPLOYMENTS, USER_LISTS, FREEZE_PERIODS),
    *(DEPLOY_KEYS, DEPLOY_TOKENS),
    *(RELEASE_LINKS, PACKAGES, PACKAGE_FILES, IMAGES, CLUSTERS),
)
_SINGLE: Final = (APPROVALS,)


class SubresourcePath(NamedTuple):
    """The path of a list of subresources, such as the awards (``name``) of an issue (``within``: ``issues/3``)."""

    owner: Owner
    name: str
    within: str = ""


def parse_subresource_path(pattern: str, path: str, caller: str | None = None) -> SubresourcePath | None:
    """Parse the path of a list of subresources or of one of them; None for other paths.

    Inherited members are separate from direct ones. To-dos and notification settings belong to the caller.
    """
    segments, values = _split_path(pattern), _split_path(path)
    for prefix, name in _OF_INSTANCE.items():
        if tuple(segments[: len(prefix)]) == prefix:
            return SubresourcePath(INSTANCE, name)
    owner = record_kinds.owner_in_path(path)
    if owner is None:
        is_own = caller is not None and len(segments) == 1 and segments[0] in _OF_CALLER
        return SubresourcePath((USER, str(caller)), segments[0]) if is_own else None
    segments, values = _simplify(segments[2:], values[2:])
    if segments[:2] == [MEMBERS, ALL_MEMBERS]:
        return SubresourcePath(owner, ALL_MEMBERS)
    # The pipelines of a merge request are pipelines of the project.
    if len(segments) == 3 and segments[::2] == [MERGE_REQUESTS, PIPELINES]:
        return SubresourcePath(owner, PIPELINES)
    # Words and parameters alternate: ``issues/:iid/notes/:note_id/award_emoji``.
    if tuple(segments[::2]) not in _SHAPES or not all(_is_parameter(word) for word in segments[1::2]):
        return None
    # The notes of a discussion are notes of the issuable: discussions are flattened everywhere.
    if segments[2:3] == [DISCUSSIONS] and len(segments) > 4:
        return SubresourcePath(owner, NOTES, "/".join(values[:2]))
    # An even number of segments ends in the id of a single subresource, which is not part of the list's path.
    last = len(segments) - 1 if len(segments) % 2 else len(segments) - 2
    return SubresourcePath(owner, segments[last], "/".join(values[:last]))


def _simplify(segments: list[str], values: list[str]) -> tuple[list[str], list[str]]:
    """Return a path in which words and parameters alternate, unless it is that of an action."""
    # ``repository/commits/:sha/comments`` is treated like ``commits/:sha/comments``.
    if segments and segments[0] in _FIRST_WORDS:
        return segments[1:], values[1:]
    if segments[2:4] == [RELEASE_LINKS, LINKS]:
        return [*segments[:3], *segments[4:]], [*values[:3], *values[4:]]
    # Clusters are added at ``clusters/user``.
    if segments == [CLUSTERS, USER]:
        return segments[:1], values[:1]
    return segments, values


def _split_path(path: str) -> list[str]:
    return path.removeprefix(PREFIX).strip("/").split("/")


def _is_parameter(word: str) -> bool:
    return word.startswith((":", "*"))


def flatten_rows(path: SubresourcePath, body: JsonValue) -> tuple[SubresourcePath, list[Document]]:
    """Return the rows in a body; for discussions, their notes, each with the id of its discussion.

    The jobs of a pipeline name it, so they are jobs of the project.
    """
    if path.name in (JOBS, BRIDGES):
        return path._replace(within=""), list(iterate_objects(body))
    if path.name != DISCUSSIONS:
        return path, list(iterate_objects(body))
    threads = [thread for thread in (body if isinstance(body, list) else [body]) if isinstance(thread, dict)]
    rows = [
        {**note, "discussion": thread.get("id")} for thread in threads for note in iterate_objects(thread.get(NOTES))
    ]
    return path._replace(name=NOTES), rows


def divide_by_project(path: SubresourcePath, body: JsonValue) -> Iterator[tuple[SubresourcePath, Any]]:
    """Yield the list in a body with its path; of a group's list of packages or images, each row with its project's."""
    if path.name not in PUBLISHED or path.owner[0] != NAMESPACE:
        yield path, body
        return
    for row in iterate_objects(body):
        yield path._replace(owner=(PROJECT, str(row.get("project_id")))), row


def identity(word: str, document: Document) -> str:
    """Return what identifies a subresource among those of its list."""
    if word in _SINGLE:
        return ""
    if word == LINKS:
        return str(document.get("issue_link_id"))
    if word == COMMENTS:
        # Comments on commits have no ids in the API.
        return f"{document.get('created_at')} {document.get('author')} {document.get('note')}"
    if word in _BY_ID:
        return str(document.get("id"))
    if word == RELEASES:
        # Who may not see the code is only shown a name that is made of the id.
        return str(document.get("tag_name") or document.get("name"))
    if word == VARIABLES:
        # Several variables of a project can have the same key, in different environments.
        return f"{document.get('key')} {document.get('environment_scope', '*')}"
    user = document.get("user")
    username = user.get("username") if isinstance(user, dict) else document.get("username")
    return " ".join(str(part) for part in (document.get("key") or document.get("name"), username) if part is not None)
