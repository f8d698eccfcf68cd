"""Files uploaded to projects and groups."""

from typing import Final

from fakeplat.core.schema.shapes import BASE64, TEXT
from fakeplat.domain import uploads
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import projects
from fakeplat.model.projects import Project, StoredFile
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars


def _create(entry: Entry) -> StoredFile:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    upload, secret = avatars.parse_upload({**values, "content_base64": content}), values.get("secret")
    if secret is None and isinstance(entry.owner, Project):
        return projects.attach_file(entry.ctx, entry.owner, upload) or entry.fail(
            "is over the limit of max_attachment_size"
        )
    secret = secret or entry.ctx.random_hex("upload")
    # The secret in the URL and the name identify a file, so loading it again adds no other one.
    key = (source_of(entry.owner), secret, uploads.base_name(upload.filename))
    return entry.world.files.find("place", key) or uploads.store_file(entry.ctx, key[0], upload, secret)


SECTION: Final = derive_section(
    "uploads",
    StoredFile,
    within=("project", "group"),
    keys={"filename": TEXT, "content_type": TEXT, "secret": TEXT, "content": TEXT, "content_base64": BASE64},
    required=("filename",),
    one_of=("content", "content_base64"),
    create=_create,
    rows=uploads.list_files,
    serialize=lambda _, file: {"secret": file.secret, **serialization.serialize_file(file)},
)
