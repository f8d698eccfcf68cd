"""Files that were uploaded to projects."""

from typing import Any, Final

from fakeplat.core.schema.shapes import BASE64, TEXT, Object
from fakeplat.domain.projects import files, projects
from fakeplat.model.projects import Project, StoredFile
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import avatars as pictures
from fakeplat.scenario.sections import serialization as telling

_KEYS: Final = {
    "filename": TEXT,
    "content_type": TEXT,
    "secret": TEXT,
    "content": TEXT,
    "content_base64": BASE64,
}


def _make(entry: Entry) -> StoredFile:
    said = entry.said
    data = said["content"].encode() if "content" in said else said["content_base64"]
    upload, secret = pictures.parse_upload({**said, "content_base64": data}), said.get("secret")
    if secret is None:
        return projects.attach_file(entry.ctx, entry.owner, upload) or entry.wrong(
            "is over the limit of max_attachment_size"
        )
    place = (("project", entry.owner.id), secret, files.base_name(upload.filename))
    return entry.world.files.find("place", place) or files.store_file(entry.ctx, place[0], upload, secret)


def _tell(world: World, project: Project) -> list[tuple[StoredFile, Told]] | None:
    found: list[tuple[StoredFile, dict[str, Any]]] = [
        (file, {"secret": file.secret, **telling.serialize_file(file)})
        for file in world.files.where("owner", ("project", project.id))
        if file.secret != files.AVATAR
    ]
    return found or None


SECTION: Final = Section(
    "uploads",
    under=("project",),
    rank=FURTHER,
    keys=Object(_KEYS, required=("filename",), one_of=("content", "content_base64")),
    make=_make,
    tell=_tell,
)
