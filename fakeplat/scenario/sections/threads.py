"""What notes of all kinds say alike: which discussion they are part of, and of which line they are."""

import re
from collections.abc import Mapping
from hashlib import sha1
from typing import Any, Final

from attrs import evolve

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Nullable, Object
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import diff_positions, noteables
from fakeplat.domain.notes.diff_positions import TracedPosition
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.merge_requests import DiffRefs
from fakeplat.model.notes import LineEnd, LineRange, Note, Position
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.merge_requests import noteable_at

Subject = tuple[Any, ...]
_THREAD: Final = re.compile(r"[0-9a-f]{40}")
_SHAS: Final = ("base_sha", "start_sha", "head_sha")
_END: Final = Object(fields(LineEnd, without=("given",)))
_PLAIN: Final = fields(Position, without=("line_range",))
POSITION: Final = Object(
    {**_PLAIN, "line_range": Nullable(Object({"start": Nullable(_END), "end": Nullable(_END)}))},
    descriptions={"base_sha": "If no commits are said, it is a place in the difference as it stands."},
)
KEYS: Final = {"discussion": TEXT, "position": Nullable(POSITION), "line_code": TEXT}
ABOUT: Final = {
    "discussion": "What notes of one discussion have in common: any word, or an id of 40 hex digits.",
    "position": "The line (of a picture: the point) that it is about; replies are about the same.",
    "line_code": "The name of that line in its file; otherwise worked out.",
}


def find_noteable(entry: Entry, reference: str, key: str) -> Any:
    """What a full reference under a key names, of which something can be said; a commit is acme/site@0123abcd.

    A snippet is acme/site$2, the second of the project.
    """
    if "$" in reference:
        return _snippet_at(entry, reference, key)
    path, at, sha = reference.rpartition("@")
    if not at:
        return noteable_at(entry, reference, key)
    project = entry.seeding.find("project", path)
    found = commits.find_commit(entry.world, project, sha) if project else None
    return found or entry.wrong(f"unknown commit {reference!r}", key)


def _snippet_at(entry: Entry, reference: str, key: str) -> Snippet:
    path, _, place = reference.partition("$")
    project = entry.seeding.find("project", path)
    found = list(entry.world.snippets.where("project", project.id)) if project else []
    number = number_of(place) or 0
    if not 1 <= number <= len(found):
        entry.wrong(f"unknown snippet {reference!r}", key)
    return found[number - 1]


def format_reference(world: World, record: Any) -> str:
    """The full reference of something of which something can be said; of a snippet it does not name the id."""
    if not isinstance(record, Snippet):
        return noteables.format_reference(world, record)
    project = noteables.project_of(world, record)
    place = list(world.snippets.where("project", project.id)).index(record) + 1
    return f"{project_path(world, project)}${place}"


def id_of(subject: Subject, name: str) -> str:
    """The id of a discussion: as said, or of one that has a name in a scenario; none for no name."""
    if not name or _THREAD.fullmatch(name):
        return name
    return sha1(f"{subject} {name}".encode(), usedforsecurity=False).hexdigest()


def is_named(name: str) -> bool:
    """Whether a discussion is meant by a word that only this scenario knows."""
    return bool(name) and not _THREAD.fullmatch(name)


def position_fields(entry: Entry, record: Any, said: Mapping[str, Any], thread: str) -> dict[str, Any]:
    """The fields of a note that say what line it is about: its own, or that of its discussion; none for no line."""
    if said.get("position"):
        found = _position(entry, record, said["position"], said.get("line_code"))
        return {"type": "DiffNote", **found._asdict()}
    first = _first(entry.world, noteables.subject_of(record), thread) if thread and "type" not in said else None
    if first is None:
        return {}
    return {name: getattr(first, name) for name in ("type", "position", "line", "line_code")}


def _first(world: World, subject: Subject, thread: str) -> Note | None:
    found = (note for note in world.notes.where("discussion", thread) if note.subject == subject)
    return next((note for note in found if note.position or note.line), None)


def _position(entry: Entry, record: Any, said: Mapping[str, Any], code: str | None) -> TracedPosition:
    position = _whole(entry, record, said)
    objects = repositories.open_repository(entry.world, noteables.project_of(entry.world, record)).objects
    if position.position_type == "image" or code is not None:
        return TracedPosition(position, code)
    there = all(sha in objects for sha in diff_positions.refs_of(position) if sha != repositories.ZERO)
    found = diff_positions.code_in(objects, position) if there else None
    if found is None:
        lines = f"{position.old_line} (old), {position.new_line} (new)"
        entry.wrong(f"there is no line {lines} of {position.path!r} in the difference", "position")
    return TracedPosition(position, found)


def _whole(entry: Entry, record: Any, said: Mapping[str, Any]) -> Position:
    """A position with the commits of the difference as it stands, and both paths, where nothing is said of these."""
    given = {name: value for name, value in said.items() if name in _PLAIN}
    paths = {"old_path": given.get("new_path"), "new_path": given.get("old_path")} if "base_sha" not in said else {}
    refs = None if set(_SHAS) <= said.keys() else _standing(entry.world, record)
    if refs is None and not set(_SHAS) <= said.keys():
        entry.wrong("it differs in nothing that could be said something of", "position")
    shas = dict(zip(_SHAS, refs, strict=True)) if refs else {}
    position = Position(**{**shas, **{name: value for name, value in paths.items() if value}, **given})
    return evolve(position, line_range=_range(said.get("line_range")))


def _standing(world: World, record: Any) -> DiffRefs | None:
    return (
        diff_positions.commit_refs(record)
        if isinstance(record, ProjectCommit)
        else diff_versions.latest_refs(world, record)
    )


def _range(said: Mapping[str, Any] | None) -> LineRange | None:
    if said is None:
        return None
    return LineRange(
        *(LineEnd(**said[end], given=tuple(said[end])) if said.get(end) else None for end in ("start", "end"))
    )


def serialize_thread(note: Note) -> Told:
    """What is to be said of a note's discussion and line."""
    if note.position is None:
        return {"discussion": note.discussion_id}
    position = telling.non_default_fields(note.position, _PLAIN, always=_SHAS)
    ends = note.position.line_range
    if ends is not None:
        named = {"start": ends.start, "end": ends.end}
        position["line_range"] = {
            word: {name: getattr(end, name) for name in end.given} if end else None for word, end in named.items()
        }
    code = {"line_code": note.line_code} if note.line_code is not None else {}
    return {"discussion": note.discussion_id, "position": position, **code}
