"""Mutations of notes and discussions. Source: docs/platform/graphql.md, docs/platform/notes-discussions.md."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest, NotFound, payload_text
from fakeplat.domain.notes import discussions, note_access, noteables, notes
from fakeplat.domain.notes.discussions import NOT_REPLYABLE, Discussion
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import MutationFailed, MutationResult, ResourceNotAvailable
from fakeplat.graphql.ids import parse_global_id
from fakeplat.graphql.lookups import demand_note, demand_noteable
from fakeplat.graphql.notes import DISCUSSIONS
from fakeplat.graphql.schema_builder import Input, mutation
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Position
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

NO_DISCUSSION: Final = "The discussion does not exist or you don't have permission to perform this action"
NO_REPLY: Final = "Discussion to reply to cannot be found"
NOTHING_SAID: Final = "Failed to apply commands."
NO_COMMANDS: Final = f"Commands only {NOTHING_SAID}"
_FIELD: Final = re.compile(r":(\w+)=>\[([^\]]*)\]")
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_GIVES: Final = '"""The note."""\nnote: Note'
_WHICH: Final = '"""The note."""\nid: NoteID!'
_SAYS: Final = '''
"""What it is about."""
noteableId: NoteableID!
"""What it says."""
body: String!
"""Whether only members with a say see it."""
confidential: Boolean
'''
_REFS: Final = '''
"""Where the branches part."""
baseSha: String
"""Where the target stood."""
startSha: String!
"""The source's head."""
headSha: String!
"""The file."""
paths: DiffPathsInput!
'''

Input(
    "DiffPathsInput",
    "A file by its paths.",
    '"""The path before."""\noldPath: String\n"""The path now."""\nnewPath: String',
)
Input(
    "DiffPositionInput",
    "A line of a difference.",
    f'{_REFS}\n"""The number of the line before."""\noldLine: Int\n"""The number of the line now."""\nnewLine: Int',
)
Input(
    "DiffImagePositionInput",
    "A point of a picture.",
    f'''{_REFS}
"""How far from the left, in pixels."""
x: Int!
"""How far from the top, in pixels."""
y: Int!
"""How wide the picture is."""
width: Int!
"""How high the picture is."""
height: Int!
''',
)


@contextmanager
def _noting(**shown: Any) -> Iterator[None]:
    """What is wrong with a note becomes texts in the payload, beside records as they were."""
    try:
        yield
    except BadRequest as refusal:
        raise MutationFailed(_texts(payload_text(refusal.payload)), shown) from refusal


def _texts(message: str) -> list[str]:
    """What REST says of a note, ``Note {:note=>["can't be blank"]}``, in sentences: ``Note can't be blank``."""
    if message == NOT_REPLYABLE:
        return [NO_REPLY]
    fields = ((name.replace("_", " ").capitalize(), texts) for name, texts in _FIELD.findall(message))
    return [f"{name} {text}" for name, texts in fields for text in _TEXT.findall(texts)] or [NO_COMMANDS]


def _demand_noting(ctx: WriteContext, noteable_id: str) -> Any:
    """The thing with a global id, of which the caller may say something."""
    record = demand_noteable(ctx, noteable_id)
    note_access.authorize_comment(ctx, record)
    return record


def _about(confidential: bool | None) -> dict[str, Any]:
    return {"confidential": True} if confidential else {}


def _shown(ctx: WriteContext, said: NoteResult) -> Payload:
    """What a text gives: its note, or what its quick actions did, told among the errors, where nothing was left."""
    if said.note is None and not (said.summary or said.acted):
        raise MutationFailed([NO_COMMANDS], {})
    if said.note is None:
        return {"errors": MutationResult([f"Commands only {' '.join(said.summary) or NOTHING_SAID}"])}
    return {"note": ctx.world.notes[said.note.id]}


@mutation(
    "createNote",
    takes=f'{_SAYS}\n"""The discussion that it replies in."""\ndiscussionId: DiscussionID',
    gives=_GIVES,
)
def create_note(
    ctx: WriteContext, noteable_id: str, body: str, confidential: bool | None = None, discussion_id: str | None = None
) -> Payload:
    """Say something of a thing; quick actions in it are done."""
    record, about = _demand_noting(ctx, noteable_id), _about(confidential)
    discussion = _replied_in(ctx, record, discussion_id) if discussion_id is not None else None
    with _noting():
        if discussion is None:
            return _shown(ctx, notes.add_note(ctx, record, body, **about))
        return _shown(ctx, discussions.reply_to(ctx, record, discussion, body, about))


def _replied_in(ctx: ReadContext, record: Any, text: str) -> Discussion:
    """The discussion of a thing with a global id."""
    _, id_ = parse_global_id(ctx, text, "Discussion", DISCUSSIONS)
    try:
        return discussions.find_discussion(ctx, record, id_)
    except NotFound:
        raise GraphQLError(NO_DISCUSSION) from None


@mutation(
    "createDiffNote",
    takes=f'{_SAYS}\n"""The line that it is about."""\nposition: DiffPositionInput!',
    gives=_GIVES,
)
def create_diff_note(
    ctx: WriteContext, noteable_id: str, body: str, position: dict[str, Any], confidential: bool | None = None
) -> Payload:
    """Say something of a line of a merge request."""
    return _of_place(ctx, noteable_id, body, _about(confidential), {**position, "position_type": "text"})


@mutation(
    "createImageDiffNote",
    takes=f'{_SAYS}\n"""The point that it is about."""\nposition: DiffImagePositionInput!',
    gives=_GIVES,
)
def create_image_diff_note(
    ctx: WriteContext, noteable_id: str, body: str, position: dict[str, Any], confidential: bool | None = None
) -> Payload:
    """Say something of a point of a picture in a merge request."""
    return _of_place(ctx, noteable_id, body, _about(confidential), {**position, "position_type": "image"})


def _of_place(ctx: WriteContext, noteable_id: str, body: str, about: dict[str, Any], said: dict[str, Any]) -> Payload:
    record = _demand_noting(ctx, noteable_id)
    if not isinstance(record, MergeRequest):
        raise ResourceNotAvailable(f"{noteable_id} has no difference; only merge requests have one")
    fields = {**said, **said["paths"], "base_sha": said.get("base_sha") or ""}
    del fields["paths"]
    with _noting():
        return _shown(ctx, discussions.start_discussion(ctx, record, body, about, Position(**fields)))


@mutation(
    "updateNote",
    takes=f'{_WHICH}\n"""What it says."""\nbody: String\n"""Whether only members see it."""\nconfidential: Boolean',
    gives=_GIVES,
)
def update_note(ctx: WriteContext, id: str, body: str | None = None, confidential: bool | None = None) -> Payload:
    """Change a note; one of which nothing but quick actions is left is removed."""
    record, note = demand_note(ctx, id)
    note_access.authorize_change(ctx, record, note)
    with _noting(note=note):
        return {"note": notes.update_note(ctx, record, note, {"body": body, "confidential": confidential}).note}


@mutation("destroyNote", takes=_WHICH, gives=_GIVES)
def destroy_note(ctx: WriteContext, id: str) -> Payload:
    """Remove a note."""
    record, note = demand_note(ctx, id)
    note_access.authorize_change(ctx, record, note)
    purge(ctx, note)
    return {}


@mutation(
    "discussionToggleResolve",
    takes='"""The discussion."""\nid: DiscussionID!\n"""Whether it is settled."""\nresolve: Boolean!',
    gives='"""The discussion."""\ndiscussion: Discussion',
)
def discussion_toggle_resolve(ctx: WriteContext, id: str, resolve: bool) -> Payload:
    """Settle a discussion, or open it again."""
    _, id_ = parse_global_id(ctx, id, "Discussion", DISCUSSIONS)
    first = next(iter(ctx.world.notes.where("discussion", id_)), None)
    record = noteables.find_record(ctx.world, first.subject) if first is not None else None
    if record is None or not noteables.is_visible(ctx, record):
        raise ResourceNotAvailable(lambda: f"{id} is not there, or hidden from {caller_name(ctx)}")
    discussion = discussions.find_discussion(ctx, record, id_)
    return {"discussion": discussions.resolve_discussion(ctx, record, discussion, resolved=resolve)}
