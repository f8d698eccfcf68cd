"""Resource groups of projects; those that jobs name exist anyway."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.ci import resource_groups
from fakeplat.model.ci import ResourceGroup
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(ResourceGroup, without=("id", "project_id"))


def _create(entry: Entry) -> ResourceGroup:
    existing = entry.world.resource_groups.find("key", (entry.owner.id, entry.values["key"]))
    if existing is not None:
        return entry.world.resource_groups.change(existing, **entry.select(_FIELDS))
    times = {"created_at": entry.since, "updated_at": entry.since}
    group = resource_groups.ensure_group(entry.ctx, entry.owner, entry.values["key"])
    return entry.world.resource_groups.change(group, **{**times, **entry.select(_FIELDS)})


def _export(world: World, project: Project) -> Iterable[tuple[ResourceGroup, EntryData]] | None:
    return [(group, _serialize(group)) for group in world.resource_groups.where("project", project.id)] or None


def _serialize(group: ResourceGroup) -> EntryData:
    return serialization.remove_defaults(serialization.non_default_fields(group, _FIELDS), updated_at=group.created_at)


SECTION: Final = Section(
    "resource_groups",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("key",)),
    create=_create,
    export=_export,
    name_key="key",
    case_sensitive=True,
)
