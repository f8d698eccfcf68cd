"""What a text answers: the note that is left of it, or what its quick actions did."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.domain.notes import notes
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.entities.notes import NoteView
from fakeplat.policy.context import WriteContext

_EMPTY: Final = f"400 Bad request - Note {notes.EMPTY}"
_UNSAVED: Final = f"400 Bad request - Failed to save note {notes.EMPTY}"


def empty_response(ctx: WriteContext, said: NoteResult, message: str = _EMPTY) -> RawBody:
    """Answer 400 to a text of which nothing is left. As on the platform, what its commands did stays done."""
    if not said.acted:
        raise BadRequest(message, reason=lambda: notes.empty_note_error(ctx, said))
    return RawBody(orjson.dumps({"message": message}), JSON, status=400)


def commands_only_response(ctx: WriteContext, said: NoteResult) -> RawBody:
    """Answer a text of commands only: 202 with what they changed and said, 400 where they said nothing."""
    if not said.summary:
        return empty_response(ctx, said)
    told = {"commands_changes": said.changes, "summary": [" ".join(said.summary)]}
    return RawBody(orjson.dumps(told), JSON, status=202)


def created_response(ctx: WriteContext, said: NoteResult, status: int = 201) -> Any:
    """Answer a text of which a note is left: the note, with what its commands changed."""
    if said.note is None:
        return empty_response(ctx, said)
    if not said.changes:
        return said.note
    note = ctx.world.notes[said.note.id]
    shown = {**NoteView(note, ctx).values(), "commands_changes": said.changes}
    return RawBody(orjson.dumps(shown), JSON, status=status)


def updated_response(ctx: WriteContext, said: NoteResult) -> Any:
    """Answer a change of a note, of which nothing may be left: then it is removed."""
    return created_response(ctx, said, 200) if said.note is not None else empty_response(ctx, said, _UNSAVED)
