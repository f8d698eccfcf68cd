"""Files uploaded to projects."""

from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT
from fakeplat.domain import uploads
from fakeplat.domain.projects import projects
from fakeplat.model.projects import Project, StoredFile
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars


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


def _list_uploads(world: World, project: Project) -> list[StoredFile]:
    # The project's own entry contains its avatar.
    return [file for file in world.files.where("owner", ("project", project.id)) if file.secret != uploads.AVATAR]


SECTION: Final = derive_section(
    "uploads",
    StoredFile,
    within=("project",),
    keys={"filename": TEXT, "content_type": TEXT, "secret": TEXT, "content": TEXT, "content_base64": BASE64},
    required=("filename",),
    one_of=("content", "content_base64"),
    create=_create,
    rows=_list_uploads,
    serialize=lambda _, file: {"secret": file.secret, **serialization.serialize_file(file)},
)
