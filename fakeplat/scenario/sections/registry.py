"""Image repositories of projects, with their tags. Docker's own protocol is not served, so images come from here."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, TEXT, ListOf, Object, Union
from fakeplat.domain.registry import cleanup_policies, container_repositories
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerRepository, ContainerTag
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(ContainerRepository, without=("id", "project_id", "cleanup_leased_until"))
_TAG_FIELDS: Final = fields(ContainerTag, without=("id", "repository_id"), total_size=COUNT)
_KEYS: Final = {**_FIELDS, "tags": ListOf(Union(TEXT, Object(_TAG_FIELDS, required=("name",))))}


def _create(entry: Entry) -> ContainerRepository:
    project, values = entry.owner, entry.select(_FIELDS)
    name = values.pop("name", "")
    existing = entry.world.container_repositories.find("name", (project.id, name))
    if existing is not None:
        repository = entry.world.container_repositories.change(existing, **values)
    else:
        times = {"created_at": entry.since, "updated_at": values.get("created_at", entry.since)}
        repository = container_repositories.create(entry.ctx, project, name, **{**times, **values})
    tags = [{"name": tag} if isinstance(tag, str) else tag for tag in entry.values.get("tags", ())]
    container_repositories.add_tags(entry.ctx, repository, tags)
    if repository.status == "delete_scheduled":
        container_repositories.schedule_deletion(entry.ctx, repository)
    cleanup_policies.schedule_run(entry.ctx, project)
    return entry.world.container_repositories[repository.id]


def _export(world: World, project: Project) -> Iterable[tuple[ContainerRepository, EntryData]] | None:
    repositories = container_repositories.list_by_project(world, project)
    return [(repository, _serialize(world, repository)) for repository in repositories] or None


def _serialize(world: World, repository: ContainerRepository) -> EntryData:
    data = serialization.non_default_fields(repository, _FIELDS)
    tags = [
        serialization.non_default_fields(tag, _TAG_FIELDS)
        for tag in world.container_tags.where("repository", repository.id)
    ]
    return {
        **serialization.remove_defaults(data, name="", updated_at=repository.created_at),
        **({"tags": tags} if tags else {}),
    }


SECTION: Final = Section(
    "container_repositories",
    within=("project",),
    rank=FURTHER,
    keys=Object(_KEYS),
    create=_create,
    export=_export,
    name_key="name",
    case_sensitive=True,
)
