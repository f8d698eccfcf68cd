"""Priorities of group labels in a project. Those of its own labels are in the labels' entries."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, TEXT, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.model.planning import Label, LabelPriority
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section


def _create(entry: Entry) -> LabelPriority | None:
    project, name = entry.owner, entry.values["name"]
    label = labels.find_by_title(entry.world, project, name) or _fail_unknown_label(entry, project, name)
    labels.prioritize(entry.ctx, project, label, entry.values["priority"])
    return entry.world.label_priorities.find("pair", (project.id, label.id))


def _fail_unknown_label(entry: Entry, project: Project, name: str) -> Label:
    titles = [label.title for label in labels.list_available(entry.world, project)]
    entry.fail(f"unknown label {name!r}", "name", nearest_name(name, titles))


def _export(world: World, project: Project) -> Iterable[tuple[LabelPriority, EntryData]] | None:
    pairs = (
        (priority, world.labels[priority.label_id]) for priority in world.label_priorities.where("project", project.id)
    )
    return [
        (priority, {"name": label.title, "priority": priority.priority})
        for priority, label in pairs
        # The entries of the project's own labels contain their priorities.
        if label.source != source_of(project)
    ] or None


SECTION: Final = Section(
    "label_priorities",
    within=("project",),
    rank=ISSUES,
    keys=Object({"name": TEXT, "priority": COUNT}, required=("name", "priority")),
    create=_create,
    export=_export,
    name_key="name",
    value_key="priority",
    case_sensitive=True,
)
