"""Files uploaded to projects."""

from typing import Any, Final

from fakeplat.core.schema.shapes import BASE64, TEXT, Object
from fakeplat.domain import uploads
from fakeplat.domain.projects import projects
from fakeplat.model.projects import Project, StoredFile
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars

_KEYS: Final = {
    "filename": TEXT,
    "content_type": TEXT,
    "secret": TEXT,
    "content": TEXT,
    "content_base64": BASE64,
}


def _create(entry: Entry) -> StoredFile:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    upload, secret = avatars.parse_upload({**values, "content_base64": content}), values.get("secret")
    if secret is None:
        return projects.attach_file(entry.ctx, entry.owner, upload) or entry.fail(
            "is over the limit of max_attachment_size"
        )
    # The secret in the URL and the name identify a file, so loading it again adds no other one.
    key = (("project", entry.owner.id), secret, uploads.base_name(upload.filename))
    return entry.world.files.find("place", key) or uploads.store_file(entry.ctx, key[0], upload, secret)


def _export(world: World, project: Project) -> list[tuple[StoredFile, EntryData]] | None:
    entries: list[tuple[StoredFile, dict[str, Any]]] = [
        (file, {"secret": file.secret, **serialization.serialize_file(file)})
        for file in world.files.where("owner", ("project", project.id))
        # The project's own entry contains its avatar.
        if file.secret != uploads.AVATAR
    ]
    return entries or None


SECTION: Final = Section(
    "uploads",
    within=("project",),
    rank=FURTHER,
    keys=Object(_KEYS, required=("filename",), one_of=("content", "content_base64")),
    create=_create,
    export=_export,
)
