"""Labels of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, Alias, Nullable, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning import labels
from fakeplat.model.labels import Label
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = ("color", "description", "created_at", "updated_at")


def _make(entry: Entry) -> Label:
    place, title, given = entry.owner, entry.said["name"], entry.given(_OWN)
    found = entry.world.labels.find("place", (source_of(place), title))
    if found is None:
        row = {"title": title, "created_at": entry.created_at, **given}
        (found,) = labels.create_many(entry.ctx, place, [row])
    else:
        times = entry.given(("created_at", "updated_at"))
        found = entry.world.labels.change(labels.update(entry.ctx, place, found, given), **times)
    if "priority" in entry.said:
        _prioritize(entry, place, found)
    return found


def _prioritize(entry: Entry, place: Any, label: Label) -> None:
    if not isinstance(place, Project):
        entry.wrong("only labels in projects have a priority", "priority")
    labels.prioritize(entry.ctx, place, label, entry.said["priority"])


def _tell(world: World, place: Any) -> Iterable[tuple[Label, Told]] | None:
    return [(label, _told(world, place, label)) for label in labels.list_own(world, place)] or None


def _told(world: World, place: Any, label: Label) -> Told:
    found = telling.non_default_fields(label, _OWN)
    priority = labels.priority_of(world, place.id, label.id) if isinstance(place, Project) else None
    return {
        "name": label.title,
        **telling.remove_defaults(found, color=labels.DEFAULT_COLOR, updated_at=label.created_at),
        **({} if priority is None else {"priority": priority}),
        **creation_order.turn_of(world, "labels", label.id),
    }


SECTION: Final = Section(
    "labels",
    under=("group", "project"),
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
    make=_make,
    tell=_tell,
    named="name",
    cased=True,
    kind="label",
)
