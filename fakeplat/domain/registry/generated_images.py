"""Images that scenarios declare by the files of their layers. The same files give the same image, byte for byte."""

import tarfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Final

import orjson

from fakeplat.domain.registry import image_blobs, image_manifests
from fakeplat.domain.registry.image_manifests import OCI_IMAGE
from fakeplat.model.registry import ContainerRepository, ImageManifest
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Layers = Sequence[Mapping[str, str]]
"""The files of each layer: paths and texts."""
_CONFIG: Final = "application/vnd.oci.image.config.v1+json"
# Not compressed: another release of zlib would give other bytes, and so another digest.
_LAYER: Final = "application/vnd.oci.image.layer.v1.tar"


def store(
    ctx: WriteContext, repository: ContainerRepository, tag_name: str, layers: Layers, created_at: str
) -> ImageManifest:
    """Store the image with some layers in an image repository, and let a tag name it."""
    archives = [_pack(files) for files in layers]
    config = _build_config(archives, created_at)
    for content in (config, *archives):
        image_blobs.add_blob(ctx, repository, image_blobs.digest_of(content), content)
    manifest = _build_manifest(config, archives)
    return image_manifests.put(ctx, repository, tag_name, OCI_IMAGE, manifest)


def _pack(files: Mapping[str, str]) -> bytes:
    """Return an archive with files, in the order of their paths."""
    target = BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, text in sorted(files.items()):
            entry, content = tarfile.TarInfo(path), text.encode()
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
    return target.getvalue()


def _build_config(archives: Sequence[bytes], created_at: str) -> bytes:
    return orjson.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created_at,
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [image_blobs.digest_of(archive) for archive in archives]},
        }
    )


def _build_manifest(config: bytes, archives: Sequence[bytes]) -> bytes:
    return orjson.dumps(
        {
            "schemaVersion": 2,
            "mediaType": OCI_IMAGE,
            "config": _describe(config, _CONFIG),
            "layers": [_describe(archive, _LAYER) for archive in archives],
        }
    )


def _describe(content: bytes, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": image_blobs.digest_of(content), "size": len(content)}


def find_layers(world: World, repository: ContainerRepository, digest: str) -> Layers | None:
    """Return the layers of an image that can be declared by them; None for another one."""
    manifest = world.image_manifests.find("digest", (repository.id, digest))
    descriptors = orjson.loads(manifest.content).get("layers", ()) if manifest else ()
    blobs = [image_blobs.find_blob(world, repository, each["digest"]) for each in descriptors]
    layers = [_unpack(blob.content) for blob in blobs if blob is not None]
    # What cannot be rebuilt from the texts has other files, rights or times.
    rebuilt = [image_blobs.digest_of(_pack(files)) for files in layers]
    return layers if layers and rebuilt == [each["digest"] for each in descriptors] else None


def _unpack(archive: bytes) -> Mapping[str, str]:
    try:
        with tarfile.open(fileobj=BytesIO(archive), mode="r:") as entries:
            return {entry.name: _read(entries, entry) for entry in entries if entry.isfile()}
    except (tarfile.TarError, UnicodeDecodeError):
        return {}


def _read(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> str:
    file = archive.extractfile(entry)
    return file.read().decode() if file else ""
