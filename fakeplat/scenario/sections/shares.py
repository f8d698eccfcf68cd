"""Groups that groups and projects are shared with."""

from typing import Any, Final

from fakeplat.core.schema.shapes import DATE, DATE_TIME, TEXT, Nullable, Object
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import shares
from fakeplat.domain.purging import purge
from fakeplat.model.levels import Level
from fakeplat.model.projects import Share
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.members import LEVEL

_KEYS: Final = {
    "group_full_path": TEXT,
    "group_access_level": LEVEL,
    "expires_at": Nullable(DATE),
    "created_at": DATE_TIME,
}


def _make(entry: Entry) -> Share:
    place, group = entry.owner, entry.group("group_full_path")
    older = entry.world.shares.find("pair", (source_of(place), group.id))
    if older is not None:
        purge(entry.ctx, older)
    share = shares.share_with_group(
        entry.ctx, place, group, entry.said["group_access_level"], entry.said.get("expires_at")
    )
    return entry.world.shares.change(share, created_at=entry.since)


def _tell(world: World, place: Any) -> list[tuple[Share, Told]] | None:
    return [(share, _told(world, place, share)) for share in shares.list_shares(world, place)] or None


def _told(world: World, place: Any, share: Share) -> Told:
    level = Level(share.group_access).name.lower()
    path = namespaces.full_path(world, world.namespaces[share.group_id])
    found = telling.remove_defaults(telling.non_default_fields(share, _KEYS), created_at=place.created_at)
    return {"group_full_path": path, "group_access_level": level, **found}


SECTION: Final = Section(
    "shared_with_groups",
    under=("group", "project"),
    rank=FURTHER,
    keys=Object(_KEYS, required=("group_full_path", "group_access_level")),
    make=_make,
    tell=_tell,
    named="group_full_path",
    value="group_access_level",
)
