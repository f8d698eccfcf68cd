"""Comments on commits of a project."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, Choice, Integer, Nullable
from fakeplat.domain.notes import commit_notes, noteables
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.notes import threads

_LINE: Final = {"path": TEXT, "line": Integer(minimum=1), "line_type": Choice("new", "old")}
_FIELDS: Final = ("created_at", "updated_at", "type", "confidential", "system")


def _create(entry: Entry) -> Note:
    values = entry.values
    commit = commits.find_commit(entry.world, entry.owner, values["commit"])
    if commit is None:
        entry.fail(commits.no_commit_reason(entry.world, entry.owner, values["commit"]), "commit")
    name = values.get("discussion", "")
    thread = threads.discussion_id_of(noteables.subject_of(commit), name)
    fields = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        **({"type": "DiscussionNote"} if threads.is_named(name) else {}),
        # A line in the form of the API of comments takes precedence over a position in a diff.
        **(_line_fields(entry, commit) or threads.position_fields(entry, commit, values, thread)),
        **entry.select(_FIELDS),
    }
    return commit_notes.insert_comment(
        entry.ctx, commit, entry.user("author"), values["note"], discussion_id=thread, **fields
    )


def _line_fields(entry: Entry, commit: ProjectCommit) -> EntryData:
    """Return the fields of a comment on a line; nothing for a comment without a line."""
    values = entry.values
    if "path" not in values or "line" not in values:
        return {}
    line = Line(values["path"], values["line"], values.get("line_type", "new"))
    line_fields = commit_notes.line_fields(entry.world, commit, line)
    if not line_fields:
        entry.fail(f"{values['commit']} did not change line {line.line} of {line.path!r}", "line")
    return {**line_fields}


def _list_comments(world: World, project: Project) -> Sequence[Note]:
    return world.notes.where("commits_of", project.id)


def _serialize(world: World, note: Note) -> EntryData:
    line = serialization.non_default_fields(note.line, _LINE, _LINE) if note.line else {}
    fields_ = (
        serialization.non_default_fields(note, _FIELDS)
        if note.line is None
        else serialization.non_default_fields(note, ("created_at", "updated_at"))
    )
    return {
        "commit": note.subject[-1],
        "author": serialization.username_of(world, note.author_id),
        "note": note.body,
        **serialization.remove_defaults(fields_, updated_at=note.created_at),
        **serialization.remove_defaults(line, line_type="new"),
        **threads.serialize_thread(note),
    }


SECTION: Final = derive_section(
    "commit_comments",
    Note,
    within=("project",),
    rank=ISSUES,
    keys={
        "commit": TEXT,
        "author": TEXT,
        "note": TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
        "confidential": BOOLEAN,
        "system": BOOLEAN,
        "type": Nullable(Choice("DiscussionNote", "DiffNote")),
        **_LINE,
        **threads.KEYS,
    },
    required=("commit", "author", "note"),
    descriptions={
        **threads.DESCRIPTIONS,
        "system": "Whether the comment was written by the platform.",
        "path": "Path of the file of the line; use it with line, as in the API of commit comments.",
        "type": "Null for an individual comment; other comments can be replied to in their discussion.",
    },
    create=_create,
    rows=_list_comments,
    serialize=_serialize,
)
