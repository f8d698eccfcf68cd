"""Progress of objectives and key results, under ``progress`` of an issue."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.issues import objectives
from fakeplat.model.issues import Issue, Progress
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS

_FIELDS: Final = own_fields(Progress)


def _create(entry: Entry) -> Progress:
    table = entry.world.work_item_progresses
    times = dict.fromkeys(("created_at", "updated_at"), entry.created_at)
    values = {**times, **entry.select(_FIELDS)}
    if "current_value" in values and "progress" not in values:
        start, end = values.get("start_value", 0), values.get("end_value", 100)
        if start == end:
            entry.fail("start_value and end_value are the same", "end_value")
        values["progress"] = objectives.compute_percents(start, values["current_value"], end)
    existing = objectives.find_progress(entry.world, entry.owner)
    if existing is not None:
        return table.change(existing, **values)
    return table.add(Progress(id=table.next_id(), issue_id=entry.owner.id, **values))


def _list_progress(world: World, issue: Issue) -> Sequence[Progress]:
    progress = objectives.find_progress(world, issue)
    return () if progress is None else (progress,)


SECTION: Final = derive_section(
    "progress",
    Progress,
    within=("issue",),
    rank=ALERTS,
    keys=_FIELDS,
    descriptions={
        "progress": "Percents. By default they follow from the values.",
        "start_value": "Value at the start.",
        "current_value": "Value of today.",
        "end_value": "Value to reach.",
    },
    create=_create,
    rows=_list_progress,
    always=("progress",),
    single=True,
)
