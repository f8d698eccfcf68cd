"""Changes of the notes of epics."""

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain import signals
from fakeplat.domain.epics import epics
from fakeplat.domain.notes import notes
from fakeplat.model.epics import Epic
from fakeplat.model.notes import Note
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext


def authorize_change(ctx: ReadContext, epic: Epic, note: Note) -> None:
    """Refuse with 403 unless the caller may change or delete a note: its author and the group's Maintainers."""
    if note.system:
        raise Forbidden(reason=f"note {note.id} is a system note, which cannot be changed")
    if ctx.signed_in_user.id == note.author_id:
        return
    decision = epics.decide_on(ctx, epic, Ability.ADMIN_EPIC_NOTE)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)


def update(ctx: WriteContext, epic: Epic, note: Note, body: str) -> Note:
    """Change the text of a note."""
    notes.check_body(body)
    if body == note.body:
        return note
    changed = ctx.world.notes.change(note, body=body, updated_at=ctx.now_iso)
    signals.note_text_changed.send(ctx, changed)
    ctx.world.epics.change(epic, updated_at=ctx.now_iso)
    ctx.emit("note_updated", changed)
    return changed
