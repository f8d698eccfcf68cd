"""Things that stand within others and have no names of their own, such as members, notes and awards: where they stand
and what tells them apart.
"""

from typing import Any, Final, NamedTuple

from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.record_kinds import MERGE_REQUEST, USER, Owner

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
HISTORIES: Final = (LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, WEIGHT_EVENTS)

ISSUES: Final = "issues"
MERGE_REQUESTS: Final = "merge_requests"
COMMITS: Final = "commits"
NOTED: Final = (ISSUES, MERGE_REQUESTS, COMMITS)
"""What can be spoken of, in the words of paths."""

PEOPLE: Final = (MEMBERS, ALL_MEMBERS, ACCESS_REQUESTS)
KINDS: Final = {**dict.fromkeys(PEOPLE, USER), CLOSED_BY: MERGE_REQUEST}
"""Words whose things are records, or users with something more."""
WHOLLY_LISTED: Final = (*PEOPLE, *PROTECTED, BRANCHES, TAGS, "starrers", "custom_attributes", AWARDS)
"""Words of which a part of the list says nothing: what is not listed is known not to be there."""

_OF_PLACES: Final = (
    *(MEMBERS, "starrers", "custom_attributes", *PROTECTED, BRANCHES, TAGS),
    *(BOARDS, BADGES, ACCESS_REQUESTS, NOTIFICATIONS),
)
_OF_THINGS: Final = (AWARDS, NOTES, DISCUSSIONS, LINKS, VERSIONS, APPROVALS, CLOSED_BY, *HISTORIES)
_SHAPES: Final = frozenset(
    {
        *((word,) for word in _OF_PLACES),
        *((thing, word) for thing in (ISSUES, MERGE_REQUESTS) for word in _OF_THINGS),
        *((thing, DISCUSSIONS, NOTES) for thing in NOTED),
        *((thing, NOTES, AWARDS) for thing in (ISSUES, MERGE_REQUESTS)),
        *((COMMITS, word) for word in (COMMENTS, DISCUSSIONS)),
    }
)
_OF_THE_ASKER: Final = (TODOS, NOTIFICATIONS)
_REPOSITORY: Final = "repository"
_BY_ID: Final = (NOTES, DISCUSSIONS, VERSIONS, BOARDS, BADGES, TODOS, *HISTORIES, CLOSED_BY)
_SINGLE: Final = (APPROVALS,)


class SubresourcePath(NamedTuple):
    """Things of a word within something: the members of a project, the emoji of an issue in it (``issues/3``)."""

    owner: Owner
    word: str
    within: str = ""


def parse_subresource_path(pattern: str, path: str, asker: str | None = None) -> SubresourcePath | None:
    """Where a path lists parts, or gives one of them; inherited members are another word than direct ones."""
    words, texts = _segments(pattern), _segments(path)
    owner = kinds.owner_in_path(path)
    if owner is None:
        own = asker is not None and len(words) == 1 and words[0] in _OF_THE_ASKER
        return SubresourcePath((USER, str(asker)), words[0]) if own else None
    words, texts = words[2:], texts[2:]
    if words[:1] == [_REPOSITORY]:
        words, texts = words[1:], texts[1:]
    if words[:2] == [MEMBERS, ALL_MEMBERS]:
        return SubresourcePath(owner, ALL_MEMBERS)
    if tuple(words[::2]) not in _SHAPES or not all(_is_parameter(word) for word in words[1::2]):
        return None
    if words[2:3] == [DISCUSSIONS] and len(words) > 4:
        return SubresourcePath(owner, NOTES, "/".join(texts[:2]))
    last = len(words) - 1 if len(words) % 2 else len(words) - 2
    return SubresourcePath(owner, words[last], "/".join(texts[:last]))


def _segments(path: str) -> list[str]:
    return path.removeprefix(PREFIX).strip("/").split("/")


def _is_parameter(word: str) -> bool:
    return word.startswith((":", "*"))


def flatten_rows(place: SubresourcePath, body: Any) -> tuple[SubresourcePath, list[Document]]:
    """The rows of an answer about parts; of discussions their notes, each with the id of its discussion."""
    if place.word != DISCUSSIONS:
        return place, list(iterate_objects(body))
    threads = [one for one in (body if isinstance(body, list) else [body]) if isinstance(one, dict)]
    rows = [{**note, "discussion": one.get("id")} for one in threads for note in iterate_objects(one.get(NOTES))]
    return place._replace(word=NOTES), rows


def identity(word: str, document: Document) -> str:
    """What tells the things of a word apart."""
    if word in _SINGLE:
        return ""
    if word == LINKS:
        return str(document.get("issue_link_id"))
    if word == COMMENTS:
        return f"{document.get('created_at')} {document.get('author')} {document.get('note')}"
    if word in _BY_ID:
        return str(document.get("id"))
    inner = document.get("user")
    who = inner.get("username") if isinstance(inner, dict) else document.get("username")
    return " ".join(str(part) for part in (document.get("key") or document.get("name"), who) if part is not None)
