"""What is said of things, note by note and in discussions.

Source: docs/platform/notes-discussions.md, docs/platform/alerts.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.notes import diff_positions, discussions, note_access, noteables, notes
from fakeplat.domain.notes import resolution as resolving
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.notes.markdown import render_html
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.graphql.diffs import Refs
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.issuables import ISSUE, MERGE_REQUEST, Issuable
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.notes import Note, Position
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import ReadContext

_RESOLVABLE: Final = {
    "resolvable: Boolean!": "Whether it can be settled.",
    "resolved: Boolean!": "Whether it is settled.",
    "resolvedAt: Time": "When it was settled.",
    "resolvedBy: User": "Who settled it.",
}
Interface("ResolvableInterface", "What can be settled.", _RESOLVABLE)
Interface(
    "Noteable",
    "What can be noted.",
    {"notes: NoteConnection!": "All that is said of it.", "discussions: DiscussionConnection!": "The same by threads."},
)


def note_kind(note: Note) -> str:
    """What global ids call a note."""
    return note.type or "Note"


_ALONE: Final = "IndividualNoteDiscussion"
_THREADS: Final = {
    "DiscussionNote": "Discussion",
    "DiffNote": "DiffDiscussion",
    "LegacyDiffNote": "LegacyDiffDiscussion",
}
DISCUSSIONS: Final = (*_THREADS.values(), _ALONE)
"""What discussions are called in global ids."""


def discussion_kind(discussion: Discussion) -> str:
    """What global ids call a discussion."""
    return _THREADS.get(discussion.notes[0].type or "", _ALONE)


NOTE = Type("Note", "A note: of a person, or of the platform.", gid=note_kind, implements=("ResolvableInterface",))
NOTE.attributes(
    {
        "body: String!": "What it says.",
        "system: Boolean!": "Whether the platform wrote it.",
        "confidential: Boolean": "Whether only members with a say see it.",
        "createdAt: Time!": "When it was written.",
        "updatedAt: Time!": "When it was last changed.",
    }
)
DISCUSSION = Type("Discussion", "Notes that belong together.", gid=discussion_kind, implements=("ResolvableInterface",))


@NOTE.field("author: User!")
def author(ctx: ReadContext, note: Note) -> User:
    """Who wrote it, or did what it tells."""
    return ctx.world.users[note.author_id]


@NOTE.field("bodyHtml: String")
def body_html(ctx: ReadContext, note: Note) -> str:
    """What it says as HTML."""
    del ctx
    return render_html(note.body)


@NOTE.field("project: Project")
def project(ctx: ReadContext, note: Note) -> Project | None:
    """The project of what it is about."""
    if note.subject[0] == ALERT:
        return ctx.world.projects[ctx.world.alerts[note.subject[1]].project_id]
    found = noteables.find_record(ctx.world, note.subject)
    return noteables.project_of(ctx.world, found) if found is not None else None


@NOTE.field("discussion: Discussion")
def discussion_of(ctx: ReadContext, note: Note) -> Discussion | None:
    """The discussion that it is part of."""
    thread = [one for one in ctx.world.notes.where("discussion", note.discussion_id) if one.subject == note.subject]
    seen = sorted((one for one in thread if note_access.is_visible(ctx, one)), key=lambda one: (one.created_at, one.id))
    return Discussion(note.discussion_id, tuple(seen)) if note.discussion_id and seen else None


@NOTE.field("resolvable: Boolean!")
def is_resolvable(ctx: ReadContext, note: Note) -> bool:
    """Whether it can be settled."""
    del ctx
    return note.is_resolvable


@NOTE.field("resolved: Boolean!")
def is_resolved(ctx: ReadContext, note: Note) -> bool:
    """Whether it is settled."""
    return is_resolvable(ctx, note) and note.resolved_at is not None


@NOTE.field("resolvedAt: Time")
def resolved_at(ctx: ReadContext, note: Note) -> str | None:
    """When it was settled."""
    return note.resolved_at if is_resolved(ctx, note) else None


@NOTE.field("resolvedBy: User")
def resolved_by(ctx: ReadContext, note: Note) -> User | None:
    """Who settled it."""
    id_ = note.resolved_by_id if is_resolved(ctx, note) else None
    return ctx.world.users.get(id_) if id_ is not None else None


Enumeration(
    "DiffPositionType",
    "What a place is in.",
    {"text": ("text", "A line of a text."), "image": ("image", "A point of a picture.")},
)
POSITION = Type("DiffPosition", "The place in a difference that a note is about.")
POSITION.attributes(
    {
        "oldPath: String": "The file's path before.",
        "newPath: String": "The file's path now.",
        "positionType: DiffPositionType!": "What it is in.",
        "oldLine: Int": "The number of the line before.",
        "newLine: Int": "The number of the line now.",
        "x: Int": "How far from the left, in pixels.",
        "y: Int": "How far from the top, in pixels.",
        "width: Int": "How wide the picture is.",
        "height: Int": "How high the picture is.",
    }
)


@POSITION.field("filePath: String!")
def file_path(ctx: ReadContext, position: Position) -> str:
    """The file's path as it is now, else as it was."""
    del ctx
    return position.path


@POSITION.field("diffRefs: DiffRefs!")
def diff_refs(ctx: ReadContext, position: Position) -> Refs:
    """The commits of the difference."""
    del ctx
    return Refs(*diff_positions.refs_of(position))


@NOTE.field("position: DiffPosition")
def position(ctx: ReadContext, note: Note) -> Position | None:
    """The place in a difference that it is about."""
    del ctx
    return note.position if note.type == "DiffNote" else None


@DISCUSSION.field("replyId: ID!")
def reply_id(ctx: ReadContext, discussion: Discussion) -> str:
    """The global id that replies name."""
    return global_id(ctx, discussion_kind(discussion), discussion.id)


@DISCUSSION.field("createdAt: Time!")
def created_at(ctx: ReadContext, discussion: Discussion) -> str:
    """When its first note was written."""
    del ctx
    return discussion.notes[0].created_at


@DISCUSSION.field("notes: NoteConnection!")
def notes_of_discussion(ctx: ReadContext, discussion: Discussion) -> Sequence[Note]:
    """Its notes, the oldest first."""
    del ctx
    return discussion.notes


def _last_settled(discussion: Discussion) -> Note | None:
    """The note that was settled last, where nothing waits to be settled."""
    if not resolving.is_resolved(discussion.notes):
        return None
    return max((note for note in discussion.notes if note.is_resolvable), key=lambda note: note.resolved_at or "")


@DISCUSSION.field("resolvable: Boolean!")
def is_discussion_resolvable(ctx: ReadContext, discussion: Discussion) -> bool:
    """Whether it can be settled."""
    del ctx
    return any(note.is_resolvable for note in discussion.notes)


@DISCUSSION.field("resolved: Boolean!")
def is_discussion_resolved(ctx: ReadContext, discussion: Discussion) -> bool:
    """Whether it is settled."""
    del ctx
    return resolving.is_resolved(discussion.notes)


@DISCUSSION.field("resolvedAt: Time")
def discussion_resolved_at(ctx: ReadContext, discussion: Discussion) -> str | None:
    """When it was settled."""
    del ctx
    last = _last_settled(discussion)
    return last.resolved_at if last else None


@DISCUSSION.field("resolvedBy: User")
def discussion_resolved_by(ctx: ReadContext, discussion: Discussion) -> User | None:
    """Who settled it."""
    last = _last_settled(discussion)
    return resolved_by(ctx, last) if last else None


@ISSUE.field("notes: NoteConnection!")
@MERGE_REQUEST.field("notes: NoteConnection!")
def notes_of(ctx: ReadContext, record: Issuable) -> Sequence[Note]:
    """All that is said of it, the oldest first."""
    return notes.list_visible_notes(ctx, record)


@ISSUE.field("discussions: DiscussionConnection!")
@MERGE_REQUEST.field("discussions: DiscussionConnection!")
def discussions_of(ctx: ReadContext, record: Issuable) -> Sequence[Discussion]:
    """All that is said of it, by threads."""
    return discussions.list_discussions(ctx, record)
