"""Avatars of users, groups and projects: a file's name and content under the key ``avatar``."""

from typing import Any, Final

from fakeplat.core.params.body import Upload
from fakeplat.core.schema.shapes import BASE64, TEXT, Nullable, Object
from fakeplat.domain.projects import files
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.sections import serialization as telling

KEY: Final = "avatar"
AVATAR: Final = Nullable(
    Object(
        {"filename": TEXT, "content_type": TEXT, "content_base64": BASE64},
        required=("filename", "content_base64"),
    )
)
_TYPES: Final = {
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
    """The type of a file by the end of its name; the same on every machine."""
    return _TYPES.get(filename.rpartition(".")[2].lower(), "application/octet-stream")


def parse_upload(said: dict[str, Any]) -> Upload:
    """The file that an entry says."""
    name = said["filename"]
    return Upload(name, said.get("content_type") or content_type(name), said["content_base64"])


def avatar_change(entry: Entry, owner: tuple[str, int]) -> dict[str, int | None]:
    """The change of a record that an entry's avatar means: none, another file, or none any more."""
    if KEY not in entry.said:
        return {}
    if entry.said[KEY] is None:
        files.delete_avatar(entry.ctx, owner)
        return {KEY: None}
    picture, faults = parse_upload(entry.said[KEY]), ValidationErrors()
    files.check_avatar(faults, picture)
    faults.refuse()
    return {KEY: files.new_avatar(entry.ctx, owner, picture)}


def serialize_avatar(world: World, file_id: int | None) -> dict[str, Any]:
    """The avatar of a record, if it has one."""
    stored = world.files.get(file_id) if file_id is not None else None
    return {KEY: telling.serialize_file(stored)} if stored else {}
