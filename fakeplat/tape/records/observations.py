"""Observations: what API responses show of a world, as records in the state in which they were first seen.

Responses are added in order, so that records that existed before a session can be distinguished from those that it
created.
"""

from typing import Any, Final
from urllib.parse import parse_qs

from attrs import define, field

from fakeplat.core.json_types import JsonObject, JsonValue
from fakeplat.core.operations.operation import PREFIX
from fakeplat.core.timestamps import from_iso
from fakeplat.tape.export.cloning import FetchedRepository
from fakeplat.tape.export.subresources import (
    ACCESS,
    APPROVALS,
    BADGES,
    BOARDS,
    BRANCHES,
    BRIDGES,
    CLUSTERS,
    COMPLETE_LISTS,
    DELIVERY,
    DEPLOYMENTS,
    HISTORIES,
    IMAGES,
    JOBS,
    LANGUAGES,
    LINKS,
    NOTES,
    NOTIFICATIONS,
    PACKAGE_FILES,
    PACKAGES,
    PIPELINES,
    PRIORITIES,
    RECORD_KINDS,
    RELEASE_LINKS,
    RELEASES,
    TODOS,
    SubresourcePath,
    divide_by_project,
    flatten_rows,
    identity,
    parse_subresource_path,
)
from fakeplat.tape.records import record_kinds
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.record_kinds import (
    ISSUE,
    LABEL,
    MERGE_REQUEST,
    MILESTONE,
    NAMESPACE,
    PROJECT,
    RUNNER,
    USER,
    Owner,
)

Record = tuple[str, int]

RECORDS: Final = (USER, NAMESPACE, PROJECT, MILESTONE, LABEL, ISSUE, MERGE_REQUEST, RUNNER)
_NESTED: Final = (USER, NAMESPACE, PROJECT, MILESTONE)
_SUBSCRIBABLE: Final = (ISSUE, MERGE_REQUEST)
_SUBSCRIBING: Final = ("/subscribe", "/unsubscribe")
_VERSION: Final = f"{PREFIX}/version"
_OF_MERGE_REQUEST: Final = f"{PREFIX}/projects/:id/merge_requests/:merge_request_iid"
_APPROVING: Final = (f"{_OF_MERGE_REQUEST}/approve", f"{_OF_MERGE_REQUEST}/unapprove")
_CREATES_TODO: Final = "/todo"
_ENDS: Final = ("source_issue", "target_issue")
_UPDATABLE: Final = (NOTES, BOARDS, BADGES, *DELIVERY, RELEASES, RELEASE_LINKS, CLUSTERS)
_CREATES_PIPELINE: Final = ("/projects/:id/pipeline", "/trigger/pipeline")
_CREATED_BY_PLATFORM: Final = (
    *(NOTES, TODOS, *HISTORIES, PIPELINES, JOBS, BRIDGES, DEPLOYMENTS),
    *(RELEASES, PACKAGES, PACKAGE_FILES, IMAGES),
)
"""Subresources that the platform creates as a consequence of writes, such as packages by package managers."""
# A list with any other parameter may be filtered, and so does not show what is missing from it.
_PAGING: Final = frozenset({"page", "per_page", "order_by", "sort"})
_CREATING_ACTIONS: Final = ("fork", "move")
# Any write may change these, whatever its parameters are.
_VOLATILE_FIELDS: Final = frozenset({"updated_at", "last_activity_at"})
_CHANGED_FIELDS: Final = {
    "add_labels": ("labels",),
    "remove_labels": ("labels",),
    "assignee_id": ("assignees", "assignee"),
    "assignee_ids": ("assignees", "assignee"),
    "milestone_id": ("milestone",),
    "state_event": ("state", "closed_at", "closed_by"),
    "new_name": ("name",),
    "admin": ("is_admin",),
}
_CHANGED_BY_MERGE: Final = (
    "state merged_at merged_by merge_status merge_commit_sha squash_commit_sha merge_when_pipeline_succeeds"
)
_CHANGED_BY_ACTION: Final = {"merge": _CHANGED_BY_MERGE.split(), "rebase": ["sha", "merge_status"]}
"""The fields that actions change, by the last segment of their path."""


@define
class Observations:
    """What was observed of a world.

    ``records`` are records by kind and id,
    ``subresources`` are subresources by path and identity.
    ``owners`` are the projects or groups of labels,
    ``group_label_viewers`` the projects that show a label of an ancestor group.
    ``elsewhere`` counts the responses that were ignored, by operation.
    ``repositories`` are fetched repositories by project id.
    ``linked_by_session`` are pairs of issue ids that the session linked.
    ``subscriptions`` are those to issues and merge requests, by username.
    ``first_write_at`` is the time of the session's first write.
    """

    records: dict[Record, Document] = field(factory=dict)
    subresources: dict[SubresourcePath, dict[str, Document]] = field(factory=dict)
    owners: dict[Record, Owner] = field(factory=dict)
    group_label_viewers: dict[Record, Owner] = field(factory=dict)
    elsewhere: dict[str, int] = field(factory=dict)
    repositories: dict[int, FetchedRepository] = field(factory=dict)
    linked_by_session: set[frozenset[object]] = field(factory=set)
    subscriptions: dict[Record, dict[str, bool]] = field(factory=dict)
    first_write_at: str | None = None
    version: str | None = None
    _created: set[Record] = field(factory=set)
    _created_parts: set[tuple[SubresourcePath, str]] = field(factory=set)
    _changed_fields: dict[Record, set[str]] = field(factory=dict)

    def of_kind(self, kind: str) -> list[Document]:
        """Return all records of a kind, sorted by id."""
        return [self.records[key] for key in sorted(key for key in self.records if key[0] == kind)]

    def get(self, kind: str, id_: object) -> Document | None:
        """Return a record, or None if it was not observed."""
        return self.records.get((kind, id_)) if isinstance(id_, int) else None

    def subresources_of(
        self, kind: str, names: tuple[object, ...], word: str, within: str = ""
    ) -> list[Document] | None:
        """Return the subresources of a record, given its ``names`` (id and path); None if they were never listed."""
        paths = [SubresourcePath((kind, str(name)), word, within) for name in names]
        lists = [self.subresources[path] for path in paths if path in self.subresources]
        # In reverse, so that rows listed under the first name (the id) take precedence.
        return list({key: part for parts in reversed(lists) for key, part in parts.items()}.values()) if lists else None

    def add_response(self, path: str, query: str, body: JsonValue, caller: str | None = None) -> None:
        """Add the response to a GET; ``caller`` is the username of the caller."""
        route = record_kinds.resolve_route("GET", path)
        kind = record_kinds.kind_shown_at(route.path)
        if route.path == _VERSION and isinstance(body, dict):
            self.version = next(iterate_objects(body)).get("version")
        elif route.path.endswith(f"/{LANGUAGES}") and (owner := record_kinds.owner_in_path(path)) is not None:
            self.subresources[SubresourcePath(owner, LANGUAGES)] = {
                LANGUAGES: {**body} if isinstance(body, dict) else {}
            }
        elif (subresource := parse_subresource_path(route.path, path, caller)) is not None:
            rows = _with_username(body, caller) if subresource.name == NOTIFICATIONS else body
            for row_path, part in divide_by_project(subresource, rows):
                self._add_list(row_path, part, query)
        elif kind not in RECORDS:
            self.elsewhere[route.operation] = self.elsewhere.get(route.operation, 0) + 1
        else:
            for document in iterate_objects(body):
                self._add_record(kind, _with_subscriber(document, caller) if kind == LABEL else document, path)
                if caller is not None:
                    self._note_access(document, caller)
                    self._note_subscription(kind, document, caller)

    def add_write(
        self,
        method: str,
        path: str,
        params: JsonObject,
        status: int,
        body: JsonValue,
        caller: str | None = None,
    ) -> None:
        """Add a successful write: what it created did not exist before; old values of changed fields are unknown."""
        pattern = record_kinds.resolve_route(method, path).path
        kind, subresource = record_kinds.kind_shown_at(pattern), parse_subresource_path(pattern, path)
        creates = (
            method == "POST"
            and status == 201
            and (not record_kinds.is_action(pattern) or pattern.endswith(_CREATING_ACTIONS))
        )
        self._note_hidden_creations(pattern, path, params)
        for document in iterate_objects(body):
            if subresource is not None:
                self._add_subresource_write(method, subresource, document)
            elif pattern.endswith(_CREATES_PIPELINE) and (owner := record_kinds.owner_in_path(path)) is not None:
                self._created_parts.add((SubresourcePath(owner, PIPELINES), identity(PIPELINES, document)))
            elif pattern.endswith(_CREATES_TODO):
                self._created_parts.add((SubresourcePath((USER, str(caller)), TODOS), identity(TODOS, document)))
            elif creates:
                # The records that the new one refers to, such as its author, existed before.
                self._created.add((kind, document.get("id", 0)))
                self._add_nested_records(document)
            else:
                if caller is not None and pattern.endswith(_SUBSCRIBING):
                    self._note_subscription(kind, document, caller, before=True)
                changed_by_action = dict.fromkeys(_CHANGED_BY_ACTION.get(pattern.rpartition("/")[2], ()))
                # The response shows new values, so the changed fields are marked before the record is added.
                self._mark_changed((kind, document.get("id", 0)), {**params, **changed_by_action})
                self._add_record(kind, document, path)

    def _note_hidden_creations(self, pattern: str, path: str, params: JsonObject) -> None:
        """Note what a write creates without showing it: a branch started by a commit, an approval."""
        if params.get("start_branch") and (owner := record_kinds.owner_in_path(path)) is not None:
            self._created_parts.add((SubresourcePath(owner, BRANCHES), str(params.get("branch"))))
        approved = parse_subresource_path(f"{_OF_MERGE_REQUEST}/{APPROVALS}", path) if pattern in _APPROVING else None
        if approved is not None:
            self._created_parts.add((approved, identity(APPROVALS, {})))

    def _add_subresource_write(self, method: str, subresource: SubresourcePath, document: Document) -> None:
        """Add a write of a subresource. A changed note, board or badge existed before; a created one did not."""
        if method == "DELETE":
            return
        if subresource.name == LINKS:
            self.linked_by_session.add(
                frozenset(issue.get("id") for key in _ENDS for issue in iterate_objects(document.get(key)))
            )
        if method == "PUT" and subresource.name in _UPDATABLE:
            self._add_list(subresource, document, "")
            return
        row_path, rows = flatten_rows(subresource, document)
        for row in rows:
            self._created_parts.add((row_path, identity(row_path.name, row)))
            self._add_record(RECORD_KINDS.get(row_path.name, ""), row)

    def _mark_changed(self, record: Record, params: JsonObject) -> None:
        # Values that were observed before the write are known already.
        if record not in self.records:
            changed = {name for key in params for name in (key, *_CHANGED_FIELDS.get(key, ()))}
            self._changed_fields.setdefault(record, set()).update(changed | _VOLATILE_FIELDS)

    def _add_record(self, kind: str, document: Document, path: str = "") -> None:
        """Add the fields of a record that are new; known values stay, since they are older."""
        self._add_nested_records(document)
        record = (kind, document.get("id", 0))
        if kind not in RECORDS or not isinstance(document.get("id"), int) or record in self._created:
            return
        # The personal namespace comes with its user.
        if kind == NAMESPACE and document.get("kind") == USER:
            return
        known = self.records.setdefault(record, {"id": record[1]})
        excluded = {*self._changed_fields.get(record, ()), *_foreign_fields(kind, document)}
        known.update({name: value for name, value in document.items() if name not in known and name not in excluded})
        if kind == LABEL and (owner := record_kinds.owner_in_path(path)) is not None:
            self._note_label_owner(record, document, owner)

    def _note_label_owner(self, record: Record, document: Document, owner: Owner) -> None:
        """Note the owner of a label. A project's list includes group labels, with the project's own priorities."""
        if document.get("is_project_label", True):
            self.owners.setdefault(record, owner)
            return
        self.group_label_viewers.setdefault(record, owner)
        if document.get("priority") is not None and document.get("name"):
            self.subresources.setdefault(SubresourcePath(owner, PRIORITIES), {}).setdefault(document["name"], document)

    def _add_nested_records(self, document: Document) -> None:
        for key, value in document.items():
            for inner in iterate_objects(value):
                kind = record_kinds.kind_of_word(key)
                # Other nested objects are incomplete, but may themselves contain such records.
                self._add_record(kind if kind in _NESTED else "", inner)

    def _add_list(self, subresource: SubresourcePath, body: JsonValue, query: str) -> None:
        """Add a list of subresources, or one of them. Some are only added if the list is complete."""
        row_path, rows = flatten_rows(subresource, body)
        is_incomplete = row_path.name in COMPLETE_LISTS and bool({*parse_qs(query)} - _PAGING)
        listed = {} if is_incomplete else self.subresources.setdefault(row_path, {})
        for row in rows:
            self._add_record(RECORD_KINDS.get(row_path.name, ""), row)
            key = identity(row_path.name, row)
            if (row_path, key) not in self._created_parts and not self._is_created_by_session(row_path, row):
                known = listed.setdefault(key, {})
                known.update({name: value for name, value in row.items() if name not in known})

    def _is_created_by_session(self, subresource: SubresourcePath, row: Document) -> bool:
        """Whether the platform created a subresource after the session's first write."""
        created_at = row.get("created_at")
        return (
            self.first_write_at is not None
            and subresource.name in _CREATED_BY_PLATFORM
            and created_at is not None
            and _is_later(created_at, self.first_write_at)
        )

    def _note_subscription(self, kind: str, document: Document, caller: str, *, before: bool = False) -> None:
        """Note the caller's subscription to an issuable; ``before``: infer the one before a change."""
        is_subscribed = document.get("subscribed")
        if kind in _SUBSCRIBABLE and isinstance(is_subscribed, bool) and isinstance(document.get("id"), int):
            # The subscription before a change is the opposite of the one that the response shows.
            self.subscriptions.setdefault((kind, document["id"]), {}).setdefault(caller, is_subscribed != before)

    def _note_access(self, document: Document, caller: str) -> None:
        """Note the caller's access levels as shown by a project, in case the members are never listed."""
        for permissions in iterate_objects(document.get("permissions")):
            namespace_id = (document.get("namespace") or {}).get("id")
            for kind, id_, key in (
                (PROJECT, document.get("id"), "project_access"),
                (NAMESPACE, namespace_id, "group_access"),
            ):
                for access in iterate_objects(permissions.get(key)):
                    member = {"username": caller, "access_level": access.get("access_level")}
                    self.subresources.setdefault(SubresourcePath((kind, str(id_)), ACCESS), {}).setdefault(
                        caller, member
                    )


def _with_subscriber(label: Document, caller: str | None) -> Document:
    """Return a label with the one known subscriber: the caller."""
    return {**label, "subscribers": [caller]} if caller and label.get("subscribed") else label


def _foreign_fields(kind: str, document: Document) -> tuple[str, ...]:
    """Return the fields that do not belong to the record itself: those of a membership, or a project's priority."""
    if kind == USER:
        return ("access_level", "expires_at", "requested_at")
    return ("priority",) if kind == LABEL and not document.get("is_project_label", True) else ()


def _with_username(body: JsonValue, caller: str | None) -> Any:
    """Return notification settings with the username of the caller."""
    return [{**setting, "username": caller} for setting in iterate_objects(body)] if caller else []


def _is_later(time: str, other_time: str) -> bool:
    """Whether a timestamp is after another; False if one is invalid."""
    try:
        return from_iso(time) > from_iso(other_time)
    except ValueError:
        return False
