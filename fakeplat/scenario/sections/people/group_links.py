"""Links of groups to groups of identity providers, under ``ldap_group_links`` and ``saml_group_links``."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Choice, Object
from fakeplat.domain.groups import group_links
from fakeplat.domain.people.members import GROUP_LEVELS
from fakeplat.model.people import Group, LdapGroupLink, SamlGroupLink
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_LEVEL: Final = Choice(*map(int, GROUP_LEVELS))
_LDAP: Final = fields(LdapGroupLink, without=("id", "group_id"), group_access=_LEVEL)
_SAML: Final = fields(SamlGroupLink, without=("id", "group_id"), access_level=_LEVEL)


def _create_ldap(entry: Entry) -> LdapGroupLink:
    return group_links.add_ldap_link(entry.ctx, entry.owner, **entry.select(_LDAP))


def _export_ldap(world: World, group: Group) -> Iterable[tuple[LdapGroupLink, EntryData]] | None:
    links = world.ldap_group_links.where("group", group.id)
    return [(link, serialization.non_default_fields(link, _LDAP)) for link in links] or None


def _create_saml(entry: Entry) -> SamlGroupLink:
    return group_links.add_saml_link(entry.ctx, entry.owner, entry.values["name"], entry.values["access_level"])


def _export_saml(world: World, group: Group) -> Iterable[tuple[SamlGroupLink, EntryData]] | None:
    links = world.saml_group_links.where("group", group.id)
    return [(link, serialization.non_default_fields(link, _SAML)) for link in links] or None


LDAP: Final = Section(
    "ldap_group_links",
    within=("group",),
    rank=FURTHER,
    keys=Object(_LDAP, required=("group_access", "provider")),
    create=_create_ldap,
    export=_export_ldap,
)
SAML: Final = Section(
    "saml_group_links",
    within=("group",),
    rank=FURTHER,
    keys=Object(_SAML, required=("name", "access_level")),
    create=_create_saml,
    export=_export_saml,
)
