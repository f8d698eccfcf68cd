"""Environments of projects."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.deployments import environments
from fakeplat.model.deployments import Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Environment, without=("id", "project_id"))


def _create(entry: Entry) -> Environment:
    project, name = entry.owner, entry.values["name"]
    fields_ = entry.select(_FIELDS)
    existing = environments.find_by_name(entry.world, project, name)
    if existing is not None:
        return environments.update(entry.ctx, existing, **fields_)
    return environments.create(entry.ctx, project, **{"created_at": entry.since, **fields_})


def _export(world: World, project: Project) -> Iterable[tuple[Environment, EntryData]] | None:
    return [
        (environment, _serialize(environment)) for environment in world.environments.where("project", project.id)
    ] or None


def _serialize(environment: Environment) -> EntryData:
    return serialization.remove_defaults(
        serialization.non_default_fields(environment, _FIELDS),
        updated_at=environment.created_at,
        slug=environments.generate_slug(environment.name),
        tier=environments.guess_tier(environment.name),
    )


SECTION: Final = Section(
    "environments",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("name",)),
    create=_create,
    export=_export,
    name_key="name",
    case_sensitive=True,
)
