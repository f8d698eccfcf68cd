"""Discussions: the notes of a thing by threads. Source: more on notes and discussions."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from fakeplat.core.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.domain import noteables, notes
from fakeplat.domain.notes import Said
from fakeplat.model.notes import Note
from fakeplat.policy.context import Context, Doing

NOT_REPLYABLE = "400 Bad request - Discussion can not be replied to."
NOT_RESOLVABLE = "400 Bad request - Note is not resolvable"


@frozen
class Discussion:
    """Notes that belong together, the oldest first; ``id`` is 40 hex digits."""

    id: str
    notes: tuple[Note, ...]

    @property
    def alone(self) -> bool:
        """Whether it is a note that nobody replied to in a thread."""
        return self.notes[0].type is None


def of(cx: Context, record: Any) -> list[Discussion]:
    """The discussions of a thing that the caller sees, in the order of their first notes."""
    threads: dict[str, list[Note]] = {}
    for note in notes.of(cx, record):
        threads.setdefault(note.discussion_id, []).append(note)
    return [Discussion(id_, tuple(found)) for id_, found in threads.items()]


def get(cx: Context, record: Any, id_: str) -> Discussion:
    """A discussion of a thing, or 404."""
    subject = noteables.subject_of(record)
    found = [note for note in cx.world.notes.where("discussion", id_) if note.subject == subject]
    seen = sorted((n for n in found if notes.visible(cx, n)), key=lambda note: (note.created_at, note.id))
    if not seen:
        raise NotFound("Discussion", reason=lambda: f"{noteables.reference(cx.world, record)} has no discussion {id_}")
    return Discussion(id_, tuple(seen))


def note_in(discussion: Discussion, id_: int) -> Note:
    """A note of a discussion, or 404."""
    found = next((note for note in discussion.notes if note.id == id_), None)
    if found is None:
        raise RecordNotFound(reason=lambda: f"discussion {discussion.id} has no note {id_}")
    return found


def start(cx: Doing, record: Any, body: str, about: Mapping[str, Any]) -> Said:
    """Say something that can be replied to in its thread."""
    return notes.say(cx, record, body, **about, type="DiscussionNote")


def reply(cx: Doing, record: Any, discussion: Discussion, body: str, about: Mapping[str, Any]) -> Said:
    """Go on with a discussion; a note that stood alone becomes the first of a thread."""
    first = discussion.notes[0]
    if first.system:
        raise BadRequest(NOT_REPLYABLE)
    kind = first.type or "DiscussionNote"
    fields = {**about, "confidential": first.confidential or bool(about.get("confidential"))}
    said = notes.say(cx, record, body, **fields, discussion_id=discussion.id, type=kind)
    if said.note is not None:
        cx.world.notes.change(first, type=kind)
    return said


def refuse_resolving() -> None:
    """Only notes of threads on merge requests are settled."""
    raise BadRequest(NOT_RESOLVABLE)
