"""Notes: listing, creating and changing them. Source: docs/platform/notes-discussions.md."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Unpack

from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound, inspect_errors
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import events, signals
from fakeplat.domain.notes import mentions, note_access, noteables, todos
from fakeplat.domain.notes.noteables import Noteable, Subject
from fakeplat.domain.notes.system_notes import DISCUSSION
from fakeplat.domain.purging import purge
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.validation import BLANK
from fakeplat.model.notes import Note, NoteChanges, NoteFields
from fakeplat.model.people import User
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import NOTES_STAY_AS_VISIBLE_AS_THEY_ARE, UNSAVED_NOTE
from fakeplat.policy.context import ReadContext, WriteContext

MAX_LENGTH: Final = 1_000_000
NOTE: Final = "note"
_CONFIDENTIALITY_STAYS: Final = inspect_errors({"confidential": ["can not be changed for existing notes"]})
EMPTY: Final = inspect_errors({NOTE: [BLANK]})
"""The validation errors of a note with an empty body."""


@frozen
class NoteResult:
    """The result of a text: the note, unless the text had only quick actions, and what these changed.

    ``summary`` describes the changes, ``commands`` are the names of the quick actions; ``acted``: whether anything was
    changed.
    """

    note: Note | None
    changes: Mapping[str, Any]
    summary: list[str]
    commands: tuple[str, ...] = ()
    has_changes: bool = False

    @classmethod
    def of(
        cls,
        note: Note | None,
        plan: quick_actions.CommandResult,
        parsed_commands: Iterable[quick_actions.ParsedCommand],
        *,
        removed: bool = False,
    ) -> "NoteResult":
        """Return the result of a text with quick actions; ``removed``: its note was deleted, as no text was left."""
        names = tuple(command.name for command in parsed_commands)
        return cls(note, plan.reported_changes(), plan.summary, names, removed or bool(plan.changes))


def list_visible_notes(ctx: ReadContext, record: Noteable) -> list[Note]:
    """Return the notes on a noteable that the caller can see, oldest first."""
    return [note for note in list_notes(ctx, record) if note_access.is_visible(ctx, note)]


def list_notes(ctx: ReadContext, record: Noteable) -> list[Note]:
    """Return all notes on a noteable, including those hidden from the caller, oldest first."""
    # Not in the order of ids: scenarios and users with the right can set created_at.
    notes = ctx.world.notes.where("subject", noteables.subject_of(record))
    return sorted(notes, key=lambda note: (note.created_at, note.id))


def get_any_note(ctx: ReadContext, record: Noteable, id_: int) -> Note:
    """Return a note on a noteable, even if it is hidden from the caller; 404 if there is none."""
    note = ctx.world.notes.get(id_)
    if note is None or note.subject != noteables.subject_of(record):
        raise RecordNotFound(reason=lambda: f"{noteables.format_reference(ctx.world, record)} has no note {id_}")
    return note


def get_note(ctx: ReadContext, record: Noteable, id_: int) -> Note:
    """Return a note that the caller can see; 404 otherwise."""
    note = get_any_note(ctx, record, id_)
    if not note_access.is_visible(ctx, note):
        raise NotFound("Note", reason=lambda: f"note {id_} is hidden from {caller_name(ctx)}")
    return note


def count_comments(ctx: ReadContext, subject: Subject) -> int:
    """Return the number of notes on a noteable, without system notes."""
    return len(ctx.world.notes.ids("comments", subject))


def add_note(
    ctx: WriteContext, record: Noteable, body: str, *, in_review: bool = False, **about: Unpack[NoteFields]
) -> NoteResult:
    """Comment on a noteable as the caller: quick actions are carried out, the remaining text becomes a note.

    ``about`` holds fields of the note. A text of only quick actions creates no note. ``in_review``: the note is
    published with others, about which there is one mail.
    """
    check_body(body)
    if about.get("confidential") and not note_access.can_write_internally(ctx, record):
        about["confidential"] = False
    text, parsed_commands = quick_actions.extract_commands(noteables.noteable_of(record).kind, body, ctx.profile)
    # Commands are planned on the state that the author saw, before the note has any effect.
    plan = quick_actions.plan_for_record(ctx, record, parsed_commands)
    tell = signals.note_published if in_review else signals.note_created
    note = _create_note(ctx, record, text, about, tell) if text else None
    # Applied after the note is stored, so that system notes about the changes follow it.
    plan.apply(ctx, record)
    if note is not None and "spend_time" in plan.changes:
        _link_spent_time(ctx, note)
    return NoteResult.of(note, plan, parsed_commands)


def _link_spent_time(ctx: WriteContext, note: Note) -> None:
    """Let the time log that a quick action wrote name the note around it."""
    logs = ctx.world.timelogs.where("subject", note.subject)
    # The change may have been refused, and then the last log is an older one.
    if logs and logs[-1].user_id == note.author_id and logs[-1].created_at == note.created_at:
        ctx.world.timelogs.change(logs[-1], note_id=note.id)


def check_body(body: str) -> None:
    """Refuse a blank or too long text with 400."""
    error = (
        BLANK if not body.strip() else "is too long (maximum is 1000000 characters)" if len(body) > MAX_LENGTH else ""
    )
    if error:
        raise BadRequest(f"400 Bad request - Note {inspect_errors({NOTE: [error]})}")


def empty_note_error(ctx: ReadContext, result: NoteResult) -> str:
    """Return the reason why a text of only quick actions is refused."""
    names = ", ".join(f"/{name}" for name in result.commands)
    return f"{caller_name(ctx)} cannot use {names} here, and the note has no other text"


def _create_note(
    ctx: WriteContext, record: Noteable, text: str, about: NoteFields, tell: signals.Signal[[Note]]
) -> Note:
    author, subject = ctx.signed_in_user, noteables.subject_of(record)
    note = insert_note(ctx, subject, author, text, **about)
    todos.finish_pending(ctx, author, subject)
    mentions.apply_mentions(ctx, record, note.body, before="", note=note)
    noteables.touch_updated_at(ctx, record)
    events.record_event(ctx, author, "commented", noteables.container_of(ctx.world, record), (NOTE, note.id))
    tell.send(ctx, note)
    return note


def insert_note(ctx: WriteContext, subject: Subject, author: User, body: str, **fields: Unpack[NoteFields]) -> Note:
    """Insert a note, without permission checks, to-dos and events."""
    table, now = ctx.world.notes, ctx.now_iso
    fields.setdefault("updated_at", fields.setdefault("created_at", now))
    if not fields.get("discussion_id"):
        # 20 bytes are 40 hex digits.
        fields["discussion_id"] = ctx.random_hex(DISCUSSION, 20)
    note = table.add(Note(table.next_id(), subject, author.id, body, **fields))
    signals.note_text_changed.send(ctx, note)
    return note


def update_note(ctx: WriteContext, record: Noteable, note: Note, **params: Unpack[NoteChanges]) -> NoteResult:
    """Change a note (``body``, confidentiality) and carry out quick actions; without other text, delete it."""
    fields: dict[str, object] = {name: value for name, value in params.items() if value is not None}
    parsed_commands: list[quick_actions.ParsedCommand] = []
    body = params.get("body")
    is_internal = params.get("confidential")
    if (
        is_internal is not None
        and is_internal != note.confidential
        and ctx.profile.has(NOTES_STAY_AS_VISIBLE_AS_THEY_ARE)
    ):
        raise BadRequest(f"400 Bad request - {ctx.profile.choose(UNSAVED_NOTE)} {_CONFIDENTIALITY_STAYS}")
    if body is not None:
        check_body(body)
        fields["body"], parsed_commands = quick_actions.extract_commands(
            noteables.noteable_of(record).kind, body, ctx.profile
        )
    plan = quick_actions.plan_for_record(ctx, record, parsed_commands)
    # Without a new text the old one stays; an empty text means that only quick actions were sent.
    changed = _change_note(ctx, record, note, fields) if fields.get("body", note.body) else None
    if changed is None:
        purge(ctx, note)
    plan.apply(ctx, record)
    return NoteResult.of(changed, plan, parsed_commands, removed=changed is None)


def _change_note(ctx: WriteContext, record: Noteable, note: Note, fields: Mapping[str, object]) -> Note:
    if all(getattr(note, name) == value for name, value in fields.items()):
        return note
    changed = ctx.world.notes.change(note, **fields, updated_at=ctx.now_iso)
    if changed.body != note.body:
        signals.note_text_changed.send(ctx, changed)
        signals.note_edited.send(ctx, note, changed)
    mentions.apply_mentions(ctx, record, changed.body, before=note.body, note=changed)
    noteables.touch_updated_at(ctx, record)
    return changed
