"""What answers of the API show of a world: records as they were first seen, by kind and id.

Answers are taken in their order, so that what was there before a session can be told from what it made.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs

from attrs import define, field

from fakeplat.tape import kinds
from fakeplat.tape.kinds import ISSUE, LABEL, MILESTONE, NAMESPACE, PROJECT, USER, Owner

Document = dict[str, Any]
Record = tuple[str, int]

RECORDS: Final = (USER, NAMESPACE, PROJECT, MILESTONE, LABEL, ISSUE)
MEMBERS: Final = "members"
ALL_MEMBERS: Final = "all"
ACCESS: Final = "access"
PRIORITIES: Final = "label_priorities"
_NESTED: Final = (USER, NAMESPACE, PROJECT, MILESTONE)
BRANCHES: Final = "branches"
TAGS: Final = "tags"
PROTECTED: Final = ("protected_branches", "protected_tags")
AWARDS: Final = "award_emoji"
_PARTS: Final = (MEMBERS, "starrers", AWARDS, "custom_attributes", *PROTECTED)
_OF_REPOSITORIES: Final = (BRANCHES, TAGS)
LANGUAGES: Final = "languages"
_PAGING: Final = frozenset({"page", "per_page", "order_by", "sort"})
_MAKES: Final = ("fork", "move")
_NUMBERS: Final = (
    "id iid project_id group_id creator_id mirror_user_id moved_to_id file_template_project_id star_count upvotes "
    "downvotes user_notes_count access_level priority"
)
_TEXTS: Final = "username name path full_path path_with_namespace title created_at key value kind avatar_url version"
_OBJECTS: Final = (
    "author closed_by milestone namespace forked_from_project time_stats permissions project_access group_access user "
    "container_expiration_policy"
)
_LISTS: Final = "assignees labels shared_with_groups custom_attributes"
_TYPES: Final = {
    name: (kind, type(None))
    for kind, names in ((int, _NUMBERS), (str, _TEXTS), (dict, _OBJECTS), (list, _LISTS))
    for name in names.split()
}
"""What the fields that are read here can be."""

_MOVES: Final = frozenset({"updated_at", "last_activity_at"})
_CHANGES: Final = {
    "add_labels": ("labels",),
    "remove_labels": ("labels",),
    "assignee_id": ("assignees", "assignee"),
    "assignee_ids": ("assignees", "assignee"),
    "milestone_id": ("milestone",),
    "state_event": ("state", "closed_at", "closed_by"),
    "new_name": ("name",),
    "admin": ("is_admin",),
}


class Place(NamedTuple):
    """Things of a word within something: the members of a project, the emoji of an issue in it (``number``)."""

    owner: Owner
    word: str
    number: str = ""


@define
class Observed:
    """What was seen of a world.

    ``parts`` are things within others that have no kind of their own, by what tells them apart. ``owners`` say in
    which project or group a label stands, ``lent`` for which project a group above it has one. ``elsewhere`` counts
    the answers, by operation, about which nothing is kept. ``repositories`` are those that were fetched, by the ids of
    their projects, as a scenario says them.
    """

    records: dict[Record, Document] = field(factory=dict)
    parts: dict[Place, dict[str, Document]] = field(factory=dict)
    owners: dict[Record, Owner] = field(factory=dict)
    lent: dict[Record, Owner] = field(factory=dict)
    elsewhere: dict[str, int] = field(factory=dict)
    repositories: dict[int, dict[str, str]] = field(factory=dict)
    version: str | None = None
    _made: set[Record] = field(factory=set)
    _made_parts: set[tuple[Place, str]] = field(factory=set)
    _touched: dict[Record, set[str]] = field(factory=dict)

    def of(self, kind: str) -> list[Document]:
        """All records of a kind, in the order of their ids."""
        return [self.records[key] for key in sorted(key for key in self.records if key[0] == kind)]

    def get(self, kind: str, id_: object) -> Document | None:
        """A record, if it was seen."""
        return self.records.get((kind, id_)) if isinstance(id_, int) else None

    def parts_of(self, kind: str, names: tuple[object, ...], word: str, number: object = "") -> list[Document] | None:
        """The things of a word within what has some names, its id and path; None where nobody listed them."""
        places = [Place((kind, str(name)), word, str(number)) for name in names]
        found = [self.parts[place] for place in places if place in self.parts]
        return list({key: one for listed in reversed(found) for key, one in listed.items()}.values()) if found else None

    def answered(self, path: str, query: str, body: Any, asker: str | None = None) -> None:
        """Take in what a GET answered. ``asker`` is the username of who asked."""
        route = kinds.route("GET", path)
        kind = kinds.shown_at(route.path)
        if kind == "version" and isinstance(body, dict):
            self.version = next(documents(body)).get("version")
        elif route.path.endswith(f"/{LANGUAGES}") and (owner := kinds.owner(path)) is not None:
            self.parts[Place(owner, LANGUAGES)] = {LANGUAGES: {**body} if isinstance(body, dict) else {}}
        elif (place := _place(route.path, path)) is not None:
            self._list(place, body, whole=not {*parse_qs(query)} - _PAGING)
        elif kind not in RECORDS:
            self.elsewhere[route.operation] = self.elsewhere.get(route.operation, 0) + 1
        else:
            for document in documents(body):
                self._see(kind, _subscribed(document, asker) if kind == LABEL else document, path)
                if asker is not None:
                    self._note_access(document, asker)

    def wrote(self, method: str, path: str, given: Mapping[str, Any], status: int, body: Any) -> None:
        """Take in a write that was done: what it made was not there before, what it changed was otherwise."""
        pattern = kinds.route(method, path).path
        kind, place = kinds.shown_at(pattern), _place(pattern, path)
        makes = method == "POST" and status == 201 and (not kinds.acts(pattern) or pattern.endswith(_MAKES))
        if given.get("start_branch") and (owner := kinds.owner(path)) is not None:
            self._made_parts.add((Place(owner, BRANCHES), str(given.get("branch"))))
        for document in documents(body):
            if place is not None:
                self._made_parts.add((place, _identity(document)))
                self._see(USER if place.word in (MEMBERS, ALL_MEMBERS) else "", document)
            elif makes:
                self._made.add((kind, document.get("id", 0)))
                self._look_inside(document)
            else:
                self._touch((kind, document.get("id", 0)), given)
                self._see(kind, document, path)

    def _touch(self, record: Record, given: Mapping[str, Any]) -> None:
        if record not in self.records:
            changed = {name for key in given for name in (key, *_CHANGES.get(key, ()))}
            self._touched.setdefault(record, set()).update(changed | _MOVES)

    def _see(self, kind: str, document: Document, path: str = "") -> None:
        """Take in what is new of a record; what was seen first stays."""
        self._look_inside(document)
        record = (kind, document.get("id", 0))
        if kind not in RECORDS or not isinstance(document.get("id"), int) or record in self._made:
            return
        if kind == NAMESPACE and document.get("kind") == USER:
            return
        known = self.records.setdefault(record, {"id": record[1]})
        unsure = {*self._touched.get(record, ()), *_borrowed(kind, document)}
        known.update({name: value for name, value in document.items() if name not in known and name not in unsure})
        if kind == LABEL and (owner := kinds.owner(path)) is not None:
            self._place_label(record, document, owner)

    def _place_label(self, record: Record, document: Document, owner: Owner) -> None:
        """A project's list shows labels of the groups above too, with the project's own priorities."""
        if document.get("is_project_label", True):
            self.owners.setdefault(record, owner)
            return
        self.lent.setdefault(record, owner)
        if document.get("priority") is not None and document.get("name"):
            self.parts.setdefault(Place(owner, PRIORITIES), {}).setdefault(document["name"], document)

    def _look_inside(self, document: Document) -> None:
        for key, value in document.items():
            for inner in documents(value):
                kind = kinds.singular(key)
                self._see(kind if kind in _NESTED else "", inner)

    def _list(self, place: Place, body: Any, *, whole: bool) -> None:
        listed = self.parts.setdefault(place, {}) if whole else {}
        for document in documents(body):
            self._see(USER if place.word in (MEMBERS, ALL_MEMBERS) else "", document)
            identity = _identity(document)
            if (place, identity) not in self._made_parts:
                listed.setdefault(identity, document)

    def _note_access(self, document: Document, asker: str) -> None:
        """What a project says of who asks, where nobody lists the members."""
        for permissions in documents(document.get("permissions")):
            space = (document.get("namespace") or {}).get("id")
            for kind, id_, key in ((PROJECT, document.get("id"), "project_access"), (NAMESPACE, space, "group_access")):
                for access in documents(permissions.get(key)):
                    given = {"username": asker, "access_level": access.get("access_level")}
                    self.parts.setdefault(Place((kind, str(id_)), ACCESS), {}).setdefault(asker, given)


def _subscribed(label: Document, asker: str | None) -> Document:
    """A label with the one subscriber that it tells of: who asks."""
    return {**label, "subscribers": [asker]} if asker and label.get("subscribed") else label


def _borrowed(kind: str, document: Document) -> tuple[str, ...]:
    """What a document says that is not the record's own: a membership's level, a project's priority."""
    if kind == USER:
        return ("access_level", "expires_at")
    return ("priority",) if kind == LABEL and not document.get("is_project_label", True) else ()


def documents(body: Any) -> Iterator[Document]:
    """The objects that an answer, or a value in one, is or lists, without fields that are not of their type."""
    for item in body if isinstance(body, list) else [body]:
        if isinstance(item, dict):
            yield {name: value for name, value in item.items() if isinstance(value, _TYPES.get(name, object))}


def _place(pattern: str, path: str) -> Place | None:
    """Where a path lists parts, or gives one of them; inherited members are another word than direct ones."""
    owner, words, parts = kinds.owner(path), pattern.strip("/").split("/")[4:], path.strip("/").split("/")
    known = _OF_REPOSITORIES if words[:1] == ["repository"] else _PARTS
    word = next((part for part in words if part in known), None)
    if owner is None or word is None or (word == AWARDS and words[::2] != ["issues", AWARDS]):
        return None
    if word == MEMBERS and ALL_MEMBERS in words:
        return Place(owner, ALL_MEMBERS)
    number = parts[parts.index("issues") + 1] if "issues" in parts[:-1] else ""
    return Place(owner, word, number)


def _identity(document: Document) -> str:
    """What tells the things of a word apart."""
    inner = document.get("user")
    who = inner.get("username") if isinstance(inner, dict) else document.get("username")
    return " ".join(str(part) for part in (document.get("key") or document.get("name"), who) if part is not None)
