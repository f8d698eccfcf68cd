"""Environments of projects, protected environments, and freeze periods."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.deployments import environments, freeze_periods, protected_environments
from fakeplat.model.deployments import Environment, FreezePeriod, ProtectedEnvironment
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections.repository.protected import (
    ACCESS_LEVELS,
    parse_access_levels,
    serialize_access_levels,
)

_FIELDS: Final = own_fields(Environment)


def _create(entry: Entry) -> Environment:
    fields_ = entry.select(_FIELDS)
    existing = environments.find_by_name(entry.world, entry.owner, entry.values["name"])
    if existing is not None:
        return environments.update(entry.ctx, existing, **fields_)
    return environments.create(entry.ctx, entry.owner, **{"created_at": entry.since, **fields_})


def _defaults(environment: Environment) -> EntryData:
    name = environment.name
    return {"slug": environments.generate_slug(name), "tier": environments.guess_tier(name)}


ENVIRONMENTS: Final = derive_section(
    "environments",
    Environment,
    within=("project",),
    required=("name",),
    create=_create,
    defaults=_defaults,
    name_key="name",
    case_sensitive=True,
)


_LEVELS: Final = "deploy_access_levels"


def _create_protected(entry: Entry) -> ProtectedEnvironment:
    table, project, name = entry.world.protected_environments, entry.owner, entry.values["name"]
    fields = {
        "deploy": parse_access_levels(entry, _LEVELS),
        "updated_at": entry.values.get("updated_at", entry.since),
    }
    existing = table.find("name", (project.id, name))
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(ProtectedEnvironment(id=table.next_id(), project_id=project.id, name=name, **fields))


def _serialize_protected(world: World, environment: ProtectedEnvironment) -> EntryData:
    levels = serialize_access_levels(world, environment.deploy)
    return {"name": environment.name, _LEVELS: levels, "updated_at": environment.updated_at}


PROTECTED: Final = derive_section(
    "protected_environments",
    ProtectedEnvironment,
    within=("project",),
    keys={"name": TEXT, _LEVELS: ACCESS_LEVELS, "updated_at": DATE_TIME},
    required=("name",),
    create=_create_protected,
    rows=protected_environments.list_protected,
    serialize=_serialize_protected,
    name_key="name",
    case_sensitive=True,
)


FREEZE_PERIODS: Final = derive_section(
    "freeze_periods",
    FreezePeriod,
    within=("project",),
    required=("freeze_start", "freeze_end"),
    add=freeze_periods.create,
    rows=freeze_periods.list_freeze_periods,
)
