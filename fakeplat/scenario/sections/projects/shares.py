"""Groups with which groups and projects are shared."""

from typing import Final

from fakeplat.core.schema.shapes import DATE, DATE_TIME, NULLABLE_TEXT, TEXT, Nullable
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.projects import shares
from fakeplat.domain.purging import purge
from fakeplat.model.people import Level
from fakeplat.model.projects import Share
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.members import LEVEL, resolve_role, serialize_role

_KEYS: Final = {
    "group_full_path": TEXT,
    "group_access_level": LEVEL,
    "expires_at": Nullable(DATE),
    "created_at": DATE_TIME,
    "member_role": NULLABLE_TEXT,
}


def _create(entry: Entry) -> Share:
    container, group = entry.owner, entry.group("group_full_path")
    existing = entry.world.shares.find("pair", (source_of(container), group.id))
    # Sharing with the same group again is refused, as on the platform; the entry replaces the share.
    if existing is not None:
        purge(entry.ctx, existing)
    share = shares.share_with_group(
        entry.ctx, container, group, entry.values["group_access_level"], entry.values.get("expires_at")
    )
    return entry.world.shares.change(share, created_at=entry.since, **resolve_role(entry))


def _serialize(world: World, share: Share) -> EntryData:
    level = Level(share.group_access).name.lower()
    path = namespaces.full_path(world, world.namespaces[share.group_id])
    container = container_of(world, share.source)
    data = serialization.remove_defaults(
        serialization.non_default_fields(share, ("expires_at", "created_at")), created_at=container.created_at
    )
    return {"group_full_path": path, "group_access_level": level, **data, **serialize_role(world, share)}


SECTION: Final = derive_section(
    "shared_with_groups",
    Share,
    within=("group", "project"),
    keys=_KEYS,
    required=("group_full_path", "group_access_level"),
    descriptions={"member_role": "Name of the custom role that the members of the group get."},
    create=_create,
    serialize=_serialize,
    name_key="group_full_path",
    value_key="group_access_level",
)
