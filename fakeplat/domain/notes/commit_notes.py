"""Comments on commits and on lines of their diffs. Source: docs/platform/commits.md ('Comments').

They are ordinary notes: a comment on a whole commit is an individual note, a comment on a line starts a thread.
"""

from collections.abc import Sequence
from typing import Final, Unpack

from fakeplat.core.operations.errors import BadRequest, inspect_errors
from fakeplat.domain.notes import note_access, noteables, notes
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_positions
from fakeplat.domain.validation import BLANK
from fakeplat.model.notes import Line, Note, NoteFields
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import COMMANDS_ARE_ALWAYS_REPORTED
from fakeplat.policy.context import ReadContext, WriteContext

COMMIT: Final = noteables.COMMIT.kind


def list_commit_notes(ctx: ReadContext, commit: ProjectCommit) -> Sequence[Note]:
    """Return the notes on a commit that the caller can see, oldest first."""
    return notes.list_visible_notes(ctx, commit)


def add_comment(ctx: WriteContext, commit: ProjectCommit, body: str, line: Line | None) -> NoteResult:
    """Comment as the caller; if the diff does not have the line, the comment is on the whole commit.

    400 for a blank text, and for anonymous callers, as a note needs an author. 403 if the caller may not comment.
    """
    errors = {notes.NOTE: not body.strip(), "author": ctx.user is None}
    # As on the platform, the permission check comes before validation, and anonymous callers fail validation.
    if ctx.user is not None:
        note_access.authorize_comment(ctx, commit)
    if any(errors.values()):
        text = inspect_errors({name: [BLANK] for name, blank in errors.items() if blank})
        if ctx.profile.has(COMMANDS_ARE_ALWAYS_REPORTED):
            raise BadRequest(f"400 Bad request - Note {text}")
        raise BadRequest(f"Failed to save note {text}")
    return notes.add_note(ctx, commit, body, **line_fields(ctx.world, commit, line))


def line_fields(world: World, commit: ProjectCommit, line: Line | None) -> NoteFields:
    """Return the fields of a note on a line; empty if the commit did not change the line."""
    row = _find_row(world, commit, line) if line is not None else None
    if line is None or row is None:
        return {}
    code = diff_positions.line_code(line.path, row.old, row.new)
    return {"type": "LegacyDiffNote", "line": line, "line_code": code}


def insert_comment(
    ctx: WriteContext, commit: ProjectCommit, author: User, body: str, **fields: Unpack[NoteFields]
) -> Note:
    """Insert a note on a commit, without permission checks and side effects."""
    return notes.insert_note(ctx, noteables.subject_of(commit), author, body, **fields)


def _find_row(world: World, commit: ProjectCommit, line: Line) -> diff_positions.Row | None:
    """Return the diff row of a line that a commit added or removed; None without one."""
    git, sign = repositories.open_repository(world, commit.project), "+" if line.line_type == "new" else "-"
    # Comments name a file by its path after the commit, even if the line was removed.
    files = [file for file in git.commit_diff(commit.commit.sha) if file.new_path == line.path]
    rows = (row for file in files for row in diff_positions.parse_rows(file.body) if row.sign == sign)
    # Rows of one sign have a number on one side only, so it is safe to compare both.
    return next((row for row in rows if line.line in (row.old_line, row.new_line)), None)
