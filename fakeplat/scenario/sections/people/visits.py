"""Which projects and groups a user visited, under ``visits`` of a user."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.model.people import User, Visit
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData

_PATH: Final = "path"


def _create(entry: Entry) -> Visit:
    path, table = entry.values[_PATH], entry.world.visits
    container = entry.loader.find("project", path) or entry.get_group(path, _PATH)
    visited_at = entry.values.get("visited_at", entry.created_at)
    return table.add(Visit(table.next_id(), entry.owner.id, source_of(container), visited_at))


def _list_rows(world: World, user: User) -> Sequence[Visit]:
    # By default an owner's rows are found by ``source``, which is what was visited here.
    return world.visits.where("user", user.id)


def _describe(world: World, visit: Visit) -> EntryData:
    return {_PATH: namespaces.container_path(world, container_of(world, visit.source))}


SECTION: Final = derive_section(
    "visits",
    Visit,
    within=("user",),
    keys={_PATH: TEXT, "visited_at": DATE_TIME},
    required=(_PATH,),
    always=("visited_at",),
    create=_create,
    rows=_list_rows,
    parts=_describe,
)
