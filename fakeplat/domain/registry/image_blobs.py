"""The content of images: uploads in parts, and the blobs that they become. Source: docs/platform/registry.md."""

import re
from collections.abc import Callable
from hashlib import sha256, sha512
from typing import Final

from fakeplat.domain.purging import purge
from fakeplat.domain.registry.refusals import BlobUnknown, DigestInvalid, RangeInvalid, RegistryIsFull, UploadUnknown
from fakeplat.model.registry import BlobUpload, ContainerRepository, ImageBlob
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_MIB: Final = 1024 * 1024
_HASHES: Final[dict[str, Callable[[bytes], str]]] = {
    "sha256": lambda content: sha256(content).hexdigest(),
    "sha512": lambda content: sha512(content).hexdigest(),
}


def digest_of(content: bytes, algorithm: str = "sha256") -> str:
    """Return the digest of some content, with the name of its algorithm."""
    return f"{algorithm}:{_HASHES[algorithm](content)}"


def check_digest(digest: str, content: bytes) -> None:
    """Refuse a digest that is not that of some content."""
    if not DIGEST.fullmatch(digest) or digest_of(content, digest.partition(":")[0]) != digest:
        raise DigestInvalid(reason=f"the digest of these {len(content)} bytes is {digest_of(content)}", detail=None)


def find_blob(world: World, repository: ContainerRepository, digest: str) -> ImageBlob | None:
    """Return the blob of an image repository with a digest."""
    return world.image_blobs.find("digest", (repository.id, digest))


def get_blob(world: World, repository: ContainerRepository, digest: str) -> ImageBlob:
    """Return the blob of an image repository with a digest, or refuse with 404."""
    blob = find_blob(world, repository, digest)
    if blob is None:
        raise BlobUnknown(reason=f"image repository {repository.id} has no blob {digest}", detail=digest)
    return blob


def add_blob(ctx: WriteContext, repository: ContainerRepository, digest: str, content: bytes) -> ImageBlob:
    """Store a blob in an image repository, unless it is there already."""
    existing = find_blob(ctx.world, repository, digest)
    if existing is not None:
        return existing
    table = ctx.world.image_blobs
    return table.add(ImageBlob(table.next_id(), repository.id, digest, content, ctx.now_iso))


def delete_blob(ctx: WriteContext, blob: ImageBlob) -> None:
    """Delete a blob; manifests that name it stay."""
    purge(ctx, blob)


def start_upload(ctx: WriteContext, repository: ContainerRepository) -> BlobUpload:
    """Begin an upload."""
    table = ctx.world.blob_uploads
    return table.add(BlobUpload(table.next_id(), repository.id, ctx.random_uuid("image upload"), ctx.now_iso))


def get_upload(world: World, repository: ContainerRepository, uuid: str) -> BlobUpload:
    """Return an upload into an image repository, or refuse with 404."""
    upload = world.blob_uploads.find("uuid", uuid)
    if upload is None or upload.repository_id != repository.id:
        raise UploadUnknown(reason=f"image repository {repository.id} has no upload {uuid}", detail=None)
    return upload


def append(ctx: WriteContext, upload: BlobUpload, part: bytes, content_range: str | None = None) -> BlobUpload:
    """Add a part to an upload; ``content_range`` (``0-99``), where the client sends one, must follow what is there."""
    if content_range is not None and content_range != f"{upload.size}-{upload.size + len(part) - 1}":
        raise RangeInvalid(
            reason=f"Content-Range is {content_range!r}; {upload.size} bytes have arrived, and {len(part)} were sent",
            headers=(("Range", format_range(upload)),),
            detail=None,
        )
    if not part:
        return upload
    _check_limit(ctx, len(part))
    return ctx.world.blob_uploads.change(upload, parts=(*upload.parts, part))


def format_range(upload: BlobUpload) -> str:
    """Return the header that says what has arrived."""
    return f"0-{max(upload.size - 1, 0)}"


def finish(ctx: WriteContext, repository: ContainerRepository, upload: BlobUpload, digest: str) -> ImageBlob:
    """Make a blob of an upload whose content has the digest that the client says."""
    content = upload.parts[0] if len(upload.parts) == 1 else b"".join(upload.parts)
    check_digest(digest, content)
    purge(ctx, upload)
    return add_blob(ctx, repository, digest, content)


def cancel(ctx: WriteContext, upload: BlobUpload) -> None:
    """Forget an upload."""
    purge(ctx, upload)


def _check_limit(ctx: WriteContext, added: int) -> None:
    limit = ctx.instance.registry_limit
    stored = stored_size(ctx.world)
    if stored + added > limit:
        raise RegistryIsFull(
            f"the registry holds {limit / _MIB:g} MiB at most",
            reason=f"instance.registry_limit is {limit} bytes; {stored} are stored, and {added} were sent",
        )


def stored_size(world: World) -> int:
    """Return the number of bytes that all images take; what several repositories share counts once."""
    blobs = {blob.digest: len(blob.content) for blob in world.image_blobs}
    return sum(blobs.values()) + sum(upload.size for upload in world.blob_uploads)
