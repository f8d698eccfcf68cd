"""Git LFS objects of projects, to which the repository contains pointers, and files locked with Git LFS."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, TEXT
from fakeplat.domain.repository import lfs, lfs_locks
from fakeplat.model.repository import LfsLock, LfsObject
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
    return lfs_locks.add_lock(entry.ctx, entry.owner, user, path, entry.since)


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
