"""Responses to note texts: the resulting note, or the summary of its quick actions."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.domain.notes import notes
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.entities.notes.notes import NoteView
from fakeplat.policy.behaviours import COMMANDS_ARE_ALWAYS_REPORTED
from fakeplat.policy.context import WriteContext

_EMPTY: Final = f"400 Bad request - Note {notes.EMPTY}"
_FAILED: Final = "400 Bad request - Failed to apply commands."
_UNSAVED: Final = f"400 Bad request - Failed to save note {notes.EMPTY}"


def empty_response(ctx: WriteContext, note_result: NoteResult, message: str = _EMPTY) -> RawBody:
    """Return 400 for a text that leaves no note. As on the platform, the effects of its quick actions stay."""
    # A raised refusal rolls the request back; a returned 400 commits what the quick actions changed.
    if not note_result.has_changes:
        raise BadRequest(message, reason=lambda: notes.empty_note_error(ctx, note_result))
    return RawBody(orjson.dumps({"message": message}), JSON, status=400)


def commands_only_response(ctx: WriteContext, note_result: NoteResult) -> RawBody:
    """Respond to a text of quick actions only: 202 with their changes and summary, 400 without a summary."""
    if not note_result.summary:
        is_reported = bool(note_result.commands) and ctx.profile.has(COMMANDS_ARE_ALWAYS_REPORTED)
        return empty_response(ctx, note_result, _FAILED if is_reported else _EMPTY)
    body = {"commands_changes": note_result.changes, "summary": [" ".join(note_result.summary)]}
    return RawBody(orjson.dumps(body), JSON, status=202)


def created_response(ctx: WriteContext, note_result: NoteResult, status: int = 201) -> Any:
    """Return the created note, with the changes of its quick actions if there are any."""
    if note_result.note is None:
        return _respond_to_commands(ctx, note_result)
    if not note_result.changes:
        return note_result.note
    note = ctx.world.notes[note_result.note.id]
    fields = {**NoteView(note, ctx).values(), "commands_changes": note_result.changes}
    return RawBody(orjson.dumps(fields), JSON, status=status)


def updated_response(ctx: WriteContext, note_result: NoteResult) -> Any:
    """Return the updated note, or 400 where the new text left nothing and the note was removed."""
    return (
        created_response(ctx, note_result, 200)
        if note_result.note is not None
        else _respond_to_commands(ctx, note_result, _UNSAVED)
    )


def _respond_to_commands(ctx: WriteContext, note_result: NoteResult, message: str = _EMPTY) -> RawBody:
    """Respond to a text of quick actions only, where earlier releases told only that no note is left."""
    if ctx.profile.has(COMMANDS_ARE_ALWAYS_REPORTED):
        return commands_only_response(ctx, note_result)
    return empty_response(ctx, note_result, message)
