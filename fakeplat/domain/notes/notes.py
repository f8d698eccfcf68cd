"""Notes: saying, changing and removing them, and who sees them. Source: docs/platform/notes-discussions.md."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import signals
from fakeplat.domain.notes import mentions, note_access, noteables, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.domain.notes.system_notes import DISCUSSION
from fakeplat.domain.people import events as activity
from fakeplat.domain.purging import purge
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.validation import BLANK, ruby_inspect
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

LONGEST: Final = 1_000_000
NOTE: Final = "note"
EMPTY: Final = ruby_inspect({NOTE: [BLANK]})
"""What is wrong with a note of which nothing is left."""


@frozen
class NoteResult:
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
        plan: quick_actions.CommandResult,
        orders: Iterable[quick_actions.ParsedCommand],
        *,
        removed: bool = False,
    ) -> "NoteResult":
        """What became of a text whose quick actions came to a plan; ``removed``: the note that it was to change."""
        names = tuple(order.name for order in orders)
        return cls(note, plan.told(), plan.summary, names, removed or bool(plan.changes))


def list_visible_notes(ctx: ReadContext, record: Any) -> list[Note]:
    """The notes of a thing that the caller sees, the oldest first."""
    return [note for note in list_notes(ctx, record) if note_access.is_visible(ctx, note)]


def list_notes(ctx: ReadContext, record: Any) -> list[Note]:
    """Return the notes of a thing, also those hidden from the caller, the oldest first."""
    found = ctx.world.notes.where("subject", noteables.subject_of(record))
    return sorted(found, key=lambda note: (note.created_at, note.id))


def find(ctx: ReadContext, record: Any, id_: int) -> Note:
    """Find a note of a record, also one that is hidden from the caller, or refuse with 404."""
    note = ctx.world.notes.get(id_)
    if note is None or note.subject != noteables.subject_of(record):
        raise RecordNotFound(reason=lambda: f"{noteables.format_reference(ctx.world, record)} has no note {id_}")
    return note


def find_note(ctx: ReadContext, record: Any, id_: int) -> Note:
    """Return a note that the caller sees, or refuse with 404."""
    note = find(ctx, record, id_)
    if not note_access.is_visible(ctx, note):
        raise NotFound("Note", reason=lambda: f"note {id_} is hidden from {caller_name(ctx)}")
    return note


def count_comments(ctx: ReadContext, subject: Subject) -> int:
    """How many notes of people a thing has."""
    return len(ctx.world.notes.ids("comments", subject))


def add_note(ctx: WriteContext, record: Any, body: str, **about: Any) -> NoteResult:
    """Say something of a thing in the caller's name: its quick actions are done, the rest becomes a note.

    ``about`` are fields of the note. A text of quick actions only leaves none.
    """
    check_body(body)
    text, orders = quick_actions.extract_commands(noteables.noteable_of(record).kind, body)
    plan = quick_actions.command_context(ctx, record, orders)
    note = _noted(ctx, record, text, about) if text else None
    plan.carry_out(ctx, _again(ctx, record))
    return NoteResult.of(note, plan, orders)


def check_body(body: str) -> None:
    """Refuse a text of nothing, and one that is too long, with 400."""
    text = BLANK if not body.strip() else "is too long (maximum is 1000000 characters)" if len(body) > LONGEST else ""
    if text:
        raise BadRequest(f"400 Bad request - Note {ruby_inspect({NOTE: [text]})}")


def empty_note_error(ctx: ReadContext, said: NoteResult) -> str:
    """Why a text of quick actions only is refused, in words."""
    names = ", ".join(f"/{name}" for name in said.commands)
    return f"{caller_name(ctx)} can do none of {names} here, and no text is left"


def _noted(ctx: WriteContext, record: Any, text: str, about: Mapping[str, Any]) -> Note:
    author, subject = ctx.signed_in_user, noteables.subject_of(record)
    note = insert_note(ctx, subject, author, text, **about)
    todos.finish_pending(ctx, author, subject)
    mentions.follow_mentions(ctx, record, text, note=note)
    noteables.touch_updated_at(ctx, record)
    activity.record_event(ctx, author, "commented", noteables.project_of(ctx.world, record), (NOTE, note.id))
    ctx.emit("note_created", note)
    return note


def insert_note(ctx: WriteContext, subject: Subject, author: User, body: str, **fields: Any) -> Note:
    """Put a note in; nobody's rights are asked and nothing follows from it."""
    table, now = ctx.world.notes, ctx.now_iso
    fields.setdefault("updated_at", fields.setdefault("created_at", now))
    if not fields.get("discussion_id"):
        fields["discussion_id"] = ctx.random_hex(DISCUSSION, 20)
    note = table.add(Note(table.next_id(), subject, author.id, body, **fields))
    signals.note_text_changed.send(ctx, note)
    return note


def update_note(ctx: WriteContext, record: Any, note: Note, given: Mapping[str, Any]) -> NoteResult:
    """Give a note another ``body`` or confidentiality; quick actions in it are done. Of nothing else, it is removed."""
    fields = {name: value for name, value in given.items() if value is not None}
    orders: list[quick_actions.ParsedCommand] = []
    if "body" in fields:
        check_body(fields["body"])
        fields["body"], orders = quick_actions.extract_commands(noteables.noteable_of(record).kind, fields["body"])
    plan = quick_actions.command_context(ctx, record, orders)
    changed = _changed(ctx, record, note, fields) if fields.get("body", note.body) else None
    if changed is None:
        purge(ctx, note)
    plan.carry_out(ctx, _again(ctx, record))
    return NoteResult.of(changed, plan, orders, removed=changed is None)


def _changed(ctx: WriteContext, record: Any, note: Note, fields: Mapping[str, Any]) -> Note:
    if all(getattr(note, name) == value for name, value in fields.items()):
        return note
    changed = ctx.world.notes.change(note, **fields, updated_at=ctx.now_iso)
    if changed.body != note.body:
        signals.note_text_changed.send(ctx, changed)
    mentions.follow_mentions(ctx, record, changed.body, before=note.body, note=changed)
    noteables.touch_updated_at(ctx, record)
    ctx.emit("note_updated", changed)
    return changed


def _again(ctx: WriteContext, record: Any) -> Any:
    """A record as it is now."""
    return noteables.find_record(ctx.world, noteables.subject_of(record))


def _seen(ctx: ReadContext, note: Note) -> bool:
    record = noteables.find_record(ctx.world, note.subject)
    return record is not None and noteables.is_visible(ctx, record) and note_access.is_visible(ctx, note)


def _title(world: World, note: Note) -> str | None:
    record = noteables.find_record(world, note.subject)
    return noteables.noteable_of(record).title(record) if record is not None else None


activity.TARGETS[NOTE] = activity.Target(
    find=lambda world, id_: world.notes.get(id_),
    wire=lambda note: note.type or "Note",
    iid=lambda note: int(note.id),
    title=_title,
    seen=_seen,
)
