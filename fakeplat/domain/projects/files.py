"""Uploaded files: avatars and attachments."""

from typing import Final

from fakeplat.core.params.body import Upload
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.projects import StoredFile
from fakeplat.policy.context import WriteContext

AVATAR = "avatar"
AVATAR_BYTES = 200 * 1024
_SHOWN_AS: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
    ".tiff": "image/tiff",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
}
AVATAR_IMAGES: Final = tuple(_SHOWN_AS)
IMAGES: Final = (*AVATAR_IMAGES, ".svg")


def store_file(ctx: WriteContext, owner: tuple[str, int], upload: Upload, secret: str) -> StoredFile:
    """Keep a file."""
    files = ctx.world.files
    name = base_name(upload.filename)
    return files.add(StoredFile(files.next_id(), owner, secret, name, upload.content_type, upload.data))


def base_name(filename: str) -> str:
    """The name of a file without any folder, with nothing in it that a URL or a header could stumble over."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(char if char.isalnum() or char in "._-+@ ()" else "_" for char in name).strip()
    return kept if kept.strip(".") else "file"


def is_image(filename: str) -> bool:
    """Whether the platform shows a file as a picture."""
    return filename.lower().endswith(IMAGES)


def markdown_of(filename: str) -> str | None:
    """The type under which a browser may show a file as it is; an SVG could carry scripts.

    It comes from the name, never from who uploaded the file, who could call a page a picture.
    """
    return next((kind for ending, kind in _SHOWN_AS.items() if filename.lower().endswith(ending)), None)


def check_avatar(faults: ValidationErrors, upload: Upload) -> None:
    """What is wrong with a picture of somebody or something."""
    faults.when(len(upload.data) > AVATAR_BYTES, "avatar", "is too big (should be at most 200 KB)")
    if not upload.filename.lower().endswith(AVATAR_IMAGES):
        allowed = ", ".join(ending[1:] for ending in AVATAR_IMAGES)
        faults.add(
            "avatar", f"file format is not supported. Please try one of the following supported formats: {allowed}"
        )


def new_avatar(ctx: WriteContext, owner: tuple[str, int], upload: Upload) -> int:
    """Keep a picture in the place of an older one; returns its id."""
    delete_avatar(ctx, owner)
    return store_file(ctx, owner, upload, AVATAR).id


def delete_avatar(ctx: WriteContext, owner: tuple[str, int]) -> None:
    """Delete the picture of an owner, if there is one."""
    purge(ctx, *(file for file in ctx.world.files.where("owner", owner) if file.secret == AVATAR))
