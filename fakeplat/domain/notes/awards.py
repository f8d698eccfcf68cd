"""Emoji that people give to things and to notes. Source: docs/platform/award-emoji.md."""

from typing import Any, Final

from fakeplat.core.operations.errors import NotFound, RecordNotFound, Unauthorized
from fakeplat.domain.notes import emoji, noteables, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe_user

AWARD_EMOJI: Final = "Award Emoji"
NOT_AMONG: Final = "is not included in the list"


def list_awards(ctx: ReadContext, subject: Subject) -> list[Award]:
    """The awards of a thing, the oldest first."""
    return list(ctx.world.awards.where("subject", subject))


def find_award(ctx: ReadContext, subject: Subject, id_: int) -> Award:
    """An award of a thing, or 404."""
    found = ctx.world.awards.get(id_)
    if found is None or found.subject != subject:
        raise RecordNotFound(reason=lambda: f"{subject[0]} {subject[1]} has no award {id_}")
    return found


def add_award(ctx: WriteContext, record: Any, note: Note | None, name: str) -> Award:
    """Give an emoji to a thing, or to a note on it, in the caller's name.

    404 for who may not, for an unknown emoji and for a second time. Whoever gives it is done with the thing.
    """
    user, subject = ctx.signed_in_user, noteables.subject_of(record)
    ruling = noteables.can_comment(ctx, record, Ability.AWARD_EMOJI)
    if not ruling.allowed:
        raise NotFound(AWARD_EMOJI, reason=ruling.why)
    if note is not None and note.system:
        raise NotFound(AWARD_EMOJI, reason=f"note {note.id} was written by the platform and takes no emoji")
    known = emoji.canonical_name(name)
    given_to = ("note", note.id) if note else subject
    if known is None:
        raise NotFound(f"{AWARD_EMOJI} Name {NOT_AMONG}", reason=f"no emoji is named {name!r}")
    if ctx.world.awards.find("own", (given_to, user.id, known)):
        raise NotFound(f"{AWARD_EMOJI} Name {TAKEN}", reason=f"{user.username} gave {known} before")
    todos.finish_pending(ctx, user, subject)
    return insert_award(ctx, given_to, user, known)


def toggle_award(ctx: WriteContext, record: Any, name: str) -> None:
    """Give an emoji to a thing, or take it back."""
    subject, user = noteables.subject_of(record), ctx.signed_in_user
    found = ctx.world.awards.find("own", (subject, user.id, name))
    if found is not None:
        delete_award(ctx, found)
        return
    todos.finish_pending(ctx, user, subject)
    insert_award(ctx, subject, user, name)


def insert_award(ctx: WriteContext, subject: Subject, user: User, name: str) -> Award:
    """Give an emoji; nobody's rights are asked, and a second time changes nothing."""
    table, now = ctx.world.awards, ctx.now_iso
    found = table.find("own", (subject, user.id, name))
    if found is not None:
        return found
    award = table.add(Award(table.next_id(), subject, user.id, name, now, now))
    ctx.emit("award_created", award)
    return award


def require_own_award(ctx: ReadContext, award: Award) -> None:
    """Let who gave it pass, and administrators; 401 for others."""
    if award.user_id != ctx.signed_in_user.id and not ctx.admin:
        raise Unauthorized(
            reason=lambda: f"{describe_user(ctx.world, award.user_id)} gave award {award.id}, not {caller_name(ctx)}"
        )


def delete_award(ctx: WriteContext, award: Award) -> None:
    """Take an emoji back."""
    purge(ctx, award)
    ctx.emit("award_deleted", award)
