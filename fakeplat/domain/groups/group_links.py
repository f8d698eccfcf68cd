"""Links of groups to groups of identity providers. Nothing is synchronized: there is no LDAP server, and no SAML."""

from collections.abc import Sequence
from typing import Required, TypedDict, Unpack

from fakeplat.core.operations.errors import Conflict, Forbidden, NotFoundWithMessage, Unprocessable
from fakeplat.domain.validation import TAKEN
from fakeplat.model.people import Group, LdapGroupLink, SamlGroupLink
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe


def authorize_ldap(ctx: ReadContext) -> None:
    """Raise Forbidden if LDAP is for administrators, and the caller is none."""
    if not (ctx.admin or ctx.world.settings.allow_group_owners_to_manage_ldap):
        raise Forbidden(reason="LDAP groups are for administrators (allow_group_owners_to_manage_ldap is off)")


def list_ldap_links(world: World, group: Group) -> Sequence[LdapGroupLink]:
    """Return the LDAP links of a group, or refuse with 404 if it has none."""
    links = world.ldap_group_links.where("group", group.id)
    if not links:
        reason = f"{describe(world, group)} has no LDAP links"
        raise NotFoundWithMessage("No linked LDAP groups found", reason=reason)
    return links


class LdapLinkFields(TypedDict, total=False):
    """What is linked, and with which access."""

    group_access: Required[int]
    provider: Required[str]
    cn: str | None
    filter: str | None
    member_role_id: int | None


def add_ldap_link(ctx: WriteContext, group: Group, **fields: Unpack[LdapLinkFields]) -> LdapGroupLink:
    """Link an LDAP group, or those who match a filter; 409 if that is linked already."""
    table = ctx.world.ldap_group_links
    link = LdapGroupLink(id=table.next_id(), group_id=group.id, **fields)
    if table.find("place", (group.id, link.provider, link.cn, link.filter)):
        raise Conflict(f"{'Filter' if link.cn is None else 'Cn'} {TAKEN}")
    return table.add(link)


def get_ldap_link(
    world: World, group: Group, cn: str | None, provider: str | None = None, filter_: str | None = None
) -> LdapGroupLink:
    """Return the link of a group to an LDAP group or a filter, of one provider or of any, or refuse with 404."""
    for link in world.ldap_group_links.where("group", group.id):
        if (link.cn, link.filter) == (cn, filter_) and provider in (None, link.provider):
            return link
    reason = f"{describe(world, group)} has no link to {cn or filter_!r}" + (f" of {provider!r}" if provider else "")
    raise NotFoundWithMessage("Linked LDAP group not found", reason=reason)


class SamlLinkFields(TypedDict, total=False):
    """The custom role that users get, the provider with which they sign in, and the id in SCIM."""

    member_role_id: int | None
    provider: str | None
    scim_group_uid: str | None


def add_saml_link(
    ctx: WriteContext, group: Group, name: str, access_level: int, **fields: Unpack[SamlLinkFields]
) -> SamlGroupLink:
    """Link a SAML group; 409 if it is linked already."""
    table = ctx.world.saml_group_links
    if table.find("name", (group.id, name, fields.get("provider"))):
        raise Conflict(f"SAML group name {TAKEN}")
    return table.add(SamlGroupLink(table.next_id(), group.id, name, access_level, **fields))


def get_saml_link(world: World, group: Group, name: str, *providers: str | None) -> SamlGroupLink:
    """Return the link of a group to a SAML group, of one provider if it is given; 404 for none, 422 for several."""
    links = [link for link in world.saml_group_links.where("group", group.id) if link.name == name]
    matching = [link for link in links if not providers or link.provider in providers]
    if len(matching) > 1:
        text = "Multiple group links found with the same name. Please specify a provider parameter to disambiguate."
        raise Unprocessable(text, reason=f"{len(matching)} links of {describe(world, group)} are named {name!r}")
    if not matching:
        raise NotFoundWithMessage(
            "Linked SAML group link not found", reason=f"{describe(world, group)} has no link to {name!r}"
        )
    return matching[0]
