"""Who sees notes, and who may write, change and remove them. Source: docs/platform/notes-discussions.md."""

from typing import Any

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.notes import noteables
from fakeplat.model.notes import Note
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe_user


def is_visible(ctx: ReadContext, note: Note) -> bool:
    """Whether a note exists for the caller, who sees what it is about.

    Confidential ones do for Reporters, and for the authors and assignees concerned. What tells of something that the
    caller does not see is not there.
    """
    if note.source is not None:
        mentioning = noteables.find_record(ctx.world, note.source)
        return mentioning is not None and noteables.is_visible(ctx, mentioning)
    return not note.confidential or _reads_confidential(ctx, note)


def _reads_confidential(ctx: ReadContext, note: Note) -> bool:
    record = noteables.find_record(ctx.world, note.subject)
    if can(ctx, Ability.READ_CONFIDENTIAL_NOTES, noteables.project_of(ctx.world, record)):
        return True
    return ctx.viewer is not None and ctx.viewer.id in (note.author_id, *noteables.noteable_of(record).own(record))


def authorize_comment(ctx: ReadContext, record: Any) -> None:
    """Let those pass who may say something of a thing; 403 for others."""
    ruling = noteables.can_comment(ctx, record)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def authorize_change(ctx: ReadContext, record: Any, note: Note) -> None:
    """Let those pass who may change or remove a note: its author, and Maintainers; 403 for others."""
    if note.system:
        raise Forbidden(reason=f"note {note.id} was written by the platform, nobody changes it")
    ruling = noteables.can_comment(
        ctx, record, Ability.CREATE_NOTE if ctx.signed_in_user.id == note.author_id else Ability.ADMIN_NOTE
    )
    if not ruling.allowed:
        raise Forbidden(
            reason=lambda: (
                f"note {note.id} belongs to {describe_user(ctx.world, note.author_id)}, not to {caller_name(ctx)}: "
                f"{ruling.reason}"
            )
        )


def can_set_times(ctx: ReadContext, record: Any) -> bool:
    """Whether the caller may say when a note was made."""
    return can(ctx, Ability.SET_NOTE_TIMES, noteables.project_of(ctx.world, record))
