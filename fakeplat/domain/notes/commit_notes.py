"""What is said of commits, and of lines in their diffs. Source: docs/platform/commits.md ('Comments').

These are notes like any others: what is said of a whole commit stands alone, what is said of a line begins a thread.
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.notes import diff_positions, note_access, noteables, notes
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.validation import BLANK, ruby_inspect
from fakeplat.model.notes import Line, Note
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

COMMIT: Final = noteables.COMMIT.kind


def list_commit_notes(ctx: ReadContext, found: ProjectCommit) -> Sequence[Note]:
    """All that is said of a commit and the caller may read, oldest first."""
    return notes.list_visible_notes(ctx, found)


def add_comment(ctx: WriteContext, found: ProjectCommit, body: str, line: Line | None) -> NoteResult:
    """Say something in the caller's name; of a line that the diff does not have, it is said of the commit.

    400 for a blank text, and for anonymous callers: a note without an author is not valid. 403 for who may not.
    """
    faults = {notes.NOTE: not body.strip(), "author": ctx.user is None}
    if ctx.user is not None:
        note_access.authorize_comment(ctx, found)
    if any(faults.values()):
        raise BadRequest(
            f"Failed to save note {ruby_inspect({name: [BLANK] for name, blank in faults.items() if blank})}"
        )
    return notes.add_note(ctx, found, body, **line_fields(ctx.world, found, line))


def line_fields(world: World, found: ProjectCommit, line: Line | None) -> dict[str, Any]:
    """The fields of a note on a line, none where the commit did not change it."""
    row = _row(world, found, line) if line is not None else None
    if line is None or row is None:
        return {}
    code = diff_positions.line_code(line.path, row.old, row.new)
    return {"type": "LegacyDiffNote", "line": line, "line_code": code}


def insert_comment(ctx: WriteContext, found: ProjectCommit, author: User, body: str, **fields: Any) -> Note:
    """Put a note on a commit in; nobody's rights are asked and nothing follows from it."""
    return notes.insert_note(ctx, noteables.subject_of(found), author, body, **fields)


def _row(world: World, found: ProjectCommit, line: Line) -> diff_positions.Row | None:
    """The row of a line that a commit added, or took away."""
    git, sign = repositories.open_repository(world, found.project), "+" if line.line_type == "new" else "-"
    files = [file for file in git.commit_diff(found.commit.sha) if file.new_path == line.path]
    shown = (row for file in files for row in diff_positions.parse_rows(file.body) if row.sign == sign)
    return next((row for row in shown if line.line in (row.old_line, row.new_line)), None)
