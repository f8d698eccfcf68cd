"""The single sign-on of groups, and the identities that it knows. Source: docs/platform/scim.md."""

from typing import Final, Required, TypedDict, Unpack

from fakeplat.model.people import Group, Identity, SamlProvider
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

PROVIDER: Final = "group_saml"
"""The name of the provider in identities, the same for all groups."""


class SamlProviderFields(TypedDict, total=False):
    """The settings of a single sign-on."""

    scim_token: Required[str]
    enabled: bool
    default_membership_role: int


def find_by_group(world: World, group: Group) -> SamlProvider | None:
    """Return the single sign-on of a group, if it has one."""
    return world.saml_providers.find("group", group.id)


def configure(ctx: WriteContext, group: Group, **fields: Unpack[SamlProviderFields]) -> SamlProvider:
    """Set up the single sign-on of a group, or change it."""
    table = ctx.world.saml_providers
    existing = find_by_group(ctx.world, group)
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(SamlProvider(table.next_id(), group.id, **fields))


def list_identities(world: World, provider: SamlProvider) -> list[Identity]:
    """Return the identities of a group in the order of their creation; none if the sign-on is disabled."""
    return list(world.identities.where("saml_provider", provider.id)) if provider.enabled else []


def find_identity(world: World, provider: SamlProvider, extern_uid: str) -> Identity | None:
    """Return the identity with an id of the identity provider."""
    return world.identities.find("extern", (PROVIDER, extern_uid, provider.id))
