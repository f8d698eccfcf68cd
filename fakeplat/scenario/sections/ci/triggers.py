"""Triggers of projects in scenarios."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.ci import triggers
from fakeplat.model.ci import Trigger
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields

_FIELDS: Final = own_fields(Trigger)


def _create(entry: Entry) -> Trigger:
    project, owner, fields_ = entry.owner, entry.user("owner"), entry.select(_FIELDS)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    existing = entry.world.triggers.find("token", fields_.get("token", ""))
    if existing is None:
        return triggers.create(entry.ctx, project, owner.id, **{**times, **fields_})
    if existing.project_id != project.id:
        entry.fail("has already been taken", "token")
    return entry.world.triggers.change(existing, owner_id=owner.id, **fields_)


SECTION: Final = derive_section(
    "triggers",
    Trigger,
    within=("project",),
    further_keys={"owner": TEXT},
    references={"owner": "owner_id"},
    required=("owner",),
    create=_create,
)
