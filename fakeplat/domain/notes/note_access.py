"""Visibility of notes, and permissions to write, change and delete them. Source: docs/platform/notes-discussions.md."""

from typing import Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.model.notes import Note
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import (
    INTERNAL_NOTES_ARE_FOR_REPORTERS,
    MERGE_REQUESTS_HAVE_INTERNAL_NOTES,
    NOTES_ARE_LIMITED,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe_user

_NEVER_INTERNAL: Final = (noteables.COMMIT.kind, noteables.SNIPPET.kind)


def is_visible(ctx: ReadContext, note: Note) -> bool:
    """Return whether a note is visible to a caller who can see its noteable.

    Confidential notes are visible to Reporters; in earlier releases also to their authors, and to the author and
    assignees of the noteable.
    Cross-references are visible to callers who can see the record that they refer to.
    """
    if note.source is not None:
        source = noteables.find_record(ctx.world, note.source)
        return source is not None and noteables.is_visible(ctx, source)
    return not note.confidential or _can_read_confidential(ctx, note)


def _can_read_confidential(ctx: ReadContext, note: Note) -> bool:
    record = noteables.get_record(ctx.world, note.subject)
    if noteables.noteable_of(record).decide(ctx, record, Ability.READ_CONFIDENTIAL_NOTES).allowed:
        return True
    if ctx.profile.has(INTERNAL_NOTES_ARE_FOR_REPORTERS):
        return False
    return ctx.viewer is not None and ctx.viewer.id in (
        note.author_id,
        *noteables.noteable_of(record).editor_ids(record),
    )


def can_write_internally(ctx: ReadContext, record: Noteable) -> bool:
    """Return whether the caller's notes on a noteable can be internal."""
    if not ctx.profile.has(INTERNAL_NOTES_ARE_FOR_REPORTERS):
        return True
    noteable = noteables.noteable_of(record)
    return (
        noteable.kind not in _NEVER_INTERNAL
        and (noteable is not noteables.MERGE_REQUEST or ctx.profile.has(MERGE_REQUESTS_HAVE_INTERNAL_NOTES))
        and noteable.decide(ctx, record, Ability.READ_CONFIDENTIAL_NOTES).allowed
    )


def count_note(ctx: WriteContext) -> None:
    """Count a new note of the caller: 429 above the limit, from which administrators can exempt users by name."""
    settings, author = ctx.world.settings, ctx.signed_in_user
    is_exempt = author.username.lower() in settings.notes_create_limit_allowlist
    if ctx.profile.has(NOTES_ARE_LIMITED) and not is_exempt:
        ctx.count_action("notes_create", author.id, settings.notes_create_limit)


def authorize_comment(ctx: ReadContext, record: Noteable) -> None:
    """Refuse with 403 unless the caller may comment on a noteable."""
    decision = noteables.can_comment(ctx, record)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)


def authorize_change(ctx: ReadContext, record: Noteable, note: Note) -> None:
    """Refuse with 403 unless the caller may change or delete a note: its author and Maintainers."""
    if note.system:
        raise Forbidden(reason=f"note {note.id} is a system note, which cannot be changed")
    decision = noteables.can_comment(
        ctx, record, Ability.CREATE_NOTE if ctx.signed_in_user.id == note.author_id else Ability.ADMIN_NOTE
    )
    if not decision.allowed:
        raise Forbidden(
            reason=lambda: (
                f"note {note.id} belongs to {describe_user(ctx.world, note.author_id)}, not to {caller_name(ctx)}: "
                f"{decision.reason}"
            )
        )


def can_set_times(ctx: ReadContext, record: Noteable) -> bool:
    """Return whether the caller may set the timestamps of a note."""
    return noteables.noteable_of(record).decide(ctx, record, Ability.SET_NOTE_TIMES).allowed
