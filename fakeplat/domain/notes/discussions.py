"""Discussions: the notes on a noteable, grouped by thread. Source: docs/platform/notes-discussions.md."""

from typing import TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.notes import note_access, noteables, notes, resolution
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_positions, diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, NoteFields, NoteOptions, NoteType, Position
from fakeplat.policy.behaviours import INTERNAL_NOTES_ARE_FOR_REPORTERS
from fakeplat.policy.context import ReadContext, WriteContext

NOT_REPLYABLE = "400 Bad request - Discussion can not be replied to."


@frozen
class Discussion:
    """The notes of a thread, oldest first; ``id`` is 40 hex digits."""

    id: str
    notes: tuple[Note, ...]

    @property
    def alone(self) -> bool:
        """Whether it is an individual note, which is not part of a thread."""
        return self.notes[0].type is None


def list_discussions(ctx: ReadContext, record: Noteable) -> list[Discussion]:
    """Return the discussions that the caller can see, in the order of their first notes."""
    threads: dict[str, list[Note]] = {}
    for note in notes.list_visible_notes(ctx, record):
        threads.setdefault(note.discussion_id, []).append(note)
    return [Discussion(id_, tuple(thread)) for id_, thread in threads.items()]


def get_discussion(ctx: ReadContext, record: Noteable, id_: str) -> Discussion:
    """Return a discussion of a noteable; 404 if the caller can see none of its notes."""
    discussion = find_discussion(ctx, record, id_)
    if discussion is None:
        raise NotFound(
            "Discussion", reason=lambda: f"{noteables.format_reference(ctx.world, record)} has no discussion {id_}"
        )
    return discussion


def find_discussion(ctx: ReadContext, record: Noteable, id_: str) -> Discussion | None:
    """Return a discussion of a noteable; None if the caller can see none of its notes."""
    subject = noteables.subject_of(record)
    # The id comes from the URL and may belong to a discussion of another noteable.
    candidates = (note for note in ctx.world.notes.where("discussion", id_) if note.subject == subject)
    visible = (note for note in candidates if note_access.is_visible(ctx, note))
    thread = sorted(visible, key=lambda note: (note.created_at, note.id))
    return Discussion(id_, tuple(thread)) if thread else None


def start_discussion(ctx: WriteContext, record: Noteable, body: str, **fields: Unpack[NoteOptions]) -> NoteResult:
    """Start a thread as the caller."""
    return notes.add_note(ctx, record, body, **fields, type="DiscussionNote")


def start_line_discussion(
    ctx: WriteContext,
    record: MergeRequest | ProjectCommit,
    body: str,
    position: Position,
    **fields: Unpack[NoteOptions],
) -> NoteResult:
    """Start a thread on a position in the diff as the caller; 400 if the position does not exist.

    A position in an older version is moved to the newest one, if the line still exists there.
    """
    # A blank text is reported before a position that does not exist.
    notes.check_body(body)
    return notes.add_note(ctx, record, body, **fields, **place_on_line(ctx, record, position))


class LinePlace(TypedDict):
    """The fields of a note on a position in the diff."""

    type: NoteType
    position: Position
    line_code: str | None


def place_on_line(ctx: ReadContext, record: MergeRequest | ProjectCommit, position: Position) -> LinePlace:
    """Return the fields of a note on a position in the diff; 400 if the position does not exist."""
    code = diff_positions.check_position(ctx.world, record, position)
    # A position whose line has changed since stays in the version that the caller named.
    traced = _trace_to_latest(ctx, record, position) or diff_positions.TracedPosition(position, code)
    return {"type": "DiffNote", "position": traced.position, "line_code": traced.line_code}


def _trace_to_latest(
    ctx: ReadContext, record: MergeRequest | ProjectCommit, position: Position
) -> diff_positions.TracedPosition | None:
    refs = diff_versions.latest_refs(ctx.world, record) if isinstance(record, MergeRequest) else None
    if refs is None or refs == diff_positions.refs_of(position):
        return None
    objects = repositories.open_repository(ctx.world, noteables.project_of(ctx.world, record)).objects
    return diff_positions.trace_position(objects, position, refs)


def reply_to(
    ctx: WriteContext, record: Noteable, discussion: Discussion, body: str, **options: Unpack[NoteOptions]
) -> NoteResult:
    """Reply to a discussion; an individual note becomes the first of a thread. A resolved thread stays resolved."""
    fields = place_in_thread(ctx, record, discussion, confidential=bool(options.get("confidential")))
    if "created_at" in options:
        fields["created_at"] = options["created_at"]
    reply = notes.add_note(ctx, record, body, **fields)
    # A reply of quick actions only creates no note, and the individual note stays as it is.
    if reply.note is not None:
        begin_thread(ctx, discussion)
    return reply


def begin_thread(ctx: WriteContext, discussion: Discussion) -> None:
    """Make an individual note that was replied to the first one of a thread."""
    first = discussion.notes[0]
    if first.type is None:
        ctx.world.notes.change(ctx.world.notes[first.id], type="DiscussionNote")


def place_in_thread(
    ctx: WriteContext, record: Noteable, discussion: Discussion, *, confidential: bool = False
) -> NoteFields:
    """Return the fields of a reply to a discussion; 400 if nobody can reply to it."""
    first = discussion.notes[0]
    if first.type is None and (first.system or not noteables.noteable_of(record).replyable):
        raise BadRequest(NOT_REPLYABLE, reason=f"note {first.id} is not part of a thread and cannot start one")
    kind: NoteType = first.type or "DiscussionNote"
    fields: NoteFields = {
        # A reply cannot be more public than the thread.
        "confidential": first.confidential or (confidential and not ctx.profile.has(INTERNAL_NOTES_ARE_FOR_REPORTERS)),
        "position": first.position,
        "line": first.line,
        "line_code": first.line_code,
        "commit_id": first.commit_id,
        "discussion_id": discussion.id,
        "type": kind,
    }
    # A thread counts as resolved only if all its notes are, so a reply must be resolved like the others.
    if resolution.is_resolved(ctx.world, _list_all_notes(ctx, discussion)):
        fields |= {"resolved_at": ctx.now_iso, "resolved_by_id": ctx.signed_in_user.id}
    return fields


def resolve_discussion(ctx: WriteContext, record: Noteable, discussion: Discussion, *, resolved: bool) -> Discussion:
    """Resolve or unresolve a discussion with all its notes; 403 if the caller may not."""
    resolution.set_thread_resolved(ctx, record, _list_all_notes(ctx, discussion), resolved=resolved)
    return get_discussion(ctx, record, discussion.id)


def _list_all_notes(ctx: ReadContext, discussion: Discussion) -> list[Note]:
    """Return all notes of a discussion, including those hidden from the caller."""
    subject = discussion.notes[0].subject
    return [note for note in ctx.world.notes.where("discussion", discussion.id) if note.subject == subject]
