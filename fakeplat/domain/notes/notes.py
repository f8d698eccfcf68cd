"""Notes: saying, changing and removing them, and who sees them. Source: docs/platform/notes-discussions.md."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound, RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.checks import BLANK, ruby
from fakeplat.domain.notes import awards, mentions, noteables, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.domain.notes.system_notes import DISCUSSION
from fakeplat.domain.people import activity
from fakeplat.domain.people.authorship import AUTHORED, Authored
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.naming import person
from fakeplat.policy.rulings import caller, can

ON_TEXT: Final[list[Callable[[Doing, Note], None]]] = []
ON_REMOVE: Final[list[Callable[[Doing, Note], None]]] = []
"""What other areas do when a note was written or its text changed, and when it is removed."""
LONGEST: Final = 1_000_000
NOTE: Final = "note"
EMPTY: Final = ruby({NOTE: [BLANK]})
"""What is wrong with a note of which nothing is left."""


@frozen
class Said:
    """What became of a text: the note, if any of it was left, and what its quick actions changed, told in a summary.

    ``commands`` are the names of these quick actions; ``acted``: whether anything was changed.
    """

    note: Note | None
    changes: Mapping[str, Any]
    summary: list[str]
    commands: tuple[str, ...] = ()
    acted: bool = False

    @classmethod
    def of(
        cls,
        note: Note | None,
        plan: quick_actions.Plan,
        orders: Iterable[quick_actions.Order],
        *,
        removed: bool = False,
    ) -> "Said":
        """What became of a text whose quick actions came to a plan; ``removed``: the note that it was to change."""
        names = tuple(order.name for order in orders)
        return cls(note, plan.told(), plan.summary, names, removed or bool(plan.changes))


def visible(cx: Context, note: Note) -> bool:
    """Whether a note exists for the caller, who sees what it is about.

    Confidential ones do for Reporters, and for the authors and assignees concerned. What tells of something that the
    caller does not see is not there.
    """
    if note.source is not None:
        mentioning = noteables.found(cx.world, note.source)
        return mentioning is not None and noteables.visible(cx, mentioning)
    return not note.confidential or _reads_confidential(cx, note)


def _reads_confidential(cx: Context, note: Note) -> bool:
    record = noteables.found(cx.world, note.subject)
    if can(cx, May.READ_CONFIDENTIAL_NOTES, noteables.project_of(cx.world, record)):
        return True
    return cx.user is not None and cx.user.id in (note.author_id, *noteables.of(record).own(record))


def of(cx: Context, record: Any) -> list[Note]:
    """The notes of a thing that the caller sees, the oldest first."""
    return [note for note in every(cx, record) if visible(cx, note)]


def every(cx: Context, record: Any) -> list[Note]:
    """Return the notes of a thing, also those hidden from the caller, the oldest first."""
    found = cx.world.notes.where("subject", noteables.subject_of(record))
    return sorted(found, key=lambda note: (note.created_at, note.id))


def get(cx: Context, record: Any, id_: int) -> Note:
    """A note of a thing that the caller sees, or 404."""
    note = cx.world.notes.get(id_)
    if note is None or note.subject != noteables.subject_of(record):
        raise RecordNotFound(reason=lambda: f"{noteables.reference(cx.world, record)} has no note {id_}")
    if not visible(cx, note):
        raise NotFound("Note", reason=lambda: f"note {id_} is hidden from {caller(cx)}")
    return note


def comments(cx: Context, subject: Subject) -> int:
    """How many notes of people a thing has."""
    return len(cx.world.notes.ids("comments", subject))


def demand_noting(cx: Context, record: Any) -> None:
    """Let those pass who may say something of a thing; 403 for others."""
    ruling = noteables.may_note(cx, record)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def say(cx: Doing, record: Any, body: str, **about: Any) -> Said:
    """Say something of a thing in the caller's name: its quick actions are done, the rest becomes a note.

    ``about`` are fields of the note. A text of quick actions only leaves none.
    """
    check_body(body)
    text, orders = quick_actions.read(noteables.of(record).kind, body)
    plan = quick_actions.on(cx, record, orders)
    note = _noted(cx, record, text, about) if text else None
    plan.carry_out(cx, _again(cx, record))
    return Said.of(note, plan, orders)


def check_body(body: str) -> None:
    """Refuse a text of nothing, and one that is too long, with 400."""
    text = BLANK if not body.strip() else "is too long (maximum is 1000000 characters)" if len(body) > LONGEST else ""
    if text:
        raise BadRequest(f"400 Bad request - Note {ruby({NOTE: [text]})}")


def nothing_left(cx: Context, said: Said) -> str:
    """Why a text of quick actions only is refused, in words."""
    names = ", ".join(f"/{name}" for name in said.commands)
    return f"{caller(cx)} can do none of {names} here, and no text is left"


def _noted(cx: Doing, record: Any, text: str, about: Mapping[str, Any]) -> Note:
    author, subject = cx.someone, noteables.subject_of(record)
    note = write(cx, subject, author, text, **about)
    todos.finish(cx, author, subject)
    mentions.follow(cx, record, text, note=note)
    noteables.touch(cx, record)
    activity.record(cx, author, "commented", noteables.project_of(cx.world, record), (NOTE, note.id))
    cx.emit("note_created", note)
    return note


def write(cx: Doing, subject: Subject, author: User, body: str, **fields: Any) -> Note:
    """Put a note in; nobody's rights are asked and nothing follows from it."""
    table, now = cx.world.notes, cx.instant
    fields.setdefault("updated_at", fields.setdefault("created_at", now))
    if not fields.get("discussion_id"):
        fields["discussion_id"] = cx.chance(DISCUSSION, 20)
    note = table.add(Note(table.next_id(), subject, author.id, body, **fields))
    for follow in ON_TEXT:
        follow(cx, note)
    return note


def demand_changing(cx: Context, record: Any, note: Note) -> None:
    """Let those pass who may change or remove a note: its author, and Maintainers; 403 for others."""
    if note.system:
        raise Forbidden(reason=f"note {note.id} was written by the platform, nobody changes it")
    ruling = noteables.may_note(cx, record, May.CREATE_NOTE if cx.someone.id == note.author_id else May.ADMIN_NOTE)
    if not ruling.allowed:
        raise Forbidden(
            reason=lambda: (
                f"note {note.id} is {person(cx.world, note.author_id)}'s, not {caller(cx)}'s: {ruling.reason}"
            )
        )


def change(cx: Doing, record: Any, note: Note, given: Mapping[str, Any]) -> Said:
    """Give a note another ``body`` or confidentiality; quick actions in it are done. Of nothing else, it is removed."""
    fields = {name: value for name, value in given.items() if value is not None}
    orders: list[quick_actions.Order] = []
    if "body" in fields:
        check_body(fields["body"])
        fields["body"], orders = quick_actions.read(noteables.of(record).kind, fields["body"])
    plan = quick_actions.on(cx, record, orders)
    changed = _changed(cx, record, note, fields) if fields.get("body", note.body) else None
    if changed is None:
        remove(cx, note)
    plan.carry_out(cx, _again(cx, record))
    return Said.of(changed, plan, orders, removed=changed is None)


def _changed(cx: Doing, record: Any, note: Note, fields: Mapping[str, Any]) -> Note:
    if all(getattr(note, name) == value for name, value in fields.items()):
        return note
    changed = cx.world.notes.change(note, **fields, updated_at=cx.instant)
    for follow in ON_TEXT if changed.body != note.body else ():
        follow(cx, changed)
    mentions.follow(cx, record, changed.body, before=note.body, note=changed)
    noteables.touch(cx, record)
    cx.emit("note_updated", changed)
    return changed


def remove(cx: Doing, note: Note) -> None:
    """Remove a note with what hangs on it."""
    awards.drop(cx, (NOTE, note.id))
    todos.drop_note(cx, note)
    activity.forget_target(cx, NOTE, note.id)
    for follow in ON_REMOVE:
        follow(cx, note)
    cx.world.notes.remove(note)
    cx.emit("note_deleted", note)


def drop(cx: Doing, subject: Subject) -> None:
    """Remove all that is said of something that goes."""
    for note in list(cx.world.notes.where("subject", subject)):
        remove(cx, note)


def _again(cx: Doing, record: Any) -> Any:
    """A record as it is now."""
    return noteables.found(cx.world, noteables.subject_of(record))


def may_set_times(cx: Context, record: Any) -> bool:
    """Whether the caller may say when a note was made."""
    return can(cx, May.SET_NOTE_TIMES, noteables.project_of(cx.world, record))


def _seen(cx: Context, note: Note) -> bool:
    record = noteables.found(cx.world, note.subject)
    return record is not None and noteables.visible(cx, record) and visible(cx, note)


def _title(world: World, note: Note) -> str | None:
    record = noteables.found(world, note.subject)
    return noteables.of(record).title(record) if record is not None else None


activity.TARGETS[NOTE] = activity.Target(
    find=lambda world, id_: world.notes.get(id_),
    wire=lambda note: note.type or "Note",
    iid=lambda note: int(note.id),
    title=_title,
    seen=_seen,
)
AUTHORED.append(Authored("notes", "author_id", "author", remove))
