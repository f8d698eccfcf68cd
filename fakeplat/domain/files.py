"""Uploaded files: avatars and attachments."""

from fakeplat.core.body import Upload
from fakeplat.domain.checks import Faults
from fakeplat.model.projects import StoredFile
from fakeplat.policy.context import Doing

AVATAR = "avatar"
AVATAR_BYTES = 200 * 1024
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".ico", ".webp", ".svg")
AVATAR_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".ico", ".webp")


def store(cx: Doing, owner: tuple[str, int], upload: Upload, secret: str) -> StoredFile:
    """Keep a file."""
    files = cx.world.files
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


def is_safe_image(filename: str) -> bool:
    """Whether a browser may show a file as it is; an SVG could carry scripts."""
    return is_image(filename) and not filename.lower().endswith(".svg")


def check_avatar(faults: Faults, upload: Upload) -> None:
    """What is wrong with a picture of somebody or something."""
    faults.when(len(upload.data) > AVATAR_BYTES, "avatar", "is too big (should be at most 200 KB)")
    if not upload.filename.lower().endswith(AVATAR_IMAGES):
        allowed = ", ".join(ending[1:] for ending in AVATAR_IMAGES)
        faults.add(
            "avatar", f"file format is not supported. Please try one of the following supported formats: {allowed}"
        )


def new_avatar(cx: Doing, owner: tuple[str, int], upload: Upload) -> int:
    """Keep a picture in the place of an older one; returns its id."""
    drop(cx, owner, AVATAR)
    return store(cx, owner, upload, AVATAR).id


def drop(cx: Doing, owner: tuple[str, int], secret: str | None = None) -> None:
    """Remove the files of an owner: all, or those under one secret."""
    for file in list(cx.world.files.where("owner", owner)):
        if secret is None or file.secret == secret:
            cx.world.files.remove(file)
