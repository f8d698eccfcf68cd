"""Keys shared by notes and commit comments: their discussion and their position in the diff."""

import re
from hashlib import sha1
from typing import Any, Final

from attrs import evolve

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Nullable, Object
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_positions, diff_versions
from fakeplat.domain.reviews.diff_positions import TracedPosition
from fakeplat.domain.wikis.page_events import find_meta
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.notes import LineEnd, LineRange, Note, Position
from fakeplat.model.people import Group
from fakeplat.model.repository import ZERO_SHA
from fakeplat.model.snippets import Snippet
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import get_epic
from fakeplat.scenario.sections.merge_requests.merge_requests import get_issuable

Subject = tuple[Any, ...]
_DISCUSSION_ID: Final = re.compile(r"[0-9a-f]{40}")
_SHAS: Final = ("base_sha", "start_sha", "head_sha")
_END: Final = Object(fields(LineEnd, without=("given",)))
_SCALAR_FIELDS: Final = fields(Position, without=("line_range",))
POSITION: Final = Object(
    {**_SCALAR_FIELDS, "line_range": Nullable(Object({"start": Nullable(_END), "end": Nullable(_END)}))},
    descriptions={"base_sha": "Default of base_sha, start_sha and head_sha: the current diff."},
)
KEYS: Final = {"discussion": TEXT, "position": Nullable(POSITION), "line_code": TEXT}
DESCRIPTIONS: Final = {
    "discussion": "Discussion of the note: a name shared by its notes, or an id of 40 hex digits.",
    "position": "Line (or point in an image) of the diff; replies have the position of their discussion.",
    "line_code": "Line code of the position. Default: computed from the diff.",
}


def get_noteable(entry: Entry, reference: str, key: str) -> Any:
    """Return the noteable for a full reference; ``key`` is the key that contains it, for errors.

    A commit is acme/site@0123abcd, an epic acme&1, a page of a wiki acme/site[[home]]; a snippet is acme/site$2, the
    second one of the project.
    """
    if "[[" in reference:
        return _get_wiki_page(entry, reference, key)
    if "$" in reference:
        return _get_snippet(entry, reference, key)
    if "&" in reference:
        return get_epic(entry, reference, key)
    path, sign, sha = reference.rpartition("@")
    if not sign:
        return get_issuable(entry, reference, key)
    project = entry.loader.find("project", path)
    commit = commits.find_commit(entry.world, project, sha) if project else None
    return commit or entry.fail(f"unknown commit {reference!r}", key)


def _get_wiki_page(entry: Entry, reference: str, key: str) -> WikiPageMeta:
    path, _, rest = reference.partition("[[")
    container = entry.loader.find("project", path) or entry.loader.find("group", path)
    page = find_meta(entry.world, container, rest.removesuffix("]]")) if container and rest.endswith("]]") else None
    return page or entry.fail(f"unknown wiki page {reference!r}", key)


def _get_snippet(entry: Entry, reference: str, key: str) -> Snippet:
    path, _, position = reference.partition("$")
    project = entry.loader.find("project", path)
    snippets_ = list(entry.world.snippets.where("project", project.id)) if project else []
    number = parse_number(position) or 0
    if not 1 <= number <= len(snippets_):
        entry.fail(f"unknown snippet {reference!r}", key)
    return snippets_[number - 1]


def format_reference(world: World, record: Any) -> str:
    """Return the full reference of a noteable; that of a snippet contains its position instead of its id."""
    if isinstance(record, WikiPageMeta):
        container = noteables.container_of(world, record)
        path = full_path(world, container) if isinstance(container, Group) else project_path(world, container)
        return f"{path}[[{record.slug}]]"
    if not isinstance(record, Snippet):
        return noteables.format_reference(world, record)
    project = noteables.project_of(world, record)
    position = list(world.snippets.where("project", project.id)).index(record) + 1
    return f"{project_path(world, project)}${position}"


def discussion_id_of(subject: Subject, name: str) -> str:
    """Return the id of a discussion, derived from its name in the scenario unless it is an id or empty."""
    if not name or _DISCUSSION_ID.fullmatch(name):
        return name
    # The subject is part of the id, so the same name on two records stands for two discussions.
    return sha1(f"{subject} {name}".encode(), usedforsecurity=False).hexdigest()


def is_named(name: str) -> bool:
    """Whether a discussion is referred to by a name of the scenario, not by its id."""
    return bool(name) and not _DISCUSSION_ID.fullmatch(name)


def position_fields(
    entry: Entry, record: MergeRequest | ProjectCommit, values: EntryData, discussion_id: str
) -> EntryData:
    """Return the position fields of a note: its own, or those of its discussion; none for a note without position."""
    if values.get("position"):
        traced = _trace_position(entry, record, values["position"], values.get("line_code"))
        return {"type": "DiffNote", **traced._asdict()}
    first = (
        _first_with_position(entry.world, noteables.subject_of(record), discussion_id)
        if discussion_id and "type" not in values
        else None
    )
    if first is None:
        return {}
    return {name: getattr(first, name) for name in ("type", "position", "line", "line_code")}


def _first_with_position(world: World, subject: Subject, discussion_id: str) -> Note | None:
    notes = (note for note in world.notes.where("discussion", discussion_id) if note.subject == subject)
    return next((note for note in notes if note.position or note.line), None)


def _trace_position(
    entry: Entry, record: MergeRequest | ProjectCommit, values: EntryData, line_code: str | None
) -> TracedPosition:
    position = _complete_position(entry, record, values)
    objects = repositories.open_repository(entry.world, noteables.project_of(entry.world, record)).objects
    # A point in an image has no line code, and a given code is not checked against the diff.
    if position.position_type != "text" or line_code is not None:
        return TracedPosition(position, line_code)
    # The first commit of a repository has no parent: its base is the zero hash, which is no object.
    are_present = all(sha in objects for sha in diff_positions.refs_of(position) if sha != ZERO_SHA)
    computed_code = diff_positions.find_line_code(objects, position) if are_present else None
    if computed_code is None:
        lines = f"{position.old_line} (old), {position.new_line} (new)"
        entry.fail(f"there is no line {lines} of {position.path!r} in the diff", "position")
    return TracedPosition(position, computed_code)


def _complete_position(entry: Entry, record: MergeRequest | ProjectCommit, values: EntryData) -> Position:
    """Return the position of an entry, completed with the commits of the current diff and with both paths."""
    scalars = {name: value for name, value in values.items() if name in _SCALAR_FIELDS}
    # Entries with hashes come from exports, where a missing path is None. Handwritten entries need only one path.
    paths = (
        {"old_path": scalars.get("new_path"), "new_path": scalars.get("old_path")} if "base_sha" not in values else {}
    )
    refs = None if set(_SHAS) <= values.keys() else _current_refs(entry.world, record)
    if refs is None and not set(_SHAS) <= values.keys():
        entry.fail("there is no diff that the position could refer to", "position")
    shas = dict(zip(_SHAS, refs, strict=True)) if refs else {}
    position = Position(**{**shas, **{name: value for name, value in paths.items() if value}, **scalars})
    return evolve(position, line_range=_parse_line_range(values.get("line_range")))


def _current_refs(world: World, record: MergeRequest | ProjectCommit) -> DiffRefs | None:
    return (
        diff_positions.commit_refs(record)
        if isinstance(record, ProjectCommit)
        else diff_versions.latest_refs(world, record)
    )


def _parse_line_range(values: EntryData | None) -> LineRange | None:
    if values is None:
        return None
    return LineRange(
        *(LineEnd(**values[end], given=tuple(values[end])) if values.get(end) else None for end in ("start", "end"))
    )


def serialize_thread(note: Note) -> EntryData:
    """Return the keys for a note's discussion and position."""
    return {"discussion": note.discussion_id, **serialize_position(note.position, note.line_code)}


def serialize_position(place: Position | None, code: str | None) -> EntryData:
    """Return the keys for a position in the diff; none without one."""
    if place is None:
        return {}
    position = serialization.non_default_fields(place, _SCALAR_FIELDS, always=_SHAS)
    line_range = place.line_range
    if line_range is not None:
        line_ends = {"start": line_range.start, "end": line_range.end}
        position["line_range"] = {
            end_key: {name: getattr(end, name) for name in end.given} if end else None
            for end_key, end in line_ends.items()
        }
    return {"position": position, **({"line_code": code} if code is not None else {})}
