"""Resolving threads on merge requests, and later on issues. Source: docs/platform/notes-discussions.md."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.domain import signals
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.notes.noteables import ISSUE, Noteable
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision
from fakeplat.policy.behaviours import ISSUE_THREADS_ARE_RESOLVABLE
from fakeplat.policy.context import ReadContext, WriteContext

NOT_RESOLVABLE: Final = "400 Bad request - Note is not resolvable"
ALL_RESOLVED: Final = "resolved all threads"


def all_resolved(world: World, merge_request: MergeRequest) -> bool:
    """Return whether a merge request has no unresolved threads."""
    return not world.notes.ids("waiting", ("merge_request", merge_request.id))


def is_resolvable(world: World, note: Note) -> bool:
    """Return whether the thread of a note can be resolved."""
    return note.is_resolvable and (note.subject[0] != ISSUE.kind or world.profile.has(ISSUE_THREADS_ARE_RESOLVABLE))


def is_resolved(world: World, notes: Iterable[Note]) -> bool:
    """Return whether all notes of a thread are resolved; a thread without resolvable notes is not."""
    resolvable = [note for note in notes if is_resolvable(world, note)]
    return bool(resolvable) and not any(note.is_waiting for note in resolvable)


def can_resolve(ctx: ReadContext, record: Noteable, note: Note | None = None) -> Decision:
    """Return whether the caller may resolve threads: the record's author, Developers, and the author of ``note``.

    If the record is locked, only members may, as with comments.
    """
    author_ids = {getattr(record, "author_id", None)}
    if note is not None:
        author_ids.add(note.author_id)
    return noteables.can_comment(
        ctx, record, Ability.CREATE_NOTE if ctx.signed_in_user.id in author_ids else Ability.RESOLVE_NOTE
    )


def set_thread_resolved(ctx: WriteContext, record: Noteable, notes: Iterable[Note], *, resolved: bool) -> None:
    """Resolve or unresolve a thread; 403 if the caller may not, or if it has no resolvable notes."""
    resolvable = [note for note in notes if is_resolvable(ctx.world, note)]
    decision = can_resolve(ctx, record)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    if not resolvable:
        raise Forbidden(reason="the discussion has no resolvable notes, so nobody can resolve it")
    set_resolved(ctx, record, resolvable, resolved=resolved)


def set_note_resolved(ctx: WriteContext, record: Noteable, note: Note, *, resolved: bool) -> Note:
    """Resolve or unresolve one note; 403 if the caller may not, 400 if it is not resolvable."""
    decision = can_resolve(ctx, record, note)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    # Only after the permission check, so a caller who may not resolve always gets 403.
    if not is_resolvable(ctx.world, note):
        raise BadRequest(NOT_RESOLVABLE)
    set_resolved(ctx, record, [note], resolved=resolved)
    return ctx.world.notes[note.id]


def set_resolved(ctx: WriteContext, record: Noteable, notes: Iterable[Note], *, resolved: bool) -> None:
    """Change the notes that differ, and write a system note once all threads are resolved; without any check."""
    # A note that already has this state keeps who resolved it, and when.
    changing = [note for note in notes if is_resolvable(ctx.world, note) and note.is_waiting is resolved]
    if not changing:
        return
    mark_resolved(ctx, changing, ctx.signed_in_user if resolved else None)
    # Resolving the threads of an issue changes nothing else.
    if resolved and isinstance(record, MergeRequest) and all_resolved(ctx.world, record):
        system_notes.write(ctx, noteables.subject_of(record), ctx.signed_in_user, ALL_RESOLVED)
        noteables.touch_updated_at(ctx, record)
        signals.merge_request_threads_resolved.send(ctx, record)


def mark_resolved(ctx: WriteContext, notes: list[Note], by: User | None) -> None:
    """Store who resolved notes of a thread (None to unresolve them), without permission checks."""
    now = ctx.now_iso
    fields = {"resolved_at": now if by else None, "resolved_by_id": by.id if by else None, "updated_at": now}
    for note in notes:
        ctx.world.notes.change(note, **fields)
