"""Git LFS objects of projects; the repository contains pointers to them."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT, Object
from fakeplat.domain.repository import lfs
from fakeplat.model.projects import Project
from fakeplat.model.repository import LfsObject
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section


def _create(entry: Entry) -> LfsObject:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    return lfs.store_object(entry.ctx, entry.owner, lfs.oid_of(content), content)


def _export(world: World, project: Project) -> list[tuple[LfsObject, EntryData]] | None:
    lfs_objects = world.lfs_objects.where("project", project.id)
    return [
        (lfs_object, {"content_base64": b64encode(lfs_object.content).decode()}) for lfs_object in lfs_objects
    ] or None


SECTION: Final = Section(
    "lfs_objects",
    within=("project",),
    rank=FURTHER,
    keys=Object({"content": TEXT, "content_base64": BASE64}, one_of=("content", "content_base64")),
    create=_create,
    export=_export,
)
