"""Large files of projects (Git LFS); the repository holds pointers to them."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT, Object
from fakeplat.domain.repository import lfs
from fakeplat.model.lfs import LfsObject
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told


def _make(entry: Entry) -> LfsObject:
    said = entry.said
    content = said["content"].encode() if "content" in said else said["content_base64"]
    return lfs.store_object(entry.ctx, entry.owner, lfs.oid_of(content), content)


def _tell(world: World, project: Project) -> list[tuple[LfsObject, Told]] | None:
    found = world.lfs_objects.where("project", project.id)
    return [(one, {"content_base64": b64encode(one.content).decode()}) for one in found] or None


SECTION: Final = Section(
    "lfs_objects",
    under=("project",),
    rank=FURTHER,
    keys=Object({"content": TEXT, "content_base64": BASE64}, one_of=("content", "content_base64")),
    make=_make,
    tell=_tell,
)
