"""Uploaded files: avatars and attachments."""

from typing import Final

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.params.body import Upload
from fakeplat.core.release import Profile
from fakeplat.domain.people.members import source_of
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.projects import Container, StoredFile
from fakeplat.model.world import World
from fakeplat.policy.behaviours import UNIT_OF_FILE_SIZES
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

# Takes the place of the secret of an owner's avatar, so that attachments, which have random ones, are not mixed up.
AVATAR = "avatar"
MAX_AVATAR_SIZE = 200 * 1024
_INLINE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
    ".tiff": "image/tiff",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
}
AVATAR_IMAGES: Final = tuple(_INLINE_TYPES)
IMAGES: Final = (*AVATAR_IMAGES, ".svg")


def store_file(ctx: WriteContext, owner: tuple[str, int], upload: Upload, secret: str) -> StoredFile:
    """Store a file."""
    files = ctx.world.files
    name = base_name(upload.filename)
    by = ctx.user.id if ctx.user else None
    return files.add(
        StoredFile(files.next_id(), owner, secret, name, upload.content_type, upload.data, ctx.now_iso, by)
    )


def list_files(world: World, container: Container) -> list[StoredFile]:
    """Return the files that were uploaded to a project or group, without its avatar."""
    files = world.files.where("owner", source_of(container))
    return [file for file in files if file.secret != AVATAR]


def get_file(world: World, container: Container, id_: int) -> StoredFile:
    """Return an uploaded file by its id, or raise 404."""
    file = world.files.get(id_)
    if file is None or file.owner != source_of(container) or file.secret == AVATAR:
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no upload {id_}")
    return file


def get_file_by_secret(world: World, container: Container, secret: str, filename: str) -> StoredFile:
    """Return an uploaded file by the parts of its address, or raise 404."""
    file = world.files.find("place", (source_of(container), secret, filename)) if secret != AVATAR else None
    if file is None:
        raise NotFound(reason=lambda: f"{describe(world, container)} has no upload {secret}/{filename}")
    return file


def base_name(filename: str) -> str:
    """Return a file's name without folders, with characters that are unsafe in URLs or headers replaced."""
    # Browsers on Windows may send a full path with backslashes.
    name = filename.replace("\\", "/").rpartition("/")[2]
    safe_name = "".join(char if char.isalnum() or char in "._-+@ ()" else "_" for char in name).strip()
    # ``.`` and ``..`` would be folders in a URL.
    return safe_name if safe_name.strip(".") else "file"


def is_image(filename: str) -> bool:
    """Return whether the platform displays a file as an image."""
    return filename.lower().endswith(IMAGES)


def inline_content_type(filename: str) -> str | None:
    """Return the content type to display a file with, or None if it must be downloaded; an SVG could carry scripts.

    It is derived from the name and not from the uploader's declaration, which could present HTML as an image.
    """
    return next((kind for ending, kind in _INLINE_TYPES.items() if filename.lower().endswith(ending)), None)


def check_avatar(errors: ValidationErrors, upload: Upload, profile: Profile) -> None:
    """Validate an avatar."""
    unit = profile.choose(UNIT_OF_FILE_SIZES)
    errors.when(len(upload.data) > MAX_AVATAR_SIZE, "avatar", f"is too big (should be at most 200 {unit})")
    if not upload.filename.lower().endswith(AVATAR_IMAGES):
        allowed = ", ".join(ending[1:] for ending in AVATAR_IMAGES)
        errors.add(
            "avatar", f"file format is not supported. Please try one of the following supported formats: {allowed}"
        )


def new_avatar(ctx: WriteContext, owner: tuple[str, int], upload: Upload) -> int:
    """Store an avatar in place of an older one; return the file's id."""
    delete_avatar(ctx, owner)
    return store_file(ctx, owner, upload, AVATAR).id


def delete_avatar(ctx: WriteContext, owner: tuple[str, int]) -> None:
    """Delete an owner's avatar, if there is one."""
    purge(ctx, *(file for file in ctx.world.files.where("owner", owner) if file.secret == AVATAR))
