"""Award emoji on noteables and notes. Source: docs/platform/award-emoji.md."""

from typing import Final

from fakeplat.core.operations.errors import NotFound, RecordNotFound, Unauthorized
from fakeplat.domain import emoji, signals
from fakeplat.domain.groups import custom_emoji
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.notes.noteables import Noteable, Subject
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import UNKNOWN_EMOJI
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe_user

AWARD_EMOJI: Final = "Award Emoji"


def list_awards(ctx: ReadContext, subject: Subject) -> list[Award]:
    """Return the awards of a noteable or note, oldest first."""
    return list(ctx.world.awards.where("subject", subject))


def count_awards(world: World, subject: Subject, name: str) -> int:
    """Return how many users have awarded an emoji to a noteable or note."""
    return sum(award.name == name for award in world.awards.where("subject", subject))


def get_award(ctx: ReadContext, subject: Subject, id_: int) -> Award:
    """Return an award of a noteable or note; 404 if it does not have this one."""
    award = ctx.world.awards.get(id_)
    if award is None or award.subject != subject:
        raise RecordNotFound(reason=lambda: f"{subject[0]} {subject[1]} has no award {id_}")
    return award


def add_award(ctx: WriteContext, record: Noteable, note: Note | None, name: str) -> Award:
    """Award an emoji to a noteable, or to a note on it, as the caller.

    404 if the caller may not award, the emoji is unknown, or they have already awarded it. Finishes the caller's to-dos
    about the noteable.
    """
    decision = noteables.can_comment(ctx, record, Ability.AWARD_EMOJI)
    if not decision.allowed:
        raise NotFound(AWARD_EMOJI, reason=decision.why)
    user, subject = ctx.signed_in_user, noteables.subject_of(record)
    if note is not None and note.system:
        raise NotFound(AWARD_EMOJI, reason=f"note {note.id} is a system note, which cannot be awarded")
    canonical_name = find_emoji_name(ctx.world, record, name)
    awardable = ("note", note.id) if note else subject
    if canonical_name is None:
        texts = " and ".join(describe_unknown_name(ctx, name))
        raise NotFound(f"{AWARD_EMOJI} {texts}", reason=f"there is no emoji with the name {name!r}")
    if ctx.world.awards.find("own", (awardable, user.id, canonical_name)):
        reason = f"{user.username} has already awarded {canonical_name}"
        raise NotFound(f"{AWARD_EMOJI} Name {TAKEN}", reason=reason)
    todos.finish_pending(ctx, user, subject)
    return _give_award(ctx, awardable, user, canonical_name)


def find_emoji_name(world: World, record: Noteable, name: str) -> str | None:
    """Return the name under which an emoji is stored: one of the platform, or of the groups above a noteable."""
    known = emoji.canonical_name(name)
    if known is not None:
        return known
    added = custom_emoji.find_available(world, noteables.container_of(world, record), name.strip().strip(":"))
    return None if added is None else added.name


def describe_unknown_name(ctx: ReadContext, name: str) -> list[str]:
    """Return what the platform says of a name that no emoji has: a blank one is also that."""
    blank = [] if name.strip() else [BLANK]
    return [f"Name {text}" for text in (*blank, ctx.profile.choose(UNKNOWN_EMOJI))]


def find_url(world: World, award: Award) -> str | None:
    """Return the address of the image of an emoji that a group has; None for one of the platform."""
    if emoji.canonical_name(award.name) is not None:
        return None
    note = world.notes.get(award.subject[1]) if award.subject[0] == "note" else None
    record = noteables.find_record(world, award.subject if note is None else note.subject)
    if record is None:
        return None
    added = custom_emoji.find_available(world, noteables.container_of(world, record), award.name)
    return None if added is None else added.url


def toggle_award(ctx: WriteContext, record: Noteable, name: str) -> None:
    """Award an emoji to a noteable as the caller, or remove their award."""
    subject, user = noteables.subject_of(record), ctx.signed_in_user
    # The quick action has already converted the name to the one under which emoji are stored.
    award = ctx.world.awards.find("own", (subject, user.id, name))
    if award is not None:
        delete_award(ctx, award)
        return
    todos.finish_pending(ctx, user, subject)
    _give_award(ctx, subject, user, name)


def _give_award(ctx: WriteContext, awardable: Subject, user: User, name: str) -> Award:
    award = insert_award(ctx, awardable, user, name)
    signals.award_given.send(ctx, award)
    return award


def insert_award(ctx: WriteContext, subject: Subject, user: User, name: str) -> Award:
    """Insert an award unless it exists, without permission checks."""
    table, now = ctx.world.awards, ctx.now_iso
    existing = table.find("own", (subject, user.id, name))
    if existing is not None:
        return existing
    return table.add(Award(table.next_id(), subject, user.id, name, now, now))


def require_own_award(ctx: ReadContext, award: Award) -> None:
    """Refuse with 401 unless the caller gave the award or is an administrator."""
    if award.user_id != ctx.signed_in_user.id and not ctx.admin:
        raise Unauthorized(
            reason=lambda: (
                f"award {award.id} was given by {describe_user(ctx.world, award.user_id)}, not by {caller_name(ctx)}"
            )
        )


def delete_award(ctx: WriteContext, award: Award) -> None:
    """Delete an award."""
    purge(ctx, award)
    signals.award_revoked.send(ctx, award)
