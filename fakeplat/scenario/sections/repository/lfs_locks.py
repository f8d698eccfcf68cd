"""Files of projects that users have locked with Git LFS."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.repository import lfs_locks
from fakeplat.model.repository import LfsLock
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> LfsLock:
    path, user = entry.values["path"], entry.user("user")
    existing = lfs_locks.find_lock(entry.world, entry.owner, path)
    if existing is not None:
        return entry.world.lfs_locks.change(existing, user_id=user.id, created_at=entry.since)
    return lfs_locks.add_lock(entry.ctx, entry.owner, user, path, entry.since)


SECTION: Final = derive_section(
    "lfs_locks",
    LfsLock,
    within=("project",),
    keys={"path": TEXT, "user": TEXT, "created_at": DATE_TIME},
    references={"user": "user_id"},
    required=("path", "user"),
    create=_create,
    name_key="path",
    value_key="user",
)
