"""Award emoji. Source: more on award emoji."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.noteables import AWARDED, AWARDED_NOTES
from fakeplat.core.operation import Area, Login
from fakeplat.core.paging import Paged
from fakeplat.core.params import Params
from fakeplat.domain import awards, noteables
from fakeplat.domain.noteables import Subject
from fakeplat.domain.notes import NOTE
from fakeplat.entities.awards import AwardView
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context, Doing

area: Final = Area("Award emoji", login=Login.WRITES)


class GiveAward(Params):
    """The emoji."""

    name: str


@area.operation(
    "GET", "award_emoji", name="list_{scope}_award_emoji", under=AWARDED, takes=Paged, shows=AwardView, many=True
)
def list_award_emoji(cx: Context, project: Project, record: Any, p: Paged) -> Sequence[Award]:
    """List the emoji that a thing was given."""
    del project, p
    return awards.of(cx, noteables.subject_of(record))


@area.operation(
    "GET", "award_emoji", name="list_{scope}_award_emoji", under=AWARDED_NOTES, takes=Paged, shows=AwardView, many=True
)
def list_note_award_emoji(cx: Context, project: Project, record: Any, note: Note, p: Paged) -> Sequence[Award]:
    """List the emoji that a note was given."""
    del project, record, p
    return awards.of(cx, (NOTE, note.id))


@area.operation(
    "GET", "award_emoji/:award_id", name="get_{scope}_award_emoji", under=AWARDED, shows=AwardView, refuses=(404,)
)
def get_award_emoji(cx: Context, project: Project, record: Any, award_id: int) -> Award:
    """Get an emoji that a thing was given."""
    del project
    return awards.get(cx, noteables.subject_of(record), award_id)


@area.operation(
    "GET", "award_emoji/:award_id", name="get_{scope}_award_emoji", under=AWARDED_NOTES, shows=AwardView, refuses=(404,)
)
def get_note_award_emoji(cx: Context, project: Project, record: Any, note: Note, award_id: int) -> Award:
    """Get an emoji that a note was given."""
    del project, record
    return awards.get(cx, (NOTE, note.id), award_id)


@area.operation(
    "POST",
    "award_emoji",
    name="create_{scope}_award_emoji",
    under=AWARDED,
    takes=GiveAward,
    shows=AwardView,
    refuses=(404,),
)
def create_award_emoji(cx: Doing, project: Project, record: Any, p: GiveAward) -> Award:
    """Give an emoji to a thing."""
    del project
    return awards.give(cx, record, None, p.name)


@area.operation(
    "POST",
    "award_emoji",
    name="create_{scope}_award_emoji",
    under=AWARDED_NOTES,
    takes=GiveAward,
    shows=AwardView,
    refuses=(404,),
)
def create_note_award_emoji(cx: Doing, project: Project, record: Any, note: Note, p: GiveAward) -> Award:
    """Give an emoji to a note."""
    del project
    return awards.give(cx, record, note, p.name)


@area.operation(
    "DELETE", "award_emoji/:award_id", name="delete_{scope}_award_emoji", under=AWARDED, refuses=(401, 404, 412)
)
def delete_award_emoji(cx: Doing, project: Project, record: Any, award_id: int) -> None:
    """Take an emoji back from a thing."""
    del project
    _delete(cx, noteables.subject_of(record), award_id)


@area.operation(
    "DELETE", "award_emoji/:award_id", name="delete_{scope}_award_emoji", under=AWARDED_NOTES, refuses=(401, 404, 412)
)
def delete_note_award_emoji(cx: Doing, project: Project, record: Any, note: Note, award_id: int) -> None:
    """Take an emoji back from a note."""
    del project, record
    _delete(cx, (NOTE, note.id), award_id)


def _delete(cx: Doing, subject: Subject, award_id: int) -> None:
    award = awards.get(cx, subject, award_id)
    awards.demand_own(cx, award)
    cx.unmodified_since(award.updated_at)
    awards.remove(cx, award)
