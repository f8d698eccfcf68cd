"""Protected environments of projects."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.deployments import protected_environments
from fakeplat.model.deployments import ProtectedEnvironment
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections.repository.protected import (
    ACCESS_LEVELS,
    parse_access_levels,
    serialize_access_levels,
)

_LEVELS: Final = "deploy_access_levels"


def _create(entry: Entry) -> ProtectedEnvironment:
    table, project, name = entry.world.protected_environments, entry.owner, entry.values["name"]
    fields = {
        "deploy": parse_access_levels(entry, _LEVELS),
        "updated_at": entry.values.get("updated_at", entry.since),
    }
    existing = table.find("name", (project.id, name))
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(ProtectedEnvironment(id=table.next_id(), project_id=project.id, name=name, **fields))


def _serialize(world: World, environment: ProtectedEnvironment) -> EntryData:
    levels = serialize_access_levels(world, environment.deploy)
    return {"name": environment.name, _LEVELS: levels, "updated_at": environment.updated_at}


SECTION: Final = derive_section(
    "protected_environments",
    ProtectedEnvironment,
    within=("project",),
    keys={"name": TEXT, _LEVELS: ACCESS_LEVELS, "updated_at": DATE_TIME},
    required=("name",),
    create=_create,
    rows=protected_environments.list_protected,
    serialize=_serialize,
    name_key="name",
    case_sensitive=True,
)
