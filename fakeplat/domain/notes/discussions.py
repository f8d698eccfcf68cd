"""Discussions: the notes of a thing by threads. Source: docs/platform/notes-discussions.md."""

from collections.abc import Mapping
from typing import Any

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import diff_positions, note_access, noteables, notes
from fakeplat.domain.notes import resolution as resolving
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.repository import repositories
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, Position
from fakeplat.policy.context import ReadContext, WriteContext

NOT_REPLYABLE = "400 Bad request - Discussion can not be replied to."


@frozen
class Discussion:
    """Notes that belong together, the oldest first; ``id`` is 40 hex digits."""

    id: str
    notes: tuple[Note, ...]

    @property
    def alone(self) -> bool:
        """Whether it is a note that nobody replied to in a thread."""
        return self.notes[0].type is None


def list_discussions(ctx: ReadContext, record: Any) -> list[Discussion]:
    """The discussions of a thing that the caller sees, in the order of their first notes."""
    threads: dict[str, list[Note]] = {}
    for note in notes.list_visible_notes(ctx, record):
        threads.setdefault(note.discussion_id, []).append(note)
    return [Discussion(id_, tuple(found)) for id_, found in threads.items()]


def find_discussion(ctx: ReadContext, record: Any, id_: str) -> Discussion:
    """A discussion of a thing, or 404."""
    subject = noteables.subject_of(record)
    found = [note for note in ctx.world.notes.where("discussion", id_) if note.subject == subject]
    seen = sorted((n for n in found if note_access.is_visible(ctx, n)), key=lambda note: (note.created_at, note.id))
    if not seen:
        raise NotFound(
            "Discussion", reason=lambda: f"{noteables.format_reference(ctx.world, record)} has no discussion {id_}"
        )
    return Discussion(id_, tuple(seen))


def start_discussion(
    ctx: WriteContext, record: Any, body: str, about: Mapping[str, Any], position: Position | None = None
) -> NoteResult:
    """Say something that can be replied to in its thread, perhaps of a line; 400 for a place that is not there.

    Of a line in an older version it is said of the newest, if the line is still there.
    """
    if position is None:
        return notes.add_note(ctx, record, body, **about, type="DiscussionNote")
    notes.check_body(body)
    code = diff_positions.check_position(ctx.world, record, position)
    found = _in_newest(ctx, record, position) or diff_positions.TracedPosition(position, code)
    return notes.add_note(ctx, record, body, **about, type="DiffNote", **found._asdict())


def _in_newest(ctx: ReadContext, record: Any, position: Position) -> diff_positions.TracedPosition | None:
    refs = diff_versions.latest_refs(ctx.world, record) if isinstance(record, MergeRequest) else None
    if refs is None or refs == diff_positions.refs_of(position):
        return None
    objects = repositories.open_repository(ctx.world, noteables.project_of(ctx.world, record)).objects
    return diff_positions.trace_position(objects, position, refs)


def reply_to(ctx: WriteContext, record: Any, discussion: Discussion, body: str, about: Mapping[str, Any]) -> NoteResult:
    """Go on with a discussion; a note that stood alone becomes the first of a thread. What is settled stays so."""
    first = discussion.notes[0]
    if first.type is None and (first.system or not noteables.noteable_of(record).replyable):
        raise BadRequest(NOT_REPLYABLE, reason=f"note {first.id} stands alone")
    kind = first.type or "DiscussionNote"
    fields = {
        **about,
        "confidential": first.confidential or bool(about.get("confidential")),
        **{name: getattr(first, name) for name in ("position", "line", "line_code")},
    }
    if resolving.is_resolved(_every(ctx, discussion)):
        fields |= {"resolved_at": ctx.now_iso, "resolved_by_id": ctx.signed_in_user.id}
    said = notes.add_note(ctx, record, body, **fields, discussion_id=discussion.id, type=kind)
    if said.note is not None and first.type is None:
        ctx.world.notes.change(ctx.world.notes[first.id], type=kind)
    return said


def resolve_discussion(ctx: WriteContext, record: Any, discussion: Discussion, *, resolved: bool) -> Discussion:
    """Settle a discussion with all its notes, or open it again; 403 for who may not."""
    resolving.set_thread_resolved(ctx, record, _every(ctx, discussion), resolved=resolved)
    return find_discussion(ctx, record, discussion.id)


def _every(ctx: ReadContext, discussion: Discussion) -> list[Note]:
    """Its notes, those that the caller does not see too."""
    subject = discussion.notes[0].subject
    return [note for note in ctx.world.notes.where("discussion", discussion.id) if note.subject == subject]
