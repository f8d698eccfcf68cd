"""Files of projects that users have locked with Git LFS."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.repository import lfs_locks
from fakeplat.model.projects import Project
from fakeplat.model.repository import LfsLock
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization


def _create(entry: Entry) -> LfsLock:
    path, user = entry.values["path"], entry.user("user")
    existing = lfs_locks.find_lock(entry.world, entry.owner, path)
    if existing is not None:
        return entry.world.lfs_locks.change(existing, user_id=user.id, created_at=entry.since)
    return lfs_locks.add_lock(entry.ctx, entry.owner, user, path, entry.since)


def _export(world: World, project: Project) -> list[tuple[LfsLock, EntryData]] | None:
    return [(lock, _serialize(world, lock)) for lock in lfs_locks.list_locks(world, project)] or None


def _serialize(world: World, lock: LfsLock) -> EntryData:
    user = serialization.username_of(world, lock.user_id)
    return {"path": lock.path, "user": user, "created_at": lock.created_at}


SECTION: Final = Section(
    "lfs_locks",
    within=("project",),
    rank=FURTHER,
    keys=Object({"path": TEXT, "user": TEXT, "created_at": DATE_TIME}, required=("path", "user")),
    create=_create,
    export=_export,
    name_key="path",
    value_key="user",
)
