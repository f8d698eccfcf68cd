"""Image repositories of projects, with their tags and the files of their images."""

from typing import Any, Final

from fakeplat.core.schema.shapes import COUNT, TEXT, ListOf, MapOf, Object, Union
from fakeplat.domain.registry import cleanup_policies, container_repositories, generated_images
from fakeplat.model.registry import ContainerRepository, ContainerTag
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(ContainerRepository, without=("cleanup_leased_until",))
_TAG_FIELDS: Final = own_fields(ContainerTag, total_size=COUNT)
_LAYERS: Final = ListOf(MapOf(TEXT))


def _create(entry: Entry) -> ContainerRepository:
    project, values = entry.owner, entry.select(_FIELDS)
    name = values.pop("name", "")
    existing = entry.world.container_repositories.find("name", (project.id, name))
    if existing is not None:
        repository = entry.world.container_repositories.change(existing, **values)
    else:
        times = {"created_at": entry.since, "updated_at": values.get("created_at", entry.since)}
        repository = container_repositories.create(entry.ctx, project, name, **{**times, **values})
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


def _serialize_tags(world: World, repository: ContainerRepository) -> EntryData:
    tags = world.container_tags.where("repository", repository.id)
    return {"tags": [_serialize_tag(world, repository, tag) for tag in tags]}


def _serialize_tag(world: World, repository: ContainerRepository, tag: ContainerTag) -> EntryData:
    layers = generated_images.find_layers(world, repository, tag.digest)
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
    further_keys={"tags": ListOf(Union(TEXT, Object({**_TAG_FIELDS, "layers": _LAYERS}, required=("name",))))},
    create=_create,
    defaults=lambda _: {"name": ""},
    parts=_serialize_tags,
    name_key="name",
    case_sensitive=True,
)
