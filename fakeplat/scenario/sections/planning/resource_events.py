"""Resource events: changes of labels, milestones, states and weights of issues and merge requests; of epics, labels."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, DATE_TIME, NULLABLE_TEXT, Choice, Nullable, Shape
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.planning import iterations, labels, milestones
from fakeplat.model.people import Group
from fakeplat.model.planning import (
    Iteration,
    IterationEvent,
    Label,
    LabelEvent,
    Milestone,
    MilestoneEvent,
    StateEvent,
    WeightEvent,
)
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors_of
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization

Event = LabelEvent | MilestoneEvent | StateEvent | WeightEvent | IterationEvent
E = TypeVar("E", LabelEvent, MilestoneEvent, StateEvent, WeightEvent, IterationEvent)
_DELETED_ID: Final = 0
_SIGNS: Final = {"label": "~", "milestone": "%", "iteration": "*"}
_OWNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "label": ("issue", "merge_request", "epic"),
    "milestone": ("issue", "merge_request"),
    "state": ("issue", "merge_request", "epic"),
    "weight": ("issue",),
    "iteration": ("issue",),
}
_ACTION: Final = Choice("add", "remove")


def _resolve_id(entry: Entry, kind: str, reference: str | None) -> int:
    """Return the id of the label or milestone with a title, or of another container (``acme/site~bug``)."""
    if reference is None:
        return _DELETED_ID
    available = _available_by_title(entry.world, kind, noteables.container_of(entry.world, entry.owner))
    if reference in available:
        return available[reference].id
    path, sign, title = reference.partition(_SIGNS[kind])
    container = (entry.loader.find("project", path) or entry.loader.find("group", path)) if sign else None
    in_container = _available_by_title(entry.world, kind, container) if container else {}
    if title not in in_container:
        entry.fail(f"unknown {kind} {reference!r}", kind, nearest_name(reference, [*available]))
    return in_container[title].id


def _available_by_title(
    world: World, kind: str, container: Project | Group
) -> dict[str, Label | Milestone | Iteration]:
    """Return the labels, milestones or iterations available in a container, by title; its own override others."""
    if kind == "iteration":
        groups = [*ancestors_of(world, container)]
        found = [one for group in reversed(groups) for one in world.iterations.where("group", group.id)]
        return {iterations.name_of(world, one): one for one in found}
    available: list[Label] | list[Milestone] = (
        [*labels.list_available(world, container)]
        if kind == "label"
        else [*milestones.list_available(world, container)]
    )
    own_records = [record for record in available if record.source == source_of(container)]
    # Of equal titles the last one wins, so the container's own come last.
    return {record.title: record for record in (*available, *own_records)}


def _format_name(world: World, kind: str, event: LabelEvent | MilestoneEvent | IterationEvent) -> str | None:
    """Return the title, prefixed with the container if the title alone is ambiguous or unavailable."""
    record = getattr(world, f"{kind}s").get(getattr(event, f"{kind}_id"))
    if record is None:
        return None
    owner = noteables.container_of(world, noteables.get_record(world, event.subject))
    title = iterations.name_of(world, record) if isinstance(record, Iteration) else str(record.title)
    if _available_by_title(world, kind, owner).get(title) is record:
        return title
    source_kind, id_ = ("group", record.group_id) if kind == "iteration" else record.source
    container_path = (
        project_path(world, world.projects[id_])
        if source_kind == "project"
        else full_path(world, world.namespaces[id_])
    )
    return f"{container_path}{_SIGNS[kind]}{title}"


def _section(
    kind: str,
    record: type[E],
    keys: dict[str, Shape],
    fields: Callable[[Entry], EntryData],
    serialize: Callable[[World, E], EntryData],
) -> Section:
    def create(entry: Entry) -> E:
        user, events = entry.user_or_none("user"), getattr(entry.world, f"{kind}_events")
        common = {"subject": serialization.subject_of(entry.owner), "user_id": user.id if user else _DELETED_ID}
        new: Callable[..., E] = record
        event: E = events.add(new(id=events.next_id(), created_at=entry.created_at, **common, **fields(entry)))
        return event

    return derive_section(
        f"resource_{kind}_events",
        record,
        within=_OWNERS[kind],
        rank=ALERTS,
        keys={"user": NULLABLE_TEXT, "created_at": DATE_TIME, **keys},
        required=("user", *keys),
        create=create,
        serialize=lambda world, event: _serialize(world, event) | serialize(world, event),
    )


def _serialize(world: World, event: Event) -> EntryData:
    return {"user": serialization.username_of(world, event.user_id), "created_at": event.created_at}


SECTIONS: Final = (
    _section(
        "label",
        LabelEvent,
        {"label": NULLABLE_TEXT, "action": _ACTION},
        lambda entry: {
            "label_id": _resolve_id(entry, "label", entry.values["label"]),
            "action": entry.values["action"],
        },
        lambda world, event: {"label": _format_name(world, "label", event), "action": event.action},
    ),
    _section(
        "milestone",
        MilestoneEvent,
        {"milestone": NULLABLE_TEXT, "action": _ACTION, "state": Choice("opened", "closed")},
        lambda entry: {
            "milestone_id": _resolve_id(entry, "milestone", entry.values["milestone"]),
            **entry.select(("action", "state")),
        },
        lambda world, event: {
            "milestone": _format_name(world, "milestone", event),
            "action": event.action,
            "state": event.state,
        },
    ),
    _section(
        "state",
        StateEvent,
        {"state": Choice("closed", "reopened", "merged")},
        lambda entry: entry.select(("state",)),
        lambda world, event: {"state": event.state},
    ),
    _section(
        "weight",
        WeightEvent,
        {"weight": Nullable(COUNT)},
        lambda entry: entry.select(("weight",)),
        lambda world, event: {"weight": event.weight},
    ),
    _section(
        "iteration",
        IterationEvent,
        {"iteration": NULLABLE_TEXT, "action": _ACTION},
        lambda entry: {
            "iteration_id": _resolve_id(entry, "iteration", entry.values["iteration"]),
            "action": entry.values["action"],
        },
        lambda world, event: {"iteration": _format_name(world, "iteration", event), "action": event.action},
    ),
)
