"""Links of groups to groups of identity providers, under ``ldap_group_links`` and ``saml_group_links``."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, Choice
from fakeplat.domain.groups import group_links
from fakeplat.model.people import LdapGroupLink, Level, SamlGroupLink
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.sections.people.members import resolve_role, serialize_role

_LEVEL: Final = Choice(*(int(level) for level in Level if level > Level.MINIMAL))

_ROLE_ID: Final = ("member_role_id",)
_ROLE: Final = {"member_role": NULLABLE_TEXT}
_DESCRIPTIONS: Final = {"member_role": "Name of the custom role that the users get."}


def _create_ldap_link(entry: Entry) -> LdapGroupLink:
    values = entry.select(("group_access", "provider", "cn", "filter"))
    return group_links.add_ldap_link(entry.ctx, entry.owner, **values, **resolve_role(entry))


def _create_saml_link(entry: Entry) -> SamlGroupLink:
    values = entry.select(("name", "access_level", "provider", "scim_group_uid"))
    return group_links.add_saml_link(entry.ctx, entry.owner, **values, **resolve_role(entry))


LDAP: Final = derive_section(
    "ldap_group_links",
    LdapGroupLink,
    within=("group",),
    keys={**own_fields(LdapGroupLink, without=_ROLE_ID, group_access=_LEVEL), **_ROLE},
    required=("group_access", "provider"),
    descriptions=_DESCRIPTIONS,
    create=_create_ldap_link,
    parts=serialize_role,
)
SAML: Final = derive_section(
    "saml_group_links",
    SamlGroupLink,
    within=("group",),
    keys={**own_fields(SamlGroupLink, without=_ROLE_ID, access_level=_LEVEL), **_ROLE},
    required=("name", "access_level"),
    descriptions=_DESCRIPTIONS,
    create=_create_saml_link,
    parts=serialize_role,
)
