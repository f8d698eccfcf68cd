"""Emoji that people give to things and to notes. Source: docs/platform/award-emoji.md."""

from typing import Any, Final

from fakeplat.core.operations.errors import NotFound, RecordNotFound, Unauthorized
from fakeplat.domain.checks import TAKEN
from fakeplat.domain.notes import emoji, noteables, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.naming import person
from fakeplat.policy.rulings import caller

AWARD_EMOJI: Final = "Award Emoji"
NOT_AMONG: Final = "is not included in the list"


def of(cx: Context, subject: Subject) -> list[Award]:
    """The awards of a thing, the oldest first."""
    return list(cx.world.awards.where("subject", subject))


def get(cx: Context, subject: Subject, id_: int) -> Award:
    """An award of a thing, or 404."""
    found = cx.world.awards.get(id_)
    if found is None or found.subject != subject:
        raise RecordNotFound(reason=lambda: f"{subject[0]} {subject[1]} has no award {id_}")
    return found


def give(cx: Doing, record: Any, note: Note | None, name: str) -> Award:
    """Give an emoji to a thing, or to a note on it, in the caller's name.

    404 for who may not, for an unknown emoji and for a second time. Whoever gives it is done with the thing.
    """
    user, subject = cx.someone, noteables.subject_of(record)
    ruling = noteables.may_note(cx, record, May.AWARD_EMOJI)
    if not ruling.allowed:
        raise NotFound(AWARD_EMOJI, reason=ruling.why)
    if note is not None and note.system:
        raise NotFound(AWARD_EMOJI, reason=f"note {note.id} was written by the platform and takes no emoji")
    known = emoji.known(name)
    given_to = ("note", note.id) if note else subject
    if known is None:
        raise NotFound(f"{AWARD_EMOJI} Name {NOT_AMONG}", reason=f"no emoji is named {name!r}")
    if cx.world.awards.find("own", (given_to, user.id, known)):
        raise NotFound(f"{AWARD_EMOJI} Name {TAKEN}", reason=f"{user.username} gave {known} before")
    todos.finish(cx, user, subject)
    return put(cx, given_to, user, known)


def toggle(cx: Doing, record: Any, name: str) -> None:
    """Give an emoji to a thing, or take it back."""
    subject, user = noteables.subject_of(record), cx.someone
    found = cx.world.awards.find("own", (subject, user.id, name))
    if found is not None:
        remove(cx, found)
        return
    todos.finish(cx, user, subject)
    put(cx, subject, user, name)


def put(cx: Doing, subject: Subject, user: User, name: str) -> Award:
    """Give an emoji; nobody's rights are asked, and a second time changes nothing."""
    table, now = cx.world.awards, cx.instant
    found = table.find("own", (subject, user.id, name))
    if found is not None:
        return found
    award = table.add(Award(table.next_id(), subject, user.id, name, now, now))
    cx.emit("award_created", award)
    return award


def demand_own(cx: Context, award: Award) -> None:
    """Let who gave it pass, and administrators; 401 for others."""
    if award.user_id != cx.someone.id and not cx.admin:
        raise Unauthorized(reason=lambda: f"{person(cx.world, award.user_id)} gave award {award.id}, not {caller(cx)}")


def remove(cx: Doing, award: Award) -> None:
    """Take an emoji back."""
    cx.world.awards.remove(award)
    cx.emit("award_deleted", award)


def drop(cx: Doing, subject: Subject) -> None:
    """Remove what was given to something that goes."""
    for award in of(cx, subject):
        cx.world.awards.remove(award)
