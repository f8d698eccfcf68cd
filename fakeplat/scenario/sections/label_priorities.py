"""Priorities that a project gives to labels of the groups above it; its own labels say theirs."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, TEXT, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.model.labels import Label, LabelPriority
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told


def _make(entry: Entry) -> LabelPriority | None:
    project, name = entry.owner, entry.said["name"]
    label = labels.find_by_title(entry.world, project, name) or _unknown(entry, project, name)
    labels.prioritize(entry.ctx, project, label, entry.said["priority"])
    return entry.world.label_priorities.find("pair", (project.id, label.id))


def _unknown(entry: Entry, project: Project, name: str) -> Label:
    known = [label.title for label in labels.list_available(entry.world, project)]
    entry.wrong(f"unknown label {name!r}", "name", nearest_name(name, known))


def _tell(world: World, project: Project) -> Iterable[tuple[LabelPriority, Told]] | None:
    given = ((one, world.labels[one.label_id]) for one in world.label_priorities.where("project", project.id))
    return [
        (one, {"name": label.title, "priority": one.priority})
        for one, label in given
        if label.source != source_of(project)
    ] or None


SECTION: Final = Section(
    "label_priorities",
    under=("project",),
    rank=ISSUES,
    keys=Object({"name": TEXT, "priority": COUNT}, required=("name", "priority")),
    make=_make,
    tell=_tell,
    named="name",
    value="priority",
    cased=True,
)
