"""Single notes of epics. Lists and creation are with the epics."""

from typing import Annotated, Any, Final

from fakeplat.api.epic_scopes import BY_ID
from fakeplat.api.notes.note_responses import updated_response
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.epics import epic_access
from fakeplat.domain.notes import note_access, notes
from fakeplat.domain.purging import purge
from fakeplat.entities.notes.notes import NoteView
from fakeplat.model.epics import Epic
from fakeplat.model.notes import Note
from fakeplat.model.people import Group
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Epics", login=Login.ALWAYS)


def _get_note(ctx: ReadContext, _group: Group, epic: Epic, id_: int) -> Note:
    """Return the note of an epic with an id that the caller can see, or 404."""
    note = ctx.world.notes.get(id_)
    if note is None or note.subject != (epic_access.KIND, epic.id) or not note_access.is_visible(ctx, note):
        raise RecordNotFound(
            reason=lambda: f"{epic_access.format_reference(ctx.world, epic)} has no visible note {id_}"
        )
    return note


NOTE: Final = BY_ID / Segment("notes/:note_id", kind="integer", locate=_get_note, word="epic_note")


@area.operation("GET", "", scope=NOTE, view=NoteView, tier="premium")
def get_epic_note(_ctx: ReadContext, _group: Group, _epic: Epic, note: Note) -> Note:
    """Get a note of an epic, named by its id."""
    return note


class UpdateEpicNote(Params):
    """Changes of a note."""

    body: Annotated[str | None, NotBlank] = None
    confidential: Annotated[bool | None, Lifetime(since="<=18.9")] = None


@area.operation("PUT", "", scope=NOTE, params=UpdateEpicNote, view=NoteView, tier="premium", refusals=(400, 403))
def update_epic_note(ctx: WriteContext, _group: Group, epic: Epic, note: Note, p: UpdateEpicNote) -> Any:
    """Update a note of an epic, named by its id, and execute its quick actions."""
    note_access.authorize_change(ctx, epic, note)
    return updated_response(ctx, notes.update_note(ctx, epic, note, **p.given()))


@area.operation("DELETE", "", scope=NOTE, tier="premium", refusals=(403, 412))
def delete_epic_note(ctx: WriteContext, _group: Group, epic: Epic, note: Note) -> None:
    """Delete a note of an epic, named by its id."""
    note_access.authorize_change(ctx, epic, note)
    purge(ctx, note)
