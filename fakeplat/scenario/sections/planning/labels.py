"""Labels of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, Alias, Nullable, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.model.planning import Label
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = ("color", "description", "created_at", "updated_at")


def _create(entry: Entry) -> Label:
    container, title, fields_ = entry.owner, entry.values["name"], entry.select(_FIELDS)
    label = entry.world.labels.find("place", (source_of(container), title))
    if label is None:
        label = labels.insert(entry.ctx, container, title=title, **{"created_at": entry.created_at, **fields_})
    else:
        # The update sets updated_at, so the times of the entry are applied afterwards.
        times = entry.select(("created_at", "updated_at"))
        label = entry.world.labels.change(
            labels.update(entry.ctx, container, label, **entry.select(("color", "description"))), **times
        )
    if "priority" in entry.values:
        _prioritize(entry, container, label)
    return label


def _prioritize(entry: Entry, container: Any, label: Label) -> None:
    if not isinstance(container, Project):
        entry.fail("only labels in projects have a priority", "priority")
    labels.prioritize(entry.ctx, container, label, entry.values["priority"])


def _export(world: World, container: Any) -> Iterable[tuple[Label, EntryData]] | None:
    return [(label, _serialize(world, container, label)) for label in labels.list_own(world, container)] or None


def _serialize(world: World, container: Any, label: Label) -> EntryData:
    data = serialization.non_default_fields(label, _FIELDS)
    priority = labels.priority_of(world, container.id, label.id) if isinstance(container, Project) else None
    return {
        "name": label.title,
        **serialization.remove_defaults(data, color=labels.DEFAULT_COLOR, updated_at=label.created_at),
        **({} if priority is None else {"priority": priority}),
        **creation_order.turn_of(world, "labels", label.id),
    }


SECTION: Final = Section(
    "labels",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object(
        {
            "name": TEXT,
            "title": Alias("name"),
            "color": TEXT,
            "description": NULLABLE_TEXT,
            "priority": Nullable(COUNT),
            "created_at": DATE_TIME,
            "updated_at": DATE_TIME,
            creation_order.KEY: COUNT,
        },
        required=("name",),
        descriptions={creation_order.KEY: creation_order.DESCRIPTION},
    ),
    create=_create,
    export=_export,
    name_key="name",
    case_sensitive=True,
    kind="label",
)
