"""Git LFS objects of projects, to which the repository contains pointers, and locked files and paths."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, TEXT
from fakeplat.domain.repository import lfs, lfs_locks, path_locks
from fakeplat.model.repository import LfsLock, LfsObject, PathLock
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create_object(entry: Entry) -> LfsObject:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    return lfs.store_object(entry.ctx, entry.owner, lfs.oid_of(content), content)


OBJECTS: Final = derive_section(
    "lfs_objects",
    LfsObject,
    within=("project",),
    keys={"content": TEXT, "content_base64": BASE64},
    one_of=("content", "content_base64"),
    create=_create_object,
    serialize=lambda _, lfs_object: {"content_base64": b64encode(lfs_object.content).decode()},
)


def _create_lock(entry: Entry) -> LfsLock:
    path, user = entry.values["path"], entry.user("user")
    existing = lfs_locks.find_lock(entry.world, entry.owner, path)
    if existing is not None:
        return entry.world.lfs_locks.change(existing, user_id=user.id, created_at=entry.since)
    added = lfs_locks.add_lock(entry.ctx, entry.owner, user, path, entry.since)
    path_locks.follow_lfs_lock(entry.ctx, entry.owner, added)
    return added


LOCKS: Final = derive_section(
    "lfs_locks",
    LfsLock,
    within=("project",),
    keys={"path": TEXT, "user": TEXT, "created_at": DATE_TIME},
    references={"user": "user_id"},
    required=("path", "user"),
    create=_create_lock,
    name_key="path",
    value_key="user",
)


def _create_path_lock(entry: Entry) -> PathLock:
    path, user, table = entry.values["path"], entry.user("user"), entry.world.path_locks
    existing = path_locks.find_lock(entry.world, entry.owner, path)
    if existing is not None:
        return table.change(existing, user_id=user.id, created_at=entry.since)
    return table.add(PathLock(table.next_id(), entry.owner.id, user.id, path, entry.since))


PATH_LOCKS: Final = derive_section(
    "path_locks",
    PathLock,
    within=("project",),
    keys={"path": TEXT, "user": TEXT, "created_at": DATE_TIME},
    references={"user": "user_id"},
    required=("path", "user"),
    create=_create_path_lock,
    name_key="path",
    value_key="user",
)
