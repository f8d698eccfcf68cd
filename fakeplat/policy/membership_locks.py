"""Groups whose members come from an identity provider, so that fewer may change them.

Source: docs/platform/project-members.md ('Billable and pending members').
"""

from fakeplat.model.people import Group
from fakeplat.model.world import World


def is_synchronized(world: World, group: Group) -> bool:
    """Return whether members of a group come from LDAP, so that nobody adds or removes them."""
    return _has_providers(world) and bool(world.ldap_group_links.where("group", group.id))


def is_locked(world: World, group: Group) -> bool:
    """Return whether only administrators may change memberships of a group."""
    if not _has_providers(world):
        return False
    settings = world.settings
    return settings.lock_memberships_to_ldap or (
        settings.lock_memberships_to_saml and bool(world.saml_group_links.where("group", group.id))
    )


def _has_providers(world: World) -> bool:
    # Where many organizations share an instance, there is no LDAP, and no setting of the instance locks their groups.
    return not world.instance.hosted and world.instance.has("premium")
