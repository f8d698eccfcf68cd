"""Notes and discussions.

Source: docs/platform/notes-discussions.md, docs/platform/alerts.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import discussions, note_access, noteables, notes, resolution
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.reviews import diff_positions
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.issues.issuables import ISSUE, MERGE_REQUEST
from fakeplat.graphql.merge_requests.diffs import Refs
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.graphql.snippets import SNIPPET
from fakeplat.model.notes import Note, Position
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import ReadContext

_RESOLVABLE: Final = {
    "resolvable: Boolean!": "Whether it can be resolved.",
    "resolved: Boolean!": "Whether it is resolved.",
    "resolvedAt: Time": "Timestamp of resolution.",
    "resolvedBy: User": "The user who resolved it.",
}
Interface("ResolvableInterface", "Notes and discussions that can be resolved.", _RESOLVABLE)
_NOTEABLE: Final = {
    "notes: NoteConnection!": "The notes on the record.",
    "discussions: DiscussionConnection!": "The discussions on the record.",
}
Interface("Noteable", "Records that can have notes.", _NOTEABLE, until="<=14.3")
Interface("NoteableInterface", "Records that can have notes.", _NOTEABLE, since="<=14.3")


def note_kind(note: Note) -> str:
    """Return the kind of a note in global ids."""
    return note.type or "Note"


_INDIVIDUAL: Final = "IndividualNoteDiscussion"
_KINDS_BY_NOTE_TYPE: Final = {
    "DiscussionNote": "Discussion",
    "DiffNote": "DiffDiscussion",
    "LegacyDiffNote": "LegacyDiffDiscussion",
}
DISCUSSIONS: Final = (*_KINDS_BY_NOTE_TYPE.values(), _INDIVIDUAL)
"""The kinds of discussions in global ids."""


def discussion_kind(discussion: Discussion) -> str:
    """Return the kind of a discussion in global ids."""
    # The first note decides: a reply to an individual note turns it into a discussion.
    return _KINDS_BY_NOTE_TYPE.get(discussion.notes[0].type or "", _INDIVIDUAL)


NOTE = Type(
    "Note",
    "A comment or a system note.",
    gid=note_kind,
    implements=("ResolvableInterface",),
    has_count=True,
    count_since="<=18.5",
)
NOTE.attributes(
    {
        "body: String!": "The text in Markdown.",
        "system: Boolean!": "Whether the note was created by the platform.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
NOTE.attributes({"confidential: Boolean": "Whether the note is confidential."}, until="17.0")
DISCUSSION = Type(
    "Discussion", "A discussion: a note and its replies.", gid=discussion_kind, implements=("ResolvableInterface",)
)


@NOTE.field("author: User!", until="<=18.5")
@NOTE.field("author: User", since="<=18.5")
def author(ctx: ReadContext, note: Note) -> User:
    """The author; of a system note the user who acted."""
    return ctx.world.users[note.author_id]


@NOTE.field("internal: Boolean", since="15.5")
def internal(_ctx: ReadContext, note: Note) -> bool | None:
    """Whether the note is only for members: the newer name of confidential."""
    return note.confidential


@NOTE.field("bodyHtml: String")
def body_html(ctx: ReadContext, note: Note) -> str:
    """The text rendered as HTML."""
    return markup.render_html(ctx, note.body, _project_of(ctx, note))


def _project_of(ctx: ReadContext, note: Note) -> Project | None:
    if note.subject[0] == ALERT:
        return ctx.world.projects[ctx.world.alerts[note.subject[1]].project_id]
    noteable = noteables.find_record(ctx.world, note.subject)
    container = noteables.container_of(ctx.world, noteable) if noteable is not None else None
    return container if isinstance(container, Project) else None


@NOTE.field("project: Project")
def project(ctx: ReadContext, note: Note) -> Project | None:
    """The project of the noteable."""
    return _project_of(ctx, note)


@NOTE.field("discussion: Discussion")
def discussion_of(ctx: ReadContext, note: Note) -> Discussion | None:
    """The discussion of the note."""
    replies = [
        reply for reply in ctx.world.notes.where("discussion", note.discussion_id) if reply.subject == note.subject
    ]
    visible = [reply for reply in replies if note_access.is_visible(ctx, reply)]
    visible.sort(key=lambda reply: (reply.created_at, reply.id))
    return Discussion(note.discussion_id, tuple(visible)) if note.discussion_id and visible else None


@NOTE.field("resolvable: Boolean!")
def is_resolvable(ctx: ReadContext, note: Note) -> bool:
    """Whether it can be resolved."""
    return resolution.is_resolvable(ctx.world, note)


@NOTE.field("resolved: Boolean!")
def is_resolved(ctx: ReadContext, note: Note) -> bool:
    """Whether it is resolved."""
    return is_resolvable(ctx, note) and note.resolved_at is not None


@NOTE.field("resolvedAt: Time")
def resolved_at(ctx: ReadContext, note: Note) -> str | None:
    """Timestamp of resolution."""
    return note.resolved_at if is_resolved(ctx, note) else None


@NOTE.field("resolvedBy: User")
def resolved_by(ctx: ReadContext, note: Note) -> User | None:
    """The user who resolved it."""
    id_ = note.resolved_by_id if is_resolved(ctx, note) else None
    return ctx.world.users.get(id_) if id_ is not None else None


Enumeration(
    "DiffPositionType",
    "The type of a diff position.",
    {"text": ("text", "A line of a text file."), "image": ("image", "A point of an image.")},
)
POSITION = Type("DiffPosition", "The position of a note in a diff.")
POSITION.attributes(
    {
        "oldPath: String": "The path of the file before the change.",
        "newPath: String": "The path of the file after the change.",
        "positionType: DiffPositionType!": "The type of the position.",
        "oldLine: Int": "The line number before the change.",
        "newLine: Int": "The line number after the change.",
        "x: Int": "The distance from the left edge, in pixels.",
        "y: Int": "The distance from the top edge, in pixels.",
        "width: Int": "The width of the image.",
        "height: Int": "The height of the image.",
    }
)


@POSITION.field("filePath: String!")
def file_path(_ctx: ReadContext, position: Position) -> str:
    """The path of the file after the change, or before it if the file was deleted."""
    return position.path


@POSITION.field("diffRefs: DiffRefs!")
def diff_refs(_ctx: ReadContext, position: Position) -> Refs:
    """The commits of the diff."""
    return Refs(*diff_positions.refs_of(position))


@NOTE.field("position: DiffPosition")
def position(_ctx: ReadContext, note: Note) -> Position | None:
    """The position in a diff, for diff notes."""
    # Replies in a thread on the diff are diff notes too, with the same position.
    return note.position if note.type == "DiffNote" else None


@DISCUSSION.field("replyId: ID!")
def reply_id(ctx: ReadContext, discussion: Discussion) -> str:
    """The ID to use for replies."""
    return global_id(ctx, discussion_kind(discussion), discussion.id)


@DISCUSSION.field("createdAt: Time!")
def created_at(_ctx: ReadContext, discussion: Discussion) -> str:
    """Timestamp of the first note."""
    return discussion.notes[0].created_at


@DISCUSSION.field("notes: NoteConnection!")
def notes_of_discussion(_ctx: ReadContext, discussion: Discussion) -> Sequence[Note]:
    """The notes of the discussion, oldest first."""
    return discussion.notes


def _last_resolved_note(ctx: ReadContext, discussion: Discussion) -> Note | None:
    """Return the note resolved last; None if the discussion is not resolved."""
    if not resolution.is_resolved(ctx.world, discussion.notes):
        return None
    # Timestamps in one format and time zone sort as text.
    return max((note for note in discussion.notes if note.is_resolvable), key=lambda note: note.resolved_at or "")


@DISCUSSION.field("resolvable: Boolean!")
def is_discussion_resolvable(ctx: ReadContext, discussion: Discussion) -> bool:
    """Whether it can be resolved."""
    return any(is_resolvable(ctx, note) for note in discussion.notes)


@DISCUSSION.field("resolved: Boolean!")
def is_discussion_resolved(ctx: ReadContext, discussion: Discussion) -> bool:
    """Whether it is resolved."""
    return resolution.is_resolved(ctx.world, discussion.notes)


@DISCUSSION.field("resolvedAt: Time")
def discussion_resolved_at(ctx: ReadContext, discussion: Discussion) -> str | None:
    """Timestamp of resolution."""
    last = _last_resolved_note(ctx, discussion)
    return last.resolved_at if last else None


@DISCUSSION.field("resolvedBy: User")
def discussion_resolved_by(ctx: ReadContext, discussion: Discussion) -> User | None:
    """The user who resolved it."""
    last = _last_resolved_note(ctx, discussion)
    return resolved_by(ctx, last) if last else None


Enumeration(
    "NotesFilterType",
    "Which notes to show.",
    {
        "ALL_NOTES": ("all", "All."),
        "ONLY_COMMENTS": ("comments", "Comments."),
        "ONLY_ACTIVITY": ("activity", "System notes."),
    },
    since="<=15.8",
)


def is_shown(note: Note, shown: str | None) -> bool:
    """Return whether a note passes a filter of comments and system notes."""
    return shown in (None, "all") or note.system == (shown == "activity")


_FILTER: Final = 'notes(filter: NotesFilterType @lifetime(since: "<=16.9")): NoteConnection!'


@ISSUE.field(_FILTER)
@MERGE_REQUEST.field(_FILTER)
@SNIPPET.field(_FILTER)
def notes_of(ctx: ReadContext, record: Issuable | Snippet, filter: str | None = None) -> Sequence[Note]:
    """The notes on the record, oldest first."""
    return [note for note in notes.list_visible_notes(ctx, record) if is_shown(note, filter)]


@ISSUE.field("discussions: DiscussionConnection!")
@MERGE_REQUEST.field("discussions: DiscussionConnection!")
@SNIPPET.field("discussions: DiscussionConnection!")
def discussions_of(ctx: ReadContext, record: Issuable | Snippet) -> Sequence[Discussion]:
    """The discussions on the record."""
    return discussions.list_discussions(ctx, record)
