"""Secure files of projects in scenarios."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT
from fakeplat.domain.ci import secure_files
from fakeplat.model.secure_files import SecureFile
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(SecureFile, without=("content",))


def _create(entry: Entry) -> SecureFile:
    given = entry.values
    content = given["content"].encode() if "content" in given else bytes(given["content_base64"])
    values = {"created_at": entry.created_at, **entry.select(_FIELDS)}
    existing = entry.world.secure_files.find("name", (entry.owner.id, values["name"]))
    if existing is not None:
        return entry.world.secure_files.change(existing, content=content, **values)
    return secure_files.create(entry.ctx, entry.owner, content=content, **values)


def _serialize(_world: World, file: SecureFile) -> EntryData:
    data = serialization.non_default_fields(file, _FIELDS, ("name", "created_at"))
    data = serialization.remove_defaults(data, updated_at=file.created_at)
    return {**data, "content_base64": b64encode(file.content).decode()}


SECTION: Final = derive_section(
    "secure_files",
    SecureFile,
    within=("project",),
    keys=_FIELDS,
    further_keys={"content": TEXT, "content_base64": BASE64},
    required=("name",),
    one_of=("content", "content_base64"),
    create=_create,
    serialize=_serialize,
)
