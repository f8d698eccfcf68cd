"""What is said of commits, and of lines in their diffs. Source: facts on commits ('Comments')."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.core.errors import BadRequest
from fakeplat.domain import repositories
from fakeplat.domain.checks import ruby
from fakeplat.domain.commits import CommitOf
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Doing

COMMIT: Final = "commit"
Side = Literal["new", "old"]
_BLANK: Final = "can't be blank"
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def of(world: World, found: CommitOf) -> Sequence[Note]:
    """All that is said of a commit, oldest first."""
    return world.notes.where("subject", (COMMIT, found.project.id, found.commit.sha))


def write(cx: Doing, found: CommitOf, author: User, body: str, line: Line | None) -> Note:
    """Say something; of a line that the diff does not have, it is said of the commit."""
    if not body.strip():
        raise BadRequest(f"Failed to save note {ruby({'note': [_BLANK]})}")
    table, now = cx.world.notes, cx.instant
    subject = (COMMIT, found.project.id, found.commit.sha)
    about = line if line is not None and _is_there(cx.world, found, line) else None
    note = table.add(Note(table.next_id(), subject, author.id, body, now, now, line=about))
    cx.emit("note_created", note)
    return note


def drop(cx: Doing, project: Project) -> None:
    """Remove all that is said of the commits of a project that goes."""
    for note in list(cx.world.notes.where("commits_of", project.id)):
        cx.world.notes.remove(note)


def _is_there(world: World, found: CommitOf, line: Line) -> bool:
    """Whether a commit added (or took away) a line."""
    git = repositories.opened(world, found.project)
    files = [file for file in git.commit_diff(found.commit.sha) if file.new_path == line.path]
    return any(line.line in changed_lines(file.body, line.line_type) for file in files)


def changed_lines(body: bytes, side: Side) -> set[int]:
    """The numbers of the lines that a unified diff adds (new) or takes away (old)."""
    numbers: set[int] = set()
    old = new = 0
    for text in body.split(b"\n"):
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1]), int(hunk[2])
        elif text[:1] == b"+":
            numbers |= {new} if side == "new" else set()
            new += 1
        elif text[:1] == b"-":
            numbers |= {old} if side == "old" else set()
            old += 1
        elif text[:1] == b" ":
            old, new = old + 1, new + 1
    return numbers
