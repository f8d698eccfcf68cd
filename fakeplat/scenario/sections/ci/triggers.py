"""Triggers of projects in scenarios."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Object
from fakeplat.domain.ci import triggers
from fakeplat.model.ci import Trigger
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Trigger, without=("id", "project_id", "owner_id"))


def _create(entry: Entry) -> Trigger:
    project, owner, fields_ = entry.owner, entry.user("owner"), entry.select(_FIELDS)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    existing = entry.world.triggers.find("token", fields_.get("token", ""))
    if existing is None:
        return triggers.create(entry.ctx, project, owner.id, **{**times, **fields_})
    if existing.project_id != project.id:
        entry.fail("has already been taken", "token")
    return entry.world.triggers.change(existing, owner_id=owner.id, **fields_)


def _export(world: World, project: Project) -> Iterable[tuple[Trigger, EntryData]] | None:
    return [(trigger, _serialize(world, trigger)) for trigger in triggers.list_triggers(world, project)] or None


def _serialize(world: World, trigger: Trigger) -> EntryData:
    data = serialization.non_default_fields(trigger, _FIELDS)
    owner = serialization.username_of(world, trigger.owner_id)
    return {**serialization.remove_defaults(data, updated_at=trigger.created_at), "owner": owner}


SECTION: Final = Section(
    "triggers",
    within=("project",),
    rank=FURTHER,
    keys=Object({**_FIELDS, "owner": TEXT}, required=("owner",)),
    create=_create,
    export=_export,
)
