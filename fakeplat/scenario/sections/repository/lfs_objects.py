"""Git LFS objects of projects; the repository contains pointers to them."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT
from fakeplat.domain.repository import lfs
from fakeplat.model.repository import LfsObject
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> LfsObject:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    return lfs.store_object(entry.ctx, entry.owner, lfs.oid_of(content), content)


SECTION: Final = derive_section(
    "lfs_objects",
    LfsObject,
    within=("project",),
    keys={"content": TEXT, "content_base64": BASE64},
    one_of=("content", "content_base64"),
    create=_create,
    serialize=lambda _, lfs_object: {"content_base64": b64encode(lfs_object.content).decode()},
)
