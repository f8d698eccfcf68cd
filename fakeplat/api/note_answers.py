"""What a text answers: the note that is left of it, or what its quick actions did."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.messages import JSON, Raw
from fakeplat.domain.notes import notes
from fakeplat.domain.notes.notes import Said
from fakeplat.entities.notes import NoteView
from fakeplat.policy.context import Doing

_EMPTY: Final = f"400 Bad request - Note {notes.EMPTY}"
_UNSAVED: Final = f"400 Bad request - Failed to save note {notes.EMPTY}"


def emptied(cx: Doing, said: Said, message: str = _EMPTY) -> Raw:
    """Answer 400 to a text of which nothing is left. As on the platform, what its commands did stays done."""
    if not said.acted:
        raise BadRequest(message, reason=lambda: notes.nothing_left(cx, said))
    return Raw(orjson.dumps({"message": message}), JSON, status=400)


def accepted(cx: Doing, said: Said) -> Raw:
    """Answer a text of commands only: 202 with what they changed and said, 400 where they said nothing."""
    if not said.summary:
        return emptied(cx, said)
    told = {"commands_changes": said.changes, "summary": [" ".join(said.summary)]}
    return Raw(orjson.dumps(told), JSON, status=202)


def answered(cx: Doing, said: Said, status: int = 201) -> Any:
    """Answer a text of which a note is left: the note, with what its commands changed."""
    if said.note is None:
        return emptied(cx, said)
    if not said.changes:
        return said.note
    note = cx.world.notes[said.note.id]
    shown = {**NoteView(note, cx).values(), "commands_changes": said.changes}
    return Raw(orjson.dumps(shown), JSON, status=status)


def changed(cx: Doing, said: Said) -> Any:
    """Answer a change of a note, of which nothing may be left: then it is removed."""
    return answered(cx, said, 200) if said.note is not None else emptied(cx, said, _UNSAVED)
