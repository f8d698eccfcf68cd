"""Environments of projects."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import environments
from fakeplat.model.environments import Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(Environment, without=("id", "project_id"))


def _make(entry: Entry) -> Environment:
    project, name = entry.owner, entry.said["name"]
    given = entry.given(_OWN)
    found = environments.find_by_name(entry.world, project, name)
    if found is not None:
        return entry.world.environments.change(found, **given)
    return environments.create(entry.ctx, project, **{"created_at": entry.since, **given})


def _tell(world: World, project: Project) -> Iterable[tuple[Environment, Told]] | None:
    return [(one, _told(one)) for one in world.environments.where("project", project.id)] or None


def _told(environment: Environment) -> Told:
    return telling.remove_defaults(telling.non_default_fields(environment, _OWN), updated_at=environment.created_at)


SECTION: Final = Section(
    "environments",
    under=("project",),
    rank=FURTHER,
    keys=Object(_OWN, required=("name",)),
    make=_make,
    tell=_tell,
    named="name",
    cased=True,
)
