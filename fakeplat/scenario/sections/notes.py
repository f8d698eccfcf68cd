"""What is said of things. Where notes are listed, those are all."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain import system_notes
from fakeplat.domain.system_notes import ALERT
from fakeplat.model.notes import Note
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import telling
from fakeplat.scenario.shapes import FLAG, TEXT, TIME, Keys

KEY: Final = "notes"
_OWN: Final = ("body", "system", "created_at", "updated_at")


def _make(entry: Entry) -> Note:
    note = system_notes.write(entry.cx, (ALERT, entry.owner.id), entry.user("author"), entry.said["body"])
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return entry.world.notes.change(note, **{**times, **entry.given(_OWN)})


def _tell(world: World, alert: Any) -> Iterable[tuple[Note, Told]]:
    return [(note, _told(world, note)) for note in world.notes.where("subject", (ALERT, alert.id))]


def _told(world: World, note: Note) -> Told:
    found = telling.without(telling.told(note, _OWN), updated_at=note.created_at)
    return {**found, "system": note.system, "author": telling.username(world, note.author_id)}


SECTION: Final = Section(
    KEY,
    under=(ALERT,),
    rank=ALERTS,
    keys=Keys(
        {"author": TEXT, "body": TEXT, "system": FLAG, "created_at": TIME, "updated_at": TIME},
        needs=("author", "body"),
    ),
    make=_make,
    tell=_tell,
)
