"""Pages domains of projects."""

from typing import Final

from fakeplat.domain.pages_domains import pages_domains
from fakeplat.model.pages_domains import PagesDomain
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields

_FIELDS: Final = own_fields(PagesDomain)


def _create(entry: Entry) -> PagesDomain:
    existing = entry.world.pages_domains.find("domain", entry.values["domain"].lower())
    if existing is not None and existing.project_id == entry.owner.id:
        return entry.world.pages_domains.change(existing, **entry.select(_FIELDS))
    return pages_domains.create(entry.ctx, entry.owner, **entry.select(_FIELDS))


SECTION: Final = derive_section(
    "pages_domains",
    PagesDomain,
    within=("project",),
    required=("domain",),
    create=_create,
    rows=pages_domains.list_domains,
    name_key="domain",
)
