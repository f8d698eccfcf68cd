"""Moves of repositories to other storages."""

from typing import Final

from fakeplat.domain.people.members import source_of
from fakeplat.model.projects import StorageMove
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> StorageMove:
    table = entry.world.storage_moves
    fields = {
        "source_storage_name": "default",
        "state": "finished",
        "created_at": entry.created_at,
        **entry.select(("source_storage_name", "destination_storage_name", "state", "created_at", "error_message")),
    }
    return table.add(StorageMove(id=table.next_id(), source=source_of(entry.owner), **fields))


SECTION: Final = derive_section(
    "storage_moves",
    StorageMove,
    within=("group", "project"),
    required=("destination_storage_name",),
    create=_create,
)
