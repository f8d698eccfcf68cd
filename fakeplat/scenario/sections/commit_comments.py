"""What people say of the commits of a project."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain import commit_notes, commits
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import telling
from fakeplat.scenario.shapes import TEXT, TIME, Choice, Keys, Number

_LINE: Final = {"path": TEXT, "line": Number(whole=True, least=1), "line_type": Choice("new", "old")}


def _make(entry: Entry) -> Note:
    said = entry.said
    found = commits.find(entry.world, entry.owner, said["commit"])
    if found is None:
        entry.wrong(commits.nothing_at(entry.world, entry.owner, said["commit"]), "commit")
    line = Line(said["path"], said["line"], said.get("line_type", "new")) if _about_a_line(said) else None
    note = commit_notes.write(entry.cx, found, entry.user("author"), said["note"], line)
    if line is not None and note.line is None:
        entry.wrong(f"{said['commit']} did not change line {line.line} of {line.path!r}", "line")
    return entry.world.notes.change(note, created_at=entry.created_at, updated_at=entry.created_at)


def _about_a_line(said: dict[str, Any]) -> bool:
    return "path" in said and "line" in said


def _tell(world: World, project: Project) -> Iterable[tuple[Note, Told]] | None:
    return [(note, _told(world, note)) for note in world.notes.where("commits_of", project.id)] or None


def _told(world: World, note: Note) -> Told:
    line = telling.told(note.line, _LINE, _LINE) if note.line else {}
    author = telling.username(world, note.author_id)
    return {
        "commit": note.subject[-1],
        "author": author,
        "note": note.body,
        "created_at": note.created_at,
        **telling.without(line, line_type="new"),
    }


SECTION: Final = Section(
    "commit_comments",
    under=("project",),
    rank=ISSUES,
    keys=Keys(
        {"commit": TEXT, "author": TEXT, "note": TEXT, "created_at": TIME, **_LINE}, needs=("commit", "author", "note")
    ),
    make=_make,
    tell=_tell,
)
