"""Notes. Source: docs/platform/notes-discussions.md."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fakeplat.api.note_answers import accepted, answered, changed
from fakeplat.api.noteables import NOTED, NOTES
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import FilteredPages, Paged
from fakeplat.core.params.params import Moment, NotBlank, Params
from fakeplat.domain.notes import notes
from fakeplat.entities.notes import NoteView
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context, Doing

area: Final = Area("Notes", login=Login.ALWAYS)


class ListNotes(Paged):
    """A list of notes."""

    order_by: Literal["created_at", "updated_at"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    activity_filter: Literal["all_notes", "only_comments", "only_activity"] = "all_notes"


_WANTED: Final = {"all_notes": (True, False), "only_comments": (False,), "only_activity": (True,)}


@area.operation("GET", "notes", name="list_{scope}_notes", under=NOTED, takes=ListNotes, shows=NoteView, many=True)
def list_notes(cx: Context, project: Project, record: Any, p: ListNotes) -> Sequence[Note]:
    """List notes; of equally old ones the latest first.

    As on the platform, what is hidden from the caller counts in the headers and leaves its page shorter.
    """
    del project
    found = [note for note in notes.every(cx, record) if note.system in _WANTED[p.activity_filter]]
    found.sort(key=lambda note: note.id, reverse=True)
    found.sort(key=lambda note: str(getattr(note, p.order_by)), reverse=p.sort == "desc")
    return FilteredPages(found, partial(notes.visible, cx))


@area.operation("GET", "", name="get_{scope}_note", under=NOTES, shows=NoteView)
def get_note(cx: Context, project: Project, record: Any, note: Note) -> Note:
    """Get a note."""
    del cx, project, record
    return note


class CreateNote(Params):
    """A new note."""

    body: str
    confidential: bool | None = None
    created_at: Moment | None = None


def about(cx: Context, record: Any, p: Any) -> dict[str, Any]:
    """What is said of a note beside its text; its time by owners only."""
    given = {name: value for name, value in p.given().items() if name in ("confidential", "created_at") and value}
    if not notes.may_set_times(cx, record):
        given.pop("created_at", None)
    return given


@area.operation(
    "POST",
    "notes",
    name="create_{scope}_note",
    under=NOTED,
    takes=CreateNote,
    shows=NoteView,
    also=(202,),
    refuses=(400, 403),
)
def create_note(cx: Doing, project: Project, record: Any, p: CreateNote) -> Any:
    """Create a note and execute its quick actions."""
    del project
    notes.demand_noting(cx, record)
    said = notes.say(cx, record, p.body, **about(cx, record, p))
    return answered(cx, said) if said.note is not None else accepted(cx, said)


class UpdateNote(Params):
    """Changes of a note."""

    body: Annotated[str | None, NotBlank] = None
    confidential: bool | None = None


@area.operation(
    "PUT",
    "",
    name="update_{scope}_note",
    under=NOTES,
    takes=UpdateNote,
    shows=NoteView,
    refuses=(400, 403),
)
def update_note(cx: Doing, project: Project, record: Any, note: Note, p: UpdateNote) -> Any:
    """Update a note."""
    del project
    notes.demand_changing(cx, record, note)
    return changed(cx, notes.change(cx, record, note, p.given()))


@area.operation("DELETE", "", name="delete_{scope}_note", under=NOTES, refuses=(403, 412))
def delete_note(cx: Doing, project: Project, record: Any, note: Note) -> None:
    """Delete a note."""
    del project
    notes.demand_changing(cx, record, note)
    notes.remove(cx, note)
