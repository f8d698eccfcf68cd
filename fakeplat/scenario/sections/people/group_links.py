"""Links of groups to groups of identity providers, under ``ldap_group_links`` and ``saml_group_links``."""

from typing import Final

from fakeplat.core.schema.shapes import Choice
from fakeplat.domain.groups import group_links
from fakeplat.domain.people.members import GROUP_LEVELS
from fakeplat.model.people import LdapGroupLink, SamlGroupLink
from fakeplat.scenario.record_sections import derive_section, own_fields

_LEVEL: Final = Choice(*map(int, GROUP_LEVELS))

LDAP: Final = derive_section(
    "ldap_group_links",
    LdapGroupLink,
    within=("group",),
    keys=own_fields(LdapGroupLink, group_access=_LEVEL),
    required=("group_access", "provider"),
    add=group_links.add_ldap_link,
)
SAML: Final = derive_section(
    "saml_group_links",
    SamlGroupLink,
    within=("group",),
    keys=own_fields(SamlGroupLink, access_level=_LEVEL),
    required=("name", "access_level"),
    add=group_links.add_saml_link,
)
