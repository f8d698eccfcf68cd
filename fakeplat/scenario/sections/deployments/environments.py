"""Environments of projects."""

from typing import Final

from fakeplat.domain.deployments import environments
from fakeplat.model.deployments import Environment
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData

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


SECTION: Final = derive_section(
    "environments",
    Environment,
    within=("project",),
    required=("name",),
    create=_create,
    defaults=_defaults,
    name_key="name",
    case_sensitive=True,
)
