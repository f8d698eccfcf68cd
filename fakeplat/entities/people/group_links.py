"""Views of links of groups to groups of identity providers."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.group_links import LdapGroupLink, SamlGroupLink


class LdapGroupLinkView(Entity[LdapGroupLink]):
    """A link to an LDAP group."""

    cn = attr()
    group_access = attr()
    provider = attr()
    filter = attr()


class SamlGroupLinkView(Entity[SamlGroupLink]):
    """A link to a SAML group."""

    name = attr()
    access_level = attr()
