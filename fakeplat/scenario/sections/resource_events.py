"""How labels, milestones, states and weights of issues and merge requests changed."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, DATE_TIME, NULLABLE_TEXT, Choice, Nullable, Object, Shape
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.labels import Label, Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.resource_events import LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import serialization as telling

_GONE: Final = 0
_SIGNS: Final = {"label": "~", "milestone": "%"}
_ACTION: Final = Choice("add", "remove")


def _named(entry: Entry, kind: str, text: str | None) -> int:
    """The id of the label or milestone with a title, or of a place of its own (``acme/site~bug``, ``acme~bug``)."""
    if text is None:
        return _GONE
    known = _known(entry.world, kind, entry.world.projects[entry.owner.project_id])
    if text in known:
        return known[text].id
    path, sign, title = text.partition(_SIGNS[kind])
    place = (entry.seeding.find("project", path) or entry.seeding.find("group", path)) if sign else None
    elsewhere = _known(entry.world, kind, place) if place else {}
    if title not in elsewhere:
        entry.wrong(f"unknown {kind} {text!r}", kind, nearest_name(text, [*known]))
    return elsewhere[title].id


def _known(world: World, kind: str, place: Project | Group) -> dict[str, Label | Milestone]:
    """What a place can use, by title; its own come before those of the groups above."""
    usable: list[Any] = (
        [*labels.list_available(world, place)] if kind == "label" else [*milestones.list_available(world, place)]
    )
    own = [one for one in usable if one.source == source_of(place)]
    return {one.title: one for one in (*usable, *own)}


def _name(world: World, kind: str, event: Any) -> str | None:
    """The title, with its place where the title alone means another or nothing."""
    found = getattr(world, f"{kind}s").get(getattr(event, f"{kind}_id"))
    if found is None:
        return None
    project = noteables.project_of(world, noteables.find_record(world, event.subject))
    title = str(found.title)
    if _known(world, kind, project).get(title) is found:
        return title
    of, id_ = found.source
    place = project_path(world, world.projects[id_]) if of == "project" else full_path(world, world.namespaces[id_])
    return f"{place}{_SIGNS[kind]}{title}"


def _section(
    kind: str,
    record: type[Any],
    keys: dict[str, Shape],
    fields: Callable[[Entry], dict[str, Any]],
    told: Callable[[World, Any], Told],
) -> Section:
    table = f"{kind}_events"

    def make(entry: Entry) -> Any:
        user, events = entry.user_or_none("user"), getattr(entry.world, table)
        common = {"subject": telling.subject_of(entry.owner), "user_id": user.id if user else _GONE}
        return events.add(record(id=events.next_id(), created_at=entry.created_at, **common, **fields(entry)))

    def tell(world: World, owner: Any) -> Iterable[tuple[Any, Told]] | None:
        found = getattr(world, table).where("subject", telling.subject_of(owner))
        return [(event, _told(world, event) | told(world, event)) for event in found] or None

    return Section(
        f"resource_{kind}_events",
        under=("issue",) if kind == "weight" else ("issue", "merge_request"),
        rank=ALERTS,
        keys=Object({"user": NULLABLE_TEXT, "created_at": DATE_TIME, **keys}, required=("user", *keys)),
        make=make,
        tell=tell,
    )


def _told(world: World, event: Any) -> Told:
    return {"user": telling.username_of(world, event.user_id), "created_at": event.created_at}


SECTIONS: Final = (
    _section(
        "label",
        LabelEvent,
        {"label": NULLABLE_TEXT, "action": _ACTION},
        lambda entry: {"label_id": _named(entry, "label", entry.said["label"]), "action": entry.said["action"]},
        lambda world, event: {"label": _name(world, "label", event), "action": event.action},
    ),
    _section(
        "milestone",
        MilestoneEvent,
        {"milestone": NULLABLE_TEXT, "action": _ACTION, "state": Choice("opened", "closed")},
        lambda entry: {
            "milestone_id": _named(entry, "milestone", entry.said["milestone"]),
            **entry.given(("action", "state")),
        },
        lambda world, event: {
            "milestone": _name(world, "milestone", event),
            "action": event.action,
            "state": event.state,
        },
    ),
    _section(
        "state",
        StateEvent,
        {"state": Choice("closed", "reopened", "merged")},
        lambda entry: entry.given(("state",)),
        lambda world, event: {"state": event.state},
    ),
    _section(
        "weight",
        WeightEvent,
        {"weight": Nullable(COUNT)},
        lambda entry: entry.given(("weight",)),
        lambda world, event: {"weight": event.weight},
    ),
)
