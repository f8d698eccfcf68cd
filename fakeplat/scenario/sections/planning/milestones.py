"""Milestones of projects and groups, and iterations of groups."""

from typing import Final

from fakeplat.core.schema.shapes import DATE, Choice, Integer, Nullable
from fakeplat.domain.planning import iterations, milestones
from fakeplat.model.planning import Iteration, Milestone
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields

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


ITERATIONS: Final = derive_section(
    "iterations",
    Iteration,
    within=("group",),
    keys=own_fields(Iteration, iid=Integer(minimum=1), start_date=DATE, due_date=DATE),
    required=("title", "start_date", "due_date"),
    unique="iid",
    inherits_created_at=True,
    add=iterations.create,
)
