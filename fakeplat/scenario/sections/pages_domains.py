"""Pages domains of projects."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.pages_domains import pages_domains
from fakeplat.model.pages_domains import PagesDomain
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(PagesDomain, without=("id", "project_id"))


def _create(entry: Entry) -> PagesDomain:
    name = entry.values["domain"]
    existing = entry.world.pages_domains.find("domain", name.lower())
    if existing is not None and existing.project_id == entry.owner.id:
        return entry.world.pages_domains.change(existing, **entry.select(_FIELDS))
    return pages_domains.create(entry.ctx, entry.owner, **entry.select(_FIELDS))


def _export(world: World, project: Project) -> Iterable[tuple[PagesDomain, EntryData]] | None:
    rows = [
        (domain, serialization.non_default_fields(domain, _FIELDS))
        for domain in pages_domains.list_domains(world, project)
    ]
    return rows or None


SECTION: Final = Section(
    "pages_domains",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("domain",)),
    create=_create,
    export=_export,
    name_key="domain",
)
