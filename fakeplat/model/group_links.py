"""Links of groups to groups of identity providers, whose members would be synchronized."""

from fakeplat.core.store.frozen import frozen


@frozen
class LdapGroupLink:
    """A link to an LDAP group, by its name (``cn``) or a filter of users. No LDAP server is ever asked."""

    id: int
    group_id: int
    group_access: int
    provider: str
    cn: str | None = None
    filter: str | None = None


@frozen
class SamlGroupLink:
    """A link to a SAML group, whose members would get an access level when they sign in."""

    id: int
    group_id: int
    name: str
    access_level: int
