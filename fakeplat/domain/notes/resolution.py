"""Threads on merge requests that are settled, or not yet. Source: docs/platform/notes-discussions.md."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, caller_name
from fakeplat.policy.context import ReadContext, WriteContext

NOT_RESOLVABLE: Final = "400 Bad request - Note is not resolvable"
ALL_RESOLVED: Final = "resolved all threads"


def all_resolved(world: World, merge_request: MergeRequest) -> bool:
    """Whether nothing that was said of a merge request waits to be settled."""
    return not world.notes.ids("waiting", ("merge_request", merge_request.id))


def is_resolved(notes: Iterable[Note]) -> bool:
    """Whether the notes of a thread, all of them, are settled."""
    found = [note for note in notes if note.is_resolvable]
    return bool(found) and not any(note.is_waiting for note in found)


def can_resolve(ctx: ReadContext, record: Any, note: Note | None = None) -> Decision:
    """Whether the caller may settle what was said of a thing: its author, Developers, and the author of one note.

    Of a locked one only members may, as with saying something.
    """
    own = {getattr(record, "author_id", None)}
    if note is not None:
        own.add(note.author_id)
    return noteables.can_comment(
        ctx, record, Ability.CREATE_NOTE if ctx.signed_in_user.id in own else Ability.RESOLVE_NOTE
    )


def set_thread_resolved(ctx: WriteContext, record: Any, notes: Iterable[Note], *, resolved: bool) -> None:
    """Settle a thread, or open it again; 403 for who may not, and for notes that are not to be settled."""
    found = [note for note in notes if note.is_resolvable]
    ruling = can_resolve(ctx, record)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)
    if not found:
        raise Forbidden(
            reason=lambda: f"no note of the discussion can be resolved, whoever asks: {caller_name(ctx)} did"
        )
    _put(ctx, record, found, resolved=resolved)


def set_note_resolved(ctx: WriteContext, record: Any, note: Note, *, resolved: bool) -> Note:
    """Settle one note, or open it again; 403 for who may not, 400 for one that is not to be settled."""
    ruling = can_resolve(ctx, record, note)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)
    if not note.is_resolvable:
        raise BadRequest(NOT_RESOLVABLE)
    _put(ctx, record, [note], resolved=resolved)
    return ctx.world.notes[note.id]


def _put(ctx: WriteContext, record: Any, notes: list[Note], *, resolved: bool) -> None:
    """Those that are so already stay as they are. The platform notes when nothing is left to settle."""
    changing = [note for note in notes if note.is_waiting is resolved]
    if not changing:
        return
    mark_resolved(ctx, changing, ctx.signed_in_user if resolved else None)
    if resolved and all_resolved(ctx.world, record):
        system_notes.write(ctx, noteables.subject_of(record), ctx.signed_in_user, ALL_RESOLVED)
        noteables.touch_updated_at(ctx, record)


def mark_resolved(ctx: WriteContext, notes: list[Note], by: User | None) -> None:
    """Note who settled some notes of a thread, nobody if they are open again; nobody's rights are asked."""
    now = ctx.now_iso
    fields = {"resolved_at": now if by else None, "resolved_by_id": by.id if by else None, "updated_at": now}
    changed = [ctx.world.notes.change(note, **fields) for note in notes]
    if changed:
        ctx.emit("discussion_resolved" if by else "discussion_unresolved", changed[0])
