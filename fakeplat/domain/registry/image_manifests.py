"""Manifests of images, the tags that name them, and what belongs to them. Source: docs/platform/registry.md."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, from_iso, to_iso
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import container_repositories, image_blobs
from fakeplat.domain.registry.container_repositories import TAG_NAME, subject_of
from fakeplat.domain.registry.refusals import BlobsUnknown, ManifestInvalid, ManifestUnknown, TagInvalid
from fakeplat.model.registry import ContainerRepository, ContainerTag, ImageManifest
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

OCI_INDEX: Final = "application/vnd.oci.image.index.v1+json"
INDEXES: Final = (OCI_INDEX, "application/vnd.docker.distribution.manifest.list.v2+json")
OCI_IMAGE: Final = "application/vnd.oci.image.manifest.v1+json"
IMAGES: Final = (OCI_IMAGE, "application/vnd.docker.distribution.manifest.v2+json")
MAX_SIZE: Final = 4 * 1024 * 1024
_COLLECT: Final = "collect_image_garbage"


def find_manifest(world: World, repository: ContainerRepository, reference: str) -> ImageManifest | None:
    """Return the manifest with a digest or tag."""
    if ":" not in reference:
        tag = world.container_tags.find("name", (repository.id, reference))
        reference = tag.digest if tag else ""
    return world.image_manifests.find("digest", (repository.id, reference))


def get_manifest(world: World, repository: ContainerRepository, reference: str) -> ImageManifest:
    """Return the manifest with a digest or tag, or refuse with 404."""
    manifest = find_manifest(world, repository, reference)
    if manifest is None:
        path = container_repositories.path_of(world, repository)
        tag = world.container_tags.find("name", (repository.id, reference))
        has = "is declared without content: give its tag `layers`" if tag else "does not exist"
        detail = {"Name": path, "Revision": reference} if ":" in reference else {"Tag": reference}
        raise ManifestUnknown(reason=f"{path}: the image {reference} {has}", detail=detail)
    return manifest


def put(
    ctx: WriteContext, repository: ContainerRepository, reference: str, media_type: str, content: bytes
) -> ImageManifest:
    """Store a manifest under its digest, and let a tag name it if the reference is one."""
    if ":" in reference:
        image_blobs.check_digest(reference, content)
    elif not TAG_NAME.fullmatch(reference):
        raise TagInvalid(reason=f"{reference!r} is not a valid name of a tag", detail=None)
    manifest = _parse(media_type, content)
    _check_parts(ctx.world, repository, manifest)
    digest = reference if ":" in reference else image_blobs.digest_of(content)
    stored = ctx.world.image_manifests.find("digest", (repository.id, digest))
    if stored is None:
        subject = manifest.get("subject", {}).get("digest")
        table = ctx.world.image_manifests
        stored = table.add(
            ImageManifest(table.next_id(), repository.id, digest, media_type, content, ctx.now_iso, subject)
        )
    if ":" not in reference:
        _set_tag(ctx, repository, reference, stored, manifest)
    return stored


def _parse(media_type: str, content: bytes) -> dict[str, Any]:
    """Return the manifest as JSON, or refuse with 400."""
    problem = _explain_problem(media_type, content)
    if problem:
        raise ManifestInvalid(reason=problem, detail=problem)
    parsed: dict[str, Any] = orjson.loads(content)
    return parsed


def _explain_problem(media_type: str, content: bytes) -> str:
    if len(content) > MAX_SIZE:
        return f"http: request body too large: {len(content)} bytes, {MAX_SIZE} at most"
    if media_type not in (*INDEXES, *IMAGES):
        return f"unsupported manifest media type {media_type!r}"
    try:
        manifest = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return str(error)
    if not isinstance(manifest, dict) or manifest.get("schemaVersion") != 2:
        return "unrecognized manifest schema version"
    if manifest.get("mediaType", media_type) != media_type:
        return f"mediaType is {manifest['mediaType']!r}, the Content-Type {media_type!r}"
    subject = [manifest["subject"]] if "subject" in manifest else []
    if media_type in INDEXES:
        descriptors = manifest.get("manifests")
    else:
        layers = manifest.get("layers")
        descriptors = [manifest.get("config"), *layers] if isinstance(layers, list) else None
    if not isinstance(descriptors, list) or not all(map(_is_descriptor, (*descriptors, *subject))):
        return "a descriptor needs a digest, a mediaType and a size"
    return ""


def _is_descriptor(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("mediaType"), str)
        # True and false are numbers, too.
        and type(value.get("size")) is int
        and value["size"] >= 0
        and isinstance(value.get("digest"), str)
        and image_blobs.DIGEST.fullmatch(value["digest"]) is not None
    )


def _check_parts(world: World, repository: ContainerRepository, manifest: dict[str, Any]) -> None:
    """Refuse a manifest that names what was not uploaded. Layers that are fetched from elsewhere have addresses."""
    blobs = [each for each in _list_blobs(manifest) if not each.get("urls")]
    unknown = [each["digest"] for each in blobs if not image_blobs.find_blob(world, repository, each["digest"])]
    images = [each["digest"] for each in manifest.get("manifests", ())]
    unknown += [digest for digest in images if not world.image_manifests.find("digest", (repository.id, digest))]
    if unknown:
        raise BlobsUnknown(unknown)


def _list_blobs(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [manifest["config"], *manifest["layers"]] if "layers" in manifest else []


def _set_tag(
    ctx: WriteContext, repository: ContainerRepository, name: str, stored: ImageManifest, manifest: dict[str, Any]
) -> None:
    config = manifest.get("config", {}).get("digest")
    values = {
        "digest": stored.digest,
        "revision": config.partition(":")[2] if config else None,
        "created_at": _creation_time(ctx.world, repository, config),
        "total_size": sum(layer["size"] for layer in manifest.get("layers", ())),
    }
    tags = ctx.world.container_tags
    existing = tags.find("name", (repository.id, name))
    if existing is None:
        tags.add(ContainerTag(tags.next_id(), repository.id, name, **values))
    else:
        tags.change(existing, **values)
        schedule_collection(ctx, repository)
    ctx.world.container_repositories.change(repository, updated_at=ctx.now_iso)


def _creation_time(world: World, repository: ContainerRepository, config: str | None) -> str | None:
    """Return the time in an image's configuration."""
    blob = image_blobs.find_blob(world, repository, config) if config else None
    try:
        parsed = orjson.loads(blob.content) if blob else {}
    except orjson.JSONDecodeError:
        return None
    created = parsed.get("created") if isinstance(parsed, dict) else None
    try:
        return to_iso(from_iso(created)) if isinstance(created, str) else None
    except ValueError:
        return None


def delete(ctx: WriteContext, repository: ContainerRepository, reference: str) -> None:
    """Delete a manifest and the tags that name it, or only a tag."""
    manifest = get_manifest(ctx.world, repository, reference)
    tags = ctx.world.container_tags.where("repository", repository.id)
    if ":" in reference:
        purge(ctx, manifest, *(tag for tag in tags if tag.digest == reference))
    else:
        purge(ctx, *(tag for tag in tags if tag.name == reference))
    schedule_collection(ctx, repository)


def list_referrers(world: World, repository: ContainerRepository, digest: str) -> list[dict[str, Any]]:
    """Return the descriptors of the manifests that belong to another one."""
    manifests = world.image_manifests.where("subject", (repository.id, digest))
    return [_describe_referrer(manifest) for manifest in manifests]


def _describe_referrer(manifest: ImageManifest) -> dict[str, Any]:
    parsed = orjson.loads(manifest.content)
    descriptor = {"mediaType": manifest.media_type, "digest": manifest.digest, "size": len(manifest.content)}
    kind = parsed.get("artifactType") or parsed.get("config", {}).get("mediaType")
    if kind:
        descriptor["artifactType"] = kind
    if parsed.get("annotations"):
        descriptor["annotations"] = parsed["annotations"]
    return descriptor


def schedule_collection(ctx: WriteContext, repository: ContainerRepository) -> None:
    """Delete a day later what no tag leads to any more."""
    subject = subject_of(repository)
    ctx.cancel_tasks(subject, _COLLECT)
    ctx.schedule(_COLLECT, subject, ctx.now() + DAY)


@task_handler(_COLLECT)
def _collect_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    collect_garbage(ctx, ctx.world.container_repositories[task.subject[1]])


def collect_garbage(ctx: WriteContext, repository: ContainerRepository) -> None:
    """Delete the manifests that no tag leads to, and the blobs that no manifest names."""
    manifests = list(ctx.world.image_manifests.where("repository", repository.id))
    kept = _find_reachable(ctx.world, repository, manifests)
    named = {
        blob["digest"] for each in manifests if each.digest in kept for blob in _list_blobs(orjson.loads(each.content))
    }
    blobs = ctx.world.image_blobs.where("repository", repository.id)
    purge(
        ctx,
        *(manifest for manifest in manifests if manifest.digest not in kept),
        *(blob for blob in blobs if blob.digest not in named),
    )


def _find_reachable(world: World, repository: ContainerRepository, manifests: Sequence[ImageManifest]) -> set[str]:
    """Return the digests of the manifests that a tag names, of those in their indexes, and of what belongs to them."""
    by_digest = {manifest.digest: manifest for manifest in manifests}
    pending = [tag.digest for tag in world.container_tags.where("repository", repository.id)]
    found: set[str] = set()
    while pending:
        digest = pending.pop()
        if digest in by_digest and digest not in found:
            found.add(digest)
            pending += _list_neighbours(world, repository, by_digest[digest])
    return found


def _list_neighbours(world: World, repository: ContainerRepository, manifest: ImageManifest) -> Iterator[str]:
    for image in orjson.loads(manifest.content).get("manifests", ()):
        yield image["digest"]
    for referrer in world.image_manifests.where("subject", (repository.id, manifest.digest)):
        yield referrer.digest
