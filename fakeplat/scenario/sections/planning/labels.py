"""Labels of projects and groups, and the priorities that labels of groups have in a project."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import BOOLEAN, COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, Alias, Nullable, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.model.planning import Label, LabelPriority
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = ("color", "description", "lock_on_merge", "created_at", "updated_at")


def _create(entry: Entry) -> Label:
    container, title, fields_ = entry.owner, entry.values["name"], entry.select(_FIELDS)
    label = entry.world.labels.find("place", (source_of(container), title))
    if label is None:
        label = labels.insert(entry.ctx, container, title=title, **{"created_at": entry.created_at, **fields_})
    else:
        # The update sets updated_at, so the times of the entry are applied afterwards; nobody can lock a label by it.
        rest = entry.select(("lock_on_merge", "created_at", "updated_at"))
        label = entry.world.labels.change(
            labels.update(entry.ctx, container, label, **entry.select(("color", "description"))), **rest
        )
    if "priority" in entry.values:
        _prioritize(entry, container, label)
    return label


def _prioritize(entry: Entry, container: Routable, label: Label) -> None:
    if not isinstance(container, Project):
        entry.fail("only labels in projects have a priority", "priority")
    labels.prioritize(entry.ctx, container, label, entry.values["priority"])


def _serialize(world: World, label: Label) -> EntryData:
    data = serialization.non_default_fields(label, _FIELDS)
    priority = labels.priority_of(world, label.source[1], label.id) if label.source[0] == "project" else None
    return {
        "name": label.title,
        **serialization.remove_defaults(data, color=labels.DEFAULT_COLOR, updated_at=label.created_at),
        **({} if priority is None else {"priority": priority}),
    }


LABELS: Final = derive_section(
    "labels",
    Label,
    within=("group", "project"),
    keys={
        "name": TEXT,
        "title": Alias("name"),
        "color": TEXT,
        "description": NULLABLE_TEXT,
        "lock_on_merge": BOOLEAN,
        "priority": Nullable(COUNT),
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    required=("name",),
    create=_create,
    serialize=_serialize,
    keeps_order=True,
    name_key="name",
    case_sensitive=True,
    kind="label",
)


def _create_priority(entry: Entry) -> LabelPriority | None:
    project, name = entry.owner, entry.values["name"]
    label = labels.find_by_title(entry.world, project, name) or _fail_unknown_label(entry, project, name)
    labels.prioritize(entry.ctx, project, label, entry.values["priority"])
    return entry.world.label_priorities.find("pair", (project.id, label.id))


def _fail_unknown_label(entry: Entry, project: Project, name: str) -> Label:
    titles = [label.title for label in labels.list_available(entry.world, project)]
    entry.fail(f"unknown label {name!r}", "name", nearest_name(name, titles))


def _export_priorities(world: World, project: Project) -> Iterable[tuple[LabelPriority, EntryData]] | None:
    pairs = (
        (priority, world.labels[priority.label_id]) for priority in world.label_priorities.where("project", project.id)
    )
    return [
        (priority, {"name": label.title, "priority": priority.priority})
        for priority, label in pairs
        # The entries of the project's own labels contain their priorities.
        if label.source != source_of(project)
    ] or None


PRIORITIES: Final = Section(
    "label_priorities",
    within=("project",),
    rank=ISSUES,
    keys=Object({"name": TEXT, "priority": COUNT}, required=("name", "priority")),
    create=_create_priority,
    export=_export_priorities,
    name_key="name",
    value_key="priority",
    case_sensitive=True,
)
