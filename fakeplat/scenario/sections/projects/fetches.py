"""Numbers of fetches of a project's repository, per day."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.shapes import COUNT, DATE, Object
from fakeplat.model.projects import Project, ProjectFetches
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section


def _create(entry: Entry) -> ProjectFetches:
    table, project_id = entry.world.project_fetches, entry.owner.id
    date, count = entry.values["date"], entry.values["count"]
    counted = table.find("day", (project_id, date))
    if counted is not None:
        return table.change(counted, count=count)
    return table.add(ProjectFetches(table.next_id(), project_id, date, count))


def _export(world: World, project: Project) -> Iterable[tuple[ProjectFetches, EntryData]] | None:
    rows = world.project_fetches.where("project", project.id)
    return [(row, {"date": row.date, "count": row.count}) for row in rows] or None


SECTION: Final = Section(
    "fetches",
    within=("project",),
    rank=FURTHER,
    keys=Object({"date": DATE, "count": COUNT}, required=("date", "count")),
    create=_create,
    export=_export,
    name_key="date",
    value_key="count",
)
