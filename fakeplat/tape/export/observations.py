"""What answers of the API show of a world: records as they were first seen, by kind and id.

Answers are taken in their order, so that what was there before a session can be told from what it made.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from attrs import define, field

from fakeplat.core.operations.operation import PREFIX
from fakeplat.core.timestamps import from_iso
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.export.cloning import Fetched
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, USER, Owner
from fakeplat.tape.export.subresources import (
    ACCESS,
    APPROVALS,
    BADGES,
    BOARDS,
    BRANCHES,
    HISTORIES,
    KINDS,
    LANGUAGES,
    LINKS,
    NOTES,
    NOTIFICATIONS,
    PRIORITIES,
    TODOS,
    WHOLLY_LISTED,
    SubresourcePath,
    flatten_rows,
    identity,
    parse_subresource_path,
)

Record = tuple[str, int]

RECORDS: Final = (USER, NAMESPACE, PROJECT, MILESTONE, LABEL, ISSUE, MERGE_REQUEST)
_NESTED: Final = (USER, NAMESPACE, PROJECT, MILESTONE)
_HEARD_OF: Final = (ISSUE, MERGE_REQUEST)
_SUBSCRIBING: Final = ("/subscribe", "/unsubscribe")
_VERSION: Final = f"{PREFIX}/version"
_OF_MERGE_REQUEST: Final = f"{PREFIX}/projects/:id/merge_requests/:merge_request_iid"
_APPROVING: Final = (f"{_OF_MERGE_REQUEST}/approve", f"{_OF_MERGE_REQUEST}/unapprove")
_MAKES_TODO: Final = "/todo"
_ENDS: Final = ("source_issue", "target_issue")
_CHANGED_IN_PLACE: Final = (NOTES, BOARDS, BADGES)
_WRITTEN_DOWN: Final = (NOTES, TODOS, *HISTORIES)
"""What comes of writes by itself."""
_PAGING: Final = frozenset({"page", "per_page", "order_by", "sort"})
_MAKES: Final = ("fork", "move")
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
_MERGED: Final = (
    "state merged_at merged_by merge_status merge_commit_sha squash_commit_sha merge_when_pipeline_succeeds"
)
_DONE_BY: Final = {"merge": _MERGED.split(), "rebase": ["sha", "merge_status"]}
"""What actions change, by the last words of their paths."""


@define
class Observations:
    """What was seen of a world.

    ``parts`` are things within others that have no kind of their own, by what tells them apart. ``owners`` say in
    which project or group a label stands, ``lent`` for which project a group above it has one. ``elsewhere`` counts
    the answers, by operation, about which nothing is kept. ``repositories`` are those that were fetched, by the ids of
    their projects. ``linked`` are pairs of issues, by id, that the session itself linked. ``heard`` says of
    issues and merge requests who hears of them, by username. ``began`` is when the session first wrote.
    """

    records: dict[Record, Document] = field(factory=dict)
    parts: dict[SubresourcePath, dict[str, Document]] = field(factory=dict)
    owners: dict[Record, Owner] = field(factory=dict)
    lent: dict[Record, Owner] = field(factory=dict)
    elsewhere: dict[str, int] = field(factory=dict)
    repositories: dict[int, Fetched] = field(factory=dict)
    linked: set[frozenset[object]] = field(factory=set)
    heard: dict[Record, dict[str, bool]] = field(factory=dict)
    began: str | None = None
    version: str | None = None
    _made: set[Record] = field(factory=set)
    _made_parts: set[tuple[SubresourcePath, str]] = field(factory=set)
    _touched: dict[Record, set[str]] = field(factory=dict)

    def of(self, kind: str) -> list[Document]:
        """All records of a kind, in the order of their ids."""
        return [self.records[key] for key in sorted(key for key in self.records if key[0] == kind)]

    def get(self, kind: str, id_: object) -> Document | None:
        """A record, if it was seen."""
        return self.records.get((kind, id_)) if isinstance(id_, int) else None

    def parts_of(self, kind: str, names: tuple[object, ...], word: str, within: str = "") -> list[Document] | None:
        """The things of a word within what has some names, its id and path; None where nobody listed them."""
        places = [SubresourcePath((kind, str(name)), word, within) for name in names]
        found = [self.parts[place] for place in places if place in self.parts]
        return list({key: one for listed in reversed(found) for key, one in listed.items()}.values()) if found else None

    def answered(self, path: str, query: str, body: Any, asker: str | None = None) -> None:
        """Take in what a GET answered. ``asker`` is the username of who asked."""
        route = kinds.resolve_route("GET", path)
        kind = kinds.kind_shown_at(route.path)
        if route.path == _VERSION and isinstance(body, dict):
            self.version = next(iterate_objects(body)).get("version")
        elif route.path.endswith(f"/{LANGUAGES}") and (owner := kinds.owner_in_path(path)) is not None:
            self.parts[SubresourcePath(owner, LANGUAGES)] = {LANGUAGES: {**body} if isinstance(body, dict) else {}}
        elif (place := parse_subresource_path(route.path, path, asker)) is not None:
            self._list(place, _whose(body, asker) if place.word == NOTIFICATIONS else body, query)
        elif kind not in RECORDS:
            self.elsewhere[route.operation] = self.elsewhere.get(route.operation, 0) + 1
        else:
            for document in iterate_objects(body):
                self._see(kind, _subscribed(document, asker) if kind == LABEL else document, path)
                if asker is not None:
                    self._note_access(document, asker)
                    self._note_hearing(kind, document, asker)

    def wrote(
        self, method: str, path: str, given: Mapping[str, Any], status: int, body: Any, asker: str | None = None
    ) -> None:
        """Take in a write that was done: what it made was not there before, what it changed was otherwise."""
        pattern = kinds.resolve_route(method, path).path
        kind, place = kinds.kind_shown_at(pattern), parse_subresource_path(pattern, path)
        makes = method == "POST" and status == 201 and (not kinds.is_action(pattern) or pattern.endswith(_MAKES))
        self._make_beside(pattern, path, given)
        for document in iterate_objects(body):
            if place is not None:
                self._write_part(method, place, document)
            elif pattern.endswith(_MAKES_TODO):
                self._made_parts.add((SubresourcePath((USER, str(asker)), TODOS), identity(TODOS, document)))
            elif makes:
                self._made.add((kind, document.get("id", 0)))
                self._look_inside(document)
            else:
                if asker is not None and pattern.endswith(_SUBSCRIBING):
                    self._note_hearing(kind, document, asker, before=True)
                done = dict.fromkeys(_DONE_BY.get(pattern.rpartition("/")[2], ()))
                self._touch((kind, document.get("id", 0)), {**given, **done})
                self._see(kind, document, path)

    def _make_beside(self, pattern: str, path: str, given: Mapping[str, Any]) -> None:
        """What a write makes that its answer does not show: a branch that commits began, an approval."""
        if given.get("start_branch") and (owner := kinds.owner_in_path(path)) is not None:
            self._made_parts.add((SubresourcePath(owner, BRANCHES), str(given.get("branch"))))
        approved = parse_subresource_path(f"{_OF_MERGE_REQUEST}/{APPROVALS}", path) if pattern in _APPROVING else None
        if approved is not None:
            self._made_parts.add((approved, identity(APPROVALS, {})))

    def _write_part(self, method: str, place: SubresourcePath, document: Document) -> None:
        """What was made was not there; comments, boards and badges that were changed were, though otherwise."""
        if method == "DELETE":
            return
        if place.word == LINKS:
            self.linked.add(frozenset(one.get("id") for key in _ENDS for one in iterate_objects(document.get(key))))
        if method == "PUT" and place.word in _CHANGED_IN_PLACE:
            self._list(place, document, "")
            return
        at, rows = flatten_rows(place, document)
        for row in rows:
            self._made_parts.add((at, identity(at.word, row)))
            self._see(KINDS.get(at.word, ""), row)

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
        if kind == LABEL and (owner := kinds.owner_in_path(path)) is not None:
            self._place_label(record, document, owner)

    def _place_label(self, record: Record, document: Document, owner: Owner) -> None:
        """A project's list shows labels of the groups above too, with the project's own priorities."""
        if document.get("is_project_label", True):
            self.owners.setdefault(record, owner)
            return
        self.lent.setdefault(record, owner)
        if document.get("priority") is not None and document.get("name"):
            self.parts.setdefault(SubresourcePath(owner, PRIORITIES), {}).setdefault(document["name"], document)

    def _look_inside(self, document: Document) -> None:
        for key, value in document.items():
            for inner in iterate_objects(value):
                kind = kinds.singular(key)
                self._see(kind if kind in _NESTED else "", inner)

    def _list(self, place: SubresourcePath, body: Any, query: str) -> None:
        """Take in a list, or one thing of it; a part of a list counts only where what is missing says nothing."""
        at, rows = flatten_rows(place, body)
        partly = at.word in WHOLLY_LISTED and bool({*parse_qs(query)} - _PAGING)
        listed = {} if partly else self.parts.setdefault(at, {})
        for row in rows:
            self._see(KINDS.get(at.word, ""), row)
            one = identity(at.word, row)
            if (at, one) not in self._made_parts and not self._came_of_the_session(at, row):
                known = listed.setdefault(one, {})
                known.update({name: value for name, value in row.items() if name not in known})

    def _came_of_the_session(self, place: SubresourcePath, row: Document) -> bool:
        """Whether the platform wrote something down after the session had begun to write."""
        at = row.get("created_at")
        return self.began is not None and place.word in _WRITTEN_DOWN and at is not None and _is_later(at, self.began)

    def _note_hearing(self, kind: str, document: Document, asker: str, *, before: bool = False) -> None:
        """Whether who asks hears of an issue or merge request; ``before``: until now it was the other way."""
        said = document.get("subscribed")
        if kind in _HEARD_OF and isinstance(said, bool) and isinstance(document.get("id"), int):
            self.heard.setdefault((kind, document["id"]), {}).setdefault(asker, said != before)

    def _note_access(self, document: Document, asker: str) -> None:
        """What a project says of who asks, where nobody lists the members."""
        for permissions in iterate_objects(document.get("permissions")):
            space = (document.get("namespace") or {}).get("id")
            for kind, id_, key in ((PROJECT, document.get("id"), "project_access"), (NAMESPACE, space, "group_access")):
                for access in iterate_objects(permissions.get(key)):
                    given = {"username": asker, "access_level": access.get("access_level")}
                    self.parts.setdefault(SubresourcePath((kind, str(id_)), ACCESS), {}).setdefault(asker, given)


def _subscribed(label: Document, asker: str | None) -> Document:
    """A label with the one subscriber that it tells of: who asks."""
    return {**label, "subscribers": [asker]} if asker and label.get("subscribed") else label


def _borrowed(kind: str, document: Document) -> tuple[str, ...]:
    """What a document says that is not the record's own: a membership's level, a project's priority."""
    if kind == USER:
        return ("access_level", "expires_at", "requested_at")
    return ("priority",) if kind == LABEL and not document.get("is_project_label", True) else ()


def _whose(body: Any, asker: str | None) -> Any:
    """A setting with the name of the user whose it is."""
    return [{**one, "username": asker} for one in iterate_objects(body)] if asker else []


def _is_later(one: str, other: str) -> bool:
    """Whether a moment is after another; of what is no moment, nothing is said."""
    try:
        return from_iso(one) > from_iso(other)
    except ValueError:
        return False
