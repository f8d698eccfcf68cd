"""Mutations of notes and discussions. Source: docs/platform/graphql.md, docs/platform/notes-discussions.md."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, Required, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest, NotFound, payload_text
from fakeplat.domain.notes import discussions, note_access, noteables, notes
from fakeplat.domain.notes.discussions import NOT_REPLYABLE, Discussion
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import MutationFailed, MutationResult, ResourceNotAvailable
from fakeplat.graphql.ids import parse_global_id
from fakeplat.graphql.lookups import require_note, require_noteable
from fakeplat.graphql.notes.notes import DISCUSSIONS
from fakeplat.graphql.schema_builder import Input, mutation, trim_lifetimes
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import NoteOptions, Position
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

NO_DISCUSSION: Final = "The discussion does not exist or you don't have permission to perform this action"
NO_REPLY: Final = "Discussion to reply to cannot be found"
COMMANDS_FAILED: Final = "Failed to apply commands."
NO_COMMANDS_APPLIED: Final = f"Commands only {COMMANDS_FAILED}"
# A field and a string of a Ruby hash, as printed by ``inspect``.
_RUBY_FIELD: Final = re.compile(r":(\w+)=>\[([^\]]*)\]")
_RUBY_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NO_THREAD: Final = "Note cannot be converted to a resolvable thread"
_GIVES: Final = '"""The note."""\nnote: Note'
_WHICH: Final = '"""The ID of the note."""\nid: NoteID!'
_NOTE_INPUT: Final = '''
"""The ID of the noteable."""
noteableId: NoteableID!
"""The text in Markdown."""
body: String!
"""Whether the note is confidential."""
confidential: Boolean @lifetime(until: "<=18.9")
"""Whether the note is only for members: the newer name of confidential."""
internal: Boolean @lifetime(since: "15.3")
'''
_REFS: Final = '''
"""The SHA of the merge base."""
baseSha: String
"""The SHA of the head of the target branch."""
startSha: String!
"""The SHA of the head of the source branch."""
headSha: String!
"""The paths of the file."""
paths: DiffPathsInput!
'''

Input(
    "DiffPathsInput",
    "The paths of a file in a diff.",
    '"""The path before the change."""\noldPath: String\n"""The path after the change."""\nnewPath: String',
)
Input(
    "DiffPositionInput",
    "A position in the diff of a text file.",
    f'''{_REFS}
"""The line number before the change."""
oldLine: Int
"""The line number after the change."""
newLine: Int! @lifetime(until: "13.10")
"""The line number after the change."""
newLine: Int @lifetime(since: "13.10")
''',
)
Input(
    "DiffImagePositionInput",
    "A position in the diff of an image.",
    f'''{_REFS}
"""The distance from the left edge, in pixels."""
x: Int!
"""The distance from the top edge, in pixels."""
y: Int!
"""The width of the image."""
width: Int!
"""The height of the image."""
height: Int!
''',
)


class PositionInput(TypedDict, total=False):
    """A position as clients send it: on a line of a text, or on a point of an image."""

    paths: Required[Mapping[str, str | None]]
    head_sha: Required[str]
    start_sha: Required[str]
    base_sha: str | None
    old_line: int | None
    new_line: int | None
    x: int
    y: int
    width: int
    height: int


@contextmanager
def _collect_note_errors(**fields: object) -> Iterator[None]:
    """Turn validation errors of a note into errors of the payload, beside the unchanged records in ``fields``."""
    try:
        yield
    except BadRequest as refusal:
        raise MutationFailed(_error_messages(payload_text(refusal.payload)), fields) from refusal


def _error_messages(message: str) -> list[str]:
    """Convert the error of REST, ``Note {:note=>["can't be blank"]}``, to messages: ``Note can't be blank``."""
    if message == NOT_REPLYABLE:
        return [NO_REPLY]
    fields = ((name.replace("_", " ").capitalize(), texts) for name, texts in _RUBY_FIELD.findall(message))
    return [f"{name} {text}" for name, texts in fields for text in _RUBY_STRING.findall(texts)] or [NO_COMMANDS_APPLIED]


def _get_commentable(ctx: WriteContext, noteable_id: str) -> Any:
    """Return the noteable with a global id, on which the caller may comment."""
    record = require_noteable(ctx, noteable_id)
    note_access.authorize_comment(ctx, record)
    return record


class NoteInput(TypedDict, total=False):
    """What a mutation says of a note beside its text; both names mean the same."""

    confidential: bool | None
    internal: bool | None


def _note_fields(options: NoteInput) -> NoteOptions:
    return {"confidential": True} if any(options.values()) else {}


def _note_payload(ctx: WriteContext, result: NoteResult) -> Payload:
    """Return the payload of a comment: its note; if it had only quick actions, their summary among the errors."""
    if result.note is None and not (result.summary or result.has_changes):
        raise MutationFailed([NO_COMMANDS_APPLIED], {})
    if result.note is None:
        # The platform reports the summary as an error, but the quick actions stay.
        return {"errors": MutationResult([f"Commands only {' '.join(result.summary) or COMMANDS_FAILED}"])}
    return {"note": ctx.world.notes[result.note.id]}


@mutation(
    "createNote",
    input_fields=f'{_NOTE_INPUT}\n"""The ID of the discussion to reply to."""\ndiscussionId: DiscussionID',
    payload_fields=_GIVES,
)
def create_note(
    ctx: WriteContext, noteable_id: str, body: str, discussion_id: str | None = None, **options: Unpack[NoteInput]
) -> Payload:
    """Create a note; quick actions in it are executed."""
    record, note_fields = _get_commentable(ctx, noteable_id), _note_fields(options)
    discussion = _get_replied_discussion(ctx, record, discussion_id) if discussion_id is not None else None
    with _collect_note_errors():
        if discussion is None:
            return _note_payload(ctx, notes.add_note(ctx, record, body, **note_fields))
        return _note_payload(ctx, discussions.reply_to(ctx, record, discussion, body, **note_fields))


def _get_replied_discussion(ctx: ReadContext, record: Noteable, text: str) -> Discussion:
    """Return the discussion of a noteable with a global id."""
    _, id_ = parse_global_id(ctx, text, "Discussion", DISCUSSIONS)
    try:
        return discussions.get_discussion(ctx, record, id_)
    except NotFound:
        raise GraphQLError(NO_DISCUSSION) from None


@mutation(
    "createDiscussion",
    input_fields=trim_lifetimes(_NOTE_INPUT, (18, 5)),
    payload_fields=_GIVES,
    since="<=18.5",
)
def create_discussion(ctx: WriteContext, noteable_id: str, body: str, **options: Unpack[NoteInput]) -> Payload:
    """Start a thread, to which others can reply."""
    record = _get_commentable(ctx, noteable_id)
    with _collect_note_errors():
        return _note_payload(ctx, discussions.start_discussion(ctx, record, body, **_note_fields(options)))


@mutation("noteConvertToThread", input_fields=_WHICH, payload_fields=_GIVES, since="<=18.5")
def note_convert_to_thread(ctx: WriteContext, id: str) -> Payload:
    """Make a comment the first one of a thread that can be resolved."""
    record, note = require_note(ctx, id)
    note_access.authorize_comment(ctx, record)
    if note.type is not None or note.system or not isinstance(record, Issue | MergeRequest):
        raise GraphQLError(_NO_THREAD)
    changed = ctx.world.notes.change(note, type="DiscussionNote", updated_at=ctx.now_iso)
    return {"note": changed}


@mutation(
    "createDiffNote",
    input_fields=f'{_NOTE_INPUT}\n"""The position of the line."""\nposition: DiffPositionInput!',
    payload_fields=_GIVES,
)
def create_diff_note(
    ctx: WriteContext, noteable_id: str, body: str, position: PositionInput, **options: Unpack[NoteInput]
) -> Payload:
    """Create a note on a line of a merge request's diff."""
    return _create_at_position(ctx, noteable_id, body, _note_fields(options), "text", position)


@mutation(
    "createImageDiffNote",
    input_fields=f'{_NOTE_INPUT}\n"""The position of the point."""\nposition: DiffImagePositionInput!',
    payload_fields=_GIVES,
)
def create_image_diff_note(
    ctx: WriteContext, noteable_id: str, body: str, position: PositionInput, **options: Unpack[NoteInput]
) -> Payload:
    """Create a note on a point of an image in a merge request's diff."""
    return _create_at_position(ctx, noteable_id, body, _note_fields(options), "image", position)


def _create_at_position(
    ctx: WriteContext,
    noteable_id: str,
    body: str,
    note_fields: NoteOptions,
    position_type: Literal["text", "image"],
    position: PositionInput,
) -> Payload:
    record = _get_commentable(ctx, noteable_id)
    if not isinstance(record, MergeRequest):
        raise ResourceNotAvailable(f"{noteable_id} has no diff; only merge requests have one")
    # ``paths`` is nested only on the wire; the base is optional there, but a position always has it.
    fields: dict[str, Any] = {**position, **position["paths"], "base_sha": position.get("base_sha") or ""}
    del fields["paths"]
    with _collect_note_errors():
        return _note_payload(
            ctx,
            discussions.start_line_discussion(
                ctx, record, body, Position(**fields, position_type=position_type), **note_fields
            ),
        )


@mutation(
    "updateNote",
    input_fields=f'''{_WHICH}
"""The text in Markdown."""
body: String
"""Whether the note is confidential."""
confidential: Boolean @lifetime(until: "18.0")
''',
    payload_fields=_GIVES,
)
def update_note(ctx: WriteContext, id: str, body: str | None = None, confidential: bool | None = None) -> Payload:
    """Update a note; one left with only quick actions is deleted."""
    record, note = require_note(ctx, id)
    note_access.authorize_change(ctx, record, note)
    with _collect_note_errors(note=note):
        return {"note": notes.update_note(ctx, record, note, body=body, confidential=confidential).note}


@mutation("destroyNote", input_fields=_WHICH, payload_fields=_GIVES)
def destroy_note(ctx: WriteContext, id: str) -> Payload:
    """Delete a note."""
    record, note = require_note(ctx, id)
    note_access.authorize_change(ctx, record, note)
    purge(ctx, note)
    return {}


@mutation(
    "discussionToggleResolve",
    input_fields='"""The ID of the discussion."""\nid: DiscussionID!\n"""Whether to resolve it."""\nresolve: Boolean!',
    payload_fields='"""The discussion."""\ndiscussion: Discussion',
)
def discussion_toggle_resolve(ctx: WriteContext, id: str, resolve: bool) -> Payload:
    """Resolve a discussion, or reopen it."""
    _, id_ = parse_global_id(ctx, id, "Discussion", DISCUSSIONS)
    # The id does not say what the discussion is on; its notes do.
    first = next(iter(ctx.world.notes.where("discussion", id_)), None)
    record = noteables.find_record(ctx.world, first.subject) if first is not None else None
    if record is None or not noteables.is_visible(ctx, record):
        raise ResourceNotAvailable(lambda: f"{id} does not exist or is hidden from {caller_name(ctx)}")
    discussion = discussions.get_discussion(ctx, record, id_)
    return {"discussion": discussions.resolve_discussion(ctx, record, discussion, resolved=resolve)}
