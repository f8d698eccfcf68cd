"""What people say of the commits of a project."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, Choice, Integer, Nullable, Object
from fakeplat.domain.notes import commit_notes, noteables
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections import threads

_LINE: Final = {"path": TEXT, "line": Integer(minimum=1), "line_type": Choice("new", "old")}
_OWN: Final = ("created_at", "updated_at", "type", "confidential", "system")


def _make(entry: Entry) -> Note:
    said = entry.said
    found = commits.find_commit(entry.world, entry.owner, said["commit"])
    if found is None:
        entry.wrong(commits.no_commit_reason(entry.world, entry.owner, said["commit"]), "commit")
    name = said.get("discussion", "")
    thread = threads.id_of(noteables.subject_of(found), name)
    fields = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        **({"type": "DiscussionNote"} if threads.is_named(name) else {}),
        **(_line(entry, found) or threads.position_fields(entry, found, said, thread)),
        **entry.given(_OWN),
    }
    return commit_notes.insert_comment(
        entry.ctx, found, entry.user("author"), said["note"], discussion_id=thread, **fields
    )


def _line(entry: Entry, found: ProjectCommit) -> dict[str, Any]:
    """The fields of a comment on a line, none where it is about no line."""
    said = entry.said
    if "path" not in said or "line" not in said:
        return {}
    line = Line(said["path"], said["line"], said.get("line_type", "new"))
    about = commit_notes.line_fields(entry.world, found, line)
    if not about:
        entry.wrong(f"{said['commit']} did not change line {line.line} of {line.path!r}", "line")
    return about


def _tell(world: World, project: Project) -> Iterable[tuple[Note, Told]] | None:
    return [(note, _told(world, note)) for note in world.notes.where("commits_of", project.id)] or None


def _told(world: World, note: Note) -> Told:
    line = telling.non_default_fields(note.line, _LINE, _LINE) if note.line else {}
    own = (
        telling.non_default_fields(note, _OWN)
        if note.line is None
        else telling.non_default_fields(note, ("created_at", "updated_at"))
    )
    return {
        "commit": note.subject[-1],
        "author": telling.username_of(world, note.author_id),
        "note": note.body,
        **telling.remove_defaults(own, updated_at=note.created_at),
        **telling.remove_defaults(line, line_type="new"),
        **threads.serialize_thread(note),
    }


SECTION: Final = Section(
    "commit_comments",
    under=("project",),
    rank=ISSUES,
    keys=Object(
        {
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
            **threads.ABOUT,
            "system": "Whether the platform wrote it.",
            "path": "The file of the line that it is about, as comments say it.",
            "type": "Null for one that stands alone; otherwise it can be replied to in its discussion.",
        },
    ),
    make=_make,
    tell=_tell,
)
