"""Resource groups of projects; those that jobs name exist anyway."""

from typing import Final

from fakeplat.model.ci import ResourceGroup
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "resource_groups",
    ResourceGroup,
    within=("project",),
    required=("key",),
    unique="key",
    inherits_created_at=True,
    name_key="key",
    case_sensitive=True,
)
