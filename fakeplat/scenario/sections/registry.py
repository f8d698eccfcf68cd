"""Image repositories of projects, with their tags and the files of their images."""

from base64 import b64encode
from typing import Any, Final

from fakeplat.core.schema.shapes import BASE64, COUNT, TEXT, ListOf, MapOf, Object, Union
from fakeplat.domain.registry import (
    cleanup_policies,
    container_repositories,
    generated_images,
    image_blobs,
    image_manifests,
)
from fakeplat.domain.registry.generated_images import Layers
from fakeplat.model.registry import ContainerRepository, ContainerTag, ImageBlob, ImageManifest
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(ContainerRepository, without=("cleanup_leased_until",))
_TAG_FIELDS: Final = own_fields(ContainerTag, total_size=COUNT)
_LAYERS: Final = ListOf(MapOf(TEXT))
_CONTENT: Final = Object(
    {"digest": TEXT, "media_type": TEXT, "content_base64": BASE64},
    required=("digest", "content_base64"),
)


def _create(entry: Entry) -> ContainerRepository:
    project, values = entry.owner, entry.select(_FIELDS)
    name = values.pop("name", "")
    existing = entry.world.container_repositories.find("name", (project.id, name))
    if existing is not None:
        repository = entry.world.container_repositories.change(existing, **values)
    else:
        times = {"created_at": entry.since, "updated_at": values.get("created_at", entry.since)}
        repository = container_repositories.create(entry.ctx, project, name, **{**times, **values})
    _store_contents(entry, repository)
    tags: list[dict[str, Any]] = [
        {"name": tag} if isinstance(tag, str) else tag for tag in entry.values.get("tags", ())
    ]
    for tag in tags:
        if "layers" in tag:
            created_at = tag.get("created_at") or repository.created_at
            generated_images.store(entry.ctx, repository, tag["name"], tag["layers"], created_at)
    described = [{key: value for key, value in tag.items() if key != "layers"} for tag in tags]
    container_repositories.add_tags(entry.ctx, repository, described)
    if repository.status == "delete_scheduled":
        container_repositories.schedule_deletion(entry.ctx, repository)
    cleanup_policies.schedule_run(entry.ctx, project)
    return entry.world.container_repositories[repository.id]


def _store_contents(entry: Entry, repository: ContainerRepository) -> None:
    """Store what was pushed: first layers and configurations, which manifests name, then manifests in their order."""
    contents = entry.values.get("contents", ())
    for content in contents:
        if "media_type" not in content:
            image_blobs.check_digest(content["digest"], content["content_base64"])
            image_blobs.add_blob(entry.ctx, repository, content["digest"], content["content_base64"])
    for content in contents:
        if "media_type" in content:
            media_type = content["media_type"]
            image_manifests.put(entry.ctx, repository, content["digest"], media_type, content["content_base64"])


def _serialize_images(world: World, repository: ContainerRepository) -> EntryData:
    """Return the tags, with the layers of images that they describe completely, and the content of any others."""
    tags = world.container_tags.where("repository", repository.id)
    layers = {tag.digest: generated_images.find_layers(world, repository, tag.digest) for tag in tags}
    manifests = world.image_manifests.where("repository", repository.id)
    if all(layers.get(manifest.digest) is not None for manifest in manifests):
        return {"tags": [_serialize_tag(tag, layers[tag.digest]) for tag in tags]}
    blobs = world.image_blobs.where("repository", repository.id)
    contents: list[ImageBlob | ImageManifest] = [*blobs, *manifests]
    is_small = all(len(each.content) <= serialization.MAX_CONTENT for each in contents)
    return {
        "contents": [_serialize_content(each) for each in contents] if is_small else [],
        "tags": [_serialize_tag(tag, None) for tag in tags],
    }


def _serialize_content(stored: ImageBlob | ImageManifest) -> EntryData:
    media_type = {"media_type": stored.media_type} if isinstance(stored, ImageManifest) else {}
    return {"digest": stored.digest, **media_type, "content_base64": b64encode(stored.content).decode()}


def _serialize_tag(tag: ContainerTag, layers: Layers | None) -> EntryData:
    if layers is None:
        return serialization.non_default_fields(tag, _TAG_FIELDS)
    return {
        **serialization.non_default_fields(tag, ("name", "created_at")),
        "layers": [dict(files) for files in layers],
    }


SECTION: Final = derive_section(
    "container_repositories",
    ContainerRepository,
    within=("project",),
    keys=_FIELDS,
    further_keys={
        "contents": ListOf(_CONTENT),
        "tags": ListOf(Union(TEXT, Object({**_TAG_FIELDS, "layers": _LAYERS}, required=("name",)))),
    },
    create=_create,
    defaults=lambda _: {"name": ""},
    parts=_serialize_images,
    name_key="name",
    case_sensitive=True,
)
