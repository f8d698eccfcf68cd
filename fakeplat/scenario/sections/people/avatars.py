"""Avatars of users, groups and projects: the name and the content of a file under the key ``avatar``."""

from typing import Final

from fakeplat.core.params.body import Upload
from fakeplat.core.schema.shapes import BASE64, TEXT, Nullable, Object
from fakeplat.domain import uploads
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

KEY: Final = "avatar"
AVATAR: Final = Nullable(
    Object(
        {"filename": TEXT, "content_type": TEXT, "content_base64": BASE64},
        required=("filename", "content_base64"),
    )
)
_CONTENT_TYPES: Final = {
    "gif": "image/gif",
    "ico": "image/x-icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "webp": "image/webp",
}


def content_type(filename: str) -> str:
    """Return the content type for a file name. Unlike `mimetypes`, the result is the same on every machine."""
    return _CONTENT_TYPES.get(filename.rpartition(".")[2].lower(), "application/octet-stream")


def parse_upload(values: EntryData) -> Upload:
    """Return the file described by the values of an entry."""
    name = values["filename"]
    return Upload(name, values.get("content_type") or content_type(name), values["content_base64"])


def avatar_change(entry: Entry, owner: tuple[str, int]) -> dict[str, int | None]:
    """Return the change for an entry's avatar: nothing, a new file, or removal; the file is stored or deleted."""
    if KEY not in entry.values:
        return {}
    if entry.values[KEY] is None:
        uploads.delete_avatar(entry.ctx, owner)
        return {KEY: None}
    avatar, errors = parse_upload(entry.values[KEY]), ValidationErrors()
    # The same checks as for an upload by API: its size and the kind of file.
    uploads.check_avatar(errors, avatar, entry.world.profile)
    errors.refuse()
    return {KEY: uploads.new_avatar(entry.ctx, owner, avatar)}


def serialize_avatar(world: World, file_id: int | None) -> EntryData:
    """Return the avatar of a record, if it has one."""
    stored = world.files.get(file_id) if file_id is not None else None
    return {KEY: serialization.serialize_file(stored)} if stored else {}
