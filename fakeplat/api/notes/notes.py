"""Notes. Source: docs/platform/notes-discussions.md."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fakeplat.api.notes.note_responses import commands_only_response, created_response, updated_response
from fakeplat.api.notes.noteables import EDITABLE_NOTES, NOTEABLE_SCOPES, NOTES
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import FilteredPages, Paged
from fakeplat.core.params.params import MomentOrNothing, NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.notes import note_access, notes
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.purging import purge
from fakeplat.entities.notes.notes import NoteView
from fakeplat.model.notes import Note, NoteOptions
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Notes", login=Login.ALWAYS)


class ListNotes(Paged):
    """Filters and order of a list of notes."""

    order_by: Literal["created_at", "updated_at"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    activity_filter: Literal["all_notes", "only_comments", "only_activity"] = "all_notes"


_SYSTEM_FLAGS: Final = {"all_notes": (True, False), "only_comments": (False,), "only_activity": (True,)}


@area.operation(
    "GET", "notes", name="list_{scope}_notes", scope=NOTEABLE_SCOPES, params=ListNotes, view=NoteView, many=True
)
def list_notes(ctx: ReadContext, _project: Project, record: Noteable, p: ListNotes) -> Sequence[Note]:
    """List notes; of equally old ones the latest first.

    As on the platform, notes hidden from the caller are counted in the headers and make their page shorter.
    """
    return FilteredPages(order_notes(notes.list_notes(ctx, record), p), partial(note_access.is_visible, ctx))


def order_notes(candidates: Iterable[Note], p: ListNotes) -> list[Note]:
    """Return the notes that pass the filter of a list, in its order."""
    matching = [note for note in candidates if note.system in _SYSTEM_FLAGS[p.activity_filter]]
    # Sorting is stable: notes of equal time keep this order, whatever the direction of the next sort.
    matching.sort(key=lambda note: note.id, reverse=True)
    return sorted(matching, key=lambda note: str(getattr(note, p.order_by)), reverse=p.sort == "desc")


@area.operation("GET", "", name="get_{scope}_note", scope=NOTES, view=NoteView)
def get_note(_ctx: ReadContext, _project: Project, _record: Noteable, note: Note) -> Note:
    """Get a note."""
    return note


class CreateNote(Params):
    """A new note."""

    body: str
    confidential: bool | None = None
    internal: Annotated[bool | None, Lifetime(since="15.3")] = None
    created_at: MomentOrNothing | None = None
    merge_request_diff_head_sha: Annotated[str | None, Lifetime(since="<=18.0")] = None


def collect_note_fields(ctx: ReadContext, record: Noteable, p: Params) -> NoteOptions:
    """Return the attributes of a new note besides its text; only owners may set the time."""
    sent = p.given()
    # The later name comes first, if both were sent.
    is_internal = sent.get("internal", sent.get("confidential"))
    options: NoteOptions = {"confidential": True} if is_internal else {}
    if sent.get("created_at") and note_access.can_set_times(ctx, record):
        options["created_at"] = sent["created_at"]
    return options


@area.operation(
    "POST",
    "notes",
    name="create_{scope}_note",
    scope=NOTEABLE_SCOPES,
    params=CreateNote,
    view=NoteView,
    also=(202,),
    refusals=(400, 403, 429),
)
def create_note(ctx: WriteContext, _project: Project, record: Noteable, p: CreateNote) -> Any:
    """Create a note and execute its quick actions."""
    # Checked first: quick actions must not run for callers who may not comment.
    note_access.count_note(ctx)
    note_access.authorize_comment(ctx, record)
    note_result = notes.add_note(ctx, record, p.body, **collect_note_fields(ctx, record, p))
    return (
        created_response(ctx, note_result) if note_result.note is not None else commands_only_response(ctx, note_result)
    )


class UpdateNote(Params):
    """Changes of a note."""

    body: Annotated[str | None, NotBlank] = None
    confidential: bool | None = None


@area.operation(
    "PUT",
    "",
    name="update_{scope}_note",
    scope=EDITABLE_NOTES,
    params=UpdateNote,
    view=NoteView,
    refusals=(400, 403),
)
def update_note(ctx: WriteContext, _project: Project, record: Noteable, note: Note, p: UpdateNote) -> Any:
    """Update a note."""
    note_access.authorize_change(ctx, record, note)
    return updated_response(ctx, notes.update_note(ctx, record, note, **p.given()))


@area.operation("DELETE", "", name="delete_{scope}_note", scope=EDITABLE_NOTES, refusals=(403, 412))
def delete_note(ctx: WriteContext, _project: Project, record: Noteable, note: Note) -> None:
    """Delete a note."""
    note_access.authorize_change(ctx, record, note)
    purge(ctx, note)
