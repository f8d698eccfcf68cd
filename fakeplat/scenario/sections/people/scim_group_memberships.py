"""Groups in which the identity provider of the instance has a user, under ``scim_group_memberships``."""

from typing import Final

from fakeplat.model.people import ScimGroupMembership
from fakeplat.scenario.record_sections import derive_section, own_fields

SECTION: Final = derive_section(
    "scim_group_memberships",
    ScimGroupMembership,
    within=("user",),
    keys=own_fields(ScimGroupMembership),
    required=("scim_group_uid",),
)
