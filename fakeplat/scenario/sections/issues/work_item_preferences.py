"""How users want to see lists of work items, under ``work_item_preferences`` of a user."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import FREE_MAP, TEXT, Choice
from fakeplat.domain.issues import work_items
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.model.issues import WorkItemPreference
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import FURTHER, EntryData

_OWN: Final = ("sort", "display_settings")


def _create(entry: Entry) -> WorkItemPreference:
    path = entry.values["path"]
    container = entry.loader.find("project", path) or entry.get_group(path, "path")
    kinds = {kind.kind: kind.id for kind in work_items.TYPES}
    type_id = kinds[entry.values["type"]] if "type" in entry.values else None
    table, source = entry.world.work_item_preferences, source_of(container)
    values = entry.select(_OWN)
    known = table.find("own", (entry.owner.id, source, type_id))
    if known is not None:
        return table.change(known, **values)
    return table.add(WorkItemPreference(table.next_id(), entry.owner.id, source, type_id, **values))


def _list_rows(world: World, user: User) -> Sequence[WorkItemPreference]:
    # By default an owner's rows are found by ``source``, which is where the lists are here.
    return world.work_item_preferences.where("user", user.id)


def _serialize_parts(world: World, preference: WorkItemPreference) -> EntryData:
    kind = work_items.find_type(preference.type_id) if preference.type_id is not None else None
    return {
        "path": namespaces.container_path(world, container_of(world, preference.source)),
        "type": kind.kind if kind is not None else None,
    }


SECTION: Final = derive_section(
    "work_item_preferences",
    WorkItemPreference,
    within=("user",),
    rank=FURTHER,
    keys={"sort": TEXT, "display_settings": FREE_MAP},
    further_keys={"path": TEXT, "type": Choice(*(kind.kind for kind in work_items.TYPES))},
    descriptions={
        "path": "Path of the project or group.",
        "type": "Type of the work items. Default: all.",
        "sort": "Order, as created_asc.",
        "display_settings": "What the lists show, as the mutation has it.",
    },
    required=("path",),
    create=_create,
    rows=_list_rows,
    parts=_serialize_parts,
)
