"""Milestones of projects and groups, and iterations of groups with their cadences."""

from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import DATE, NULLABLE_TEXT, Choice, Integer, Nullable
from fakeplat.domain.planning import iteration_cadences, iterations, milestones
from fakeplat.model.planning import Iteration, IterationCadence, Milestone
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import FURTHER, EntryData

_FIELDS: Final = own_fields(
    Milestone,
    iid=Integer(minimum=1),
    state=Choice("active", "closed"),
    due_date=Nullable(DATE),
    start_date=Nullable(DATE),
)


def _create(entry: Entry) -> Milestone:
    container, fields_ = entry.owner, entry.select(_FIELDS)
    milestone = next(
        (candidate for candidate in milestones.list_own(entry.world, container) if candidate.title == fields_["title"]),
        None,
    )
    if milestone is None:
        return milestones.insert(entry.ctx, container, **{"created_at": entry.created_at, **fields_})
    # The update sets ``updated_at``, so the times of the entry are applied afterwards.
    times = {name: fields_.pop(name) for name in ("created_at", "updated_at") if name in fields_}
    return entry.world.milestones.change(milestones.update(entry.ctx, container, milestone, **fields_), **times)


MILESTONES: Final = derive_section(
    "milestones",
    Milestone,
    within=("group", "project"),
    keys=_FIELDS,
    required=("title",),
    create=_create,
    keeps_order=True,
    name_key="title",
    case_sensitive=True,
)


_CADENCE_FIELDS: Final = own_fields(
    IterationCadence,
    start_date=Nullable(DATE),
    duration_in_weeks=Nullable(Integer(minimum=0, maximum=4)),
    iterations_in_advance=Nullable(Integer(minimum=0, maximum=10)),
)


def _create_cadence(entry: Entry) -> IterationCadence:
    title, fields = entry.values["title"], entry.select(_CADENCE_FIELDS)
    existing = _find_cadence(entry, title)
    if existing is not None:
        return iteration_cadences.update(entry.ctx, existing, **fields)
    return iteration_cadences.create(
        entry.ctx, entry.owner, imported=True, **{"created_at": entry.created_at, **fields}
    )


def _find_cadence(entry: Entry, title: str) -> IterationCadence | None:
    own = iteration_cadences.list_own(entry.world, entry.owner)
    return next((cadence for cadence in own if cadence.title == title), None)


CADENCES: Final = derive_section(
    "iteration_cadences",
    IterationCadence,
    within=("group",),
    keys=_CADENCE_FIELDS,
    required=("title",),
    create=_create_cadence,
    name_key="title",
    case_sensitive=True,
)
_ITERATION_FIELDS: Final = own_fields(
    Iteration, without=("cadence_id",), iid=Integer(minimum=1), start_date=DATE, due_date=DATE
)


def _create_iteration(entry: Entry) -> Iteration:
    group, fields = entry.owner, entry.select(_ITERATION_FIELDS)
    fields["cadence_id"] = _find_cadence_id(entry)
    existing = entry.world.iterations.find("iid", (group.id, entry.values.get("iid")))
    if existing is not None:
        return entry.world.iterations.change(existing, **fields)
    return iterations.create(entry.ctx, group, **{"created_at": entry.since, **fields})


def _find_cadence_id(entry: Entry) -> int | None:
    title = entry.values.get("cadence")
    if title is None:
        default = iteration_cadences.find_or_create_default(entry.ctx, entry.owner, entry.values["start_date"])
        return None if default is None else default.id
    cadence = _find_cadence(entry, title)
    titles = [one.title for one in iteration_cadences.list_own(entry.world, entry.owner)]
    return cadence.id if cadence else entry.fail(f"unknown cadence {title!r}", "cadence", nearest_name(title, titles))


def _serialize_cadence(world: World, iteration: Iteration) -> EntryData:
    cadence = iterations.find_cadence(world, iteration)
    return {"cadence": cadence.title if cadence else None}


ITERATIONS: Final = derive_section(
    "iterations",
    Iteration,
    within=("group",),
    rank=FURTHER + 1,
    keys=_ITERATION_FIELDS,
    further_keys={"cadence": NULLABLE_TEXT},
    required=("start_date", "due_date"),
    create=_create_iteration,
    parts=_serialize_cadence,
)
