"""Links of groups to groups of LDAP servers and SAML providers. Nothing is synchronized."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.access_levels import PLANNER_SINCE, AccessLevel
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, exactly_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.groups import group_links
from fakeplat.domain.people import member_roles
from fakeplat.domain.purging import purge
from fakeplat.domain.scim import group_memberships
from fakeplat.entities.people.groups import LdapGroupLinkView, SamlGroupLinkView
from fakeplat.model.people import Group, LdapGroupLink, SamlGroupLink
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Groups", login=Login.ALWAYS)
_PROVIDERS: Final = Lifetime(since="18.2")


@area.operation(
    "GET",
    "ldap_group_links",
    name="list_group_ldap_links",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=LdapGroupLinkView,
    many=True,
    paging=None,
    tier="premium",
    refusals=(404,),
)
def list_ldap_links(ctx: ReadContext, group: Group) -> Sequence[LdapGroupLink]:
    """List the LDAP links of a group; 404 if there are none."""
    return group_links.list_ldap_links(ctx.world, group)


class CreateLdapLink(Params):
    """A link to an LDAP group, or to those who match a filter."""

    cn: str | None = None
    filter: str | None = None
    group_access: Annotated[AccessLevel, PLANNER_SINCE]
    provider: str
    member_role_id: Annotated[int | None, Lifetime(since="<=18.0")] = None

    rules = (exactly_one_of("cn", "filter"),)


@area.operation(
    "POST",
    "ldap_group_links",
    name="create_group_ldap_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=CreateLdapLink,
    view=LdapGroupLinkView,
    tier="premium",
    refusals=(400, 409),
)
def create_ldap_link(ctx: WriteContext, group: Group, p: CreateLdapLink) -> LdapGroupLink:
    """Link a group to an LDAP group."""
    role_id = member_roles.find_assignable(ctx.world, group, p.member_role_id)
    return group_links.add_ldap_link(ctx, group, **{**p.given(), "member_role_id": role_id})


class DeleteLdapLink(Params):
    """The provider, and the LDAP group or the filter."""

    provider: str
    cn: str | None = None
    filter: str | None = None

    rules = (exactly_one_of("cn", "filter"),)


@area.operation(
    "DELETE",
    "ldap_group_links",
    name="delete_group_ldap_link_by_parameter",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=DeleteLdapLink,
    tier="premium",
    since="<=13.10",
    refusals=(404,),
)
def delete_ldap_link_by_parameter(ctx: WriteContext, group: Group, p: DeleteLdapLink) -> None:
    """Delete the link to an LDAP group or to a filter."""
    purge(ctx, group_links.get_ldap_link(ctx.world, group, p.cn, p.provider, p.filter))


@area.operation(
    "DELETE",
    "ldap_group_links/:cn",
    name="delete_group_ldap_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    refusals=(404,),
)
def delete_ldap_link(ctx: WriteContext, group: Group, cn: str) -> None:
    """Delete the link to an LDAP group."""
    purge(ctx, group_links.get_ldap_link(ctx.world, group, cn))


@area.operation(
    "DELETE",
    "ldap_group_links/:provider/:cn",
    name="delete_group_ldap_provider_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    refusals=(404,),
)
def delete_ldap_provider_link(ctx: WriteContext, group: Group, provider: str, cn: str) -> None:
    """Delete the link to an LDAP group of a provider."""
    purge(ctx, group_links.get_ldap_link(ctx.world, group, cn, provider))


@area.operation(
    "POST",
    "ldap_sync",
    name="start_group_ldap_sync",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    status=202,
    reads=True,
    login=Login.ALWAYS,
    tier="premium",
)
def start_ldap_sync(_ctx: ReadContext, _group: Group) -> int:
    """Start the synchronization of a group with LDAP, which changes nothing."""
    # The platform's body is the status.
    return 202


class CreateSamlLink(Params):
    """A link to a SAML group."""

    saml_group_name: str
    access_level: Annotated[AccessLevel, PLANNER_SINCE]
    member_role_id: Annotated[int | None, Lifetime(since="16.8")] = None
    provider: Annotated[str | None, _PROVIDERS] = None


class NamedSamlLink(Params):
    """The provider, where several links have the same name; an empty one for none."""

    provider: Annotated[str | None, _PROVIDERS] = None


@area.operation(
    "POST",
    "saml_group_links",
    name="create_group_saml_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=CreateSamlLink,
    view=SamlGroupLinkView,
    tier="premium",
    since="15.3",
    refusals=(400, 409),
)
def create_saml_link(ctx: WriteContext, group: Group, p: CreateSamlLink) -> SamlGroupLink:
    """Link a group to a SAML group."""
    role_id = member_roles.find_assignable(ctx.world, group, p.member_role_id)
    return group_links.add_saml_link(
        ctx, group, p.saml_group_name, p.access_level, member_role_id=role_id, provider=p.provider or None
    )


@area.operation(
    "GET",
    "saml_group_links",
    name="list_group_saml_links",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=SamlGroupLinkView,
    many=True,
    paging=None,
    tier="premium",
    since="15.3",
)
def list_saml_links(ctx: ReadContext, group: Group) -> Sequence[SamlGroupLink]:
    """List the SAML links of a group."""
    return ctx.world.saml_group_links.where("group", group.id)


def _get_saml_link(ctx: ReadContext, group: Group, name: str, p: NamedSamlLink) -> SamlGroupLink:
    providers = (p.provider or None,) if "provider" in p.given() else ()
    return group_links.get_saml_link(ctx.world, group, name, *providers)


@area.operation(
    "GET",
    "saml_group_links/:saml_group_name",
    name="get_group_saml_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=NamedSamlLink,
    view=SamlGroupLinkView,
    tier="premium",
    since="15.3",
    refusals=(404, 422),
)
def get_saml_link(ctx: ReadContext, group: Group, saml_group_name: str, p: NamedSamlLink) -> SamlGroupLink:
    """Get the link to a SAML group."""
    return _get_saml_link(ctx, group, saml_group_name, p)


@area.operation(
    "DELETE",
    "saml_group_links/:saml_group_name",
    name="delete_group_saml_link",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=NamedSamlLink,
    tier="premium",
    since="15.3",
    refusals=(404, 422),
)
def delete_saml_link(ctx: WriteContext, group: Group, saml_group_name: str, p: NamedSamlLink) -> None:
    """Delete the link to a SAML group."""
    link = _get_saml_link(ctx, group, saml_group_name, p)
    purge(ctx, link)
    group_memberships.forget_unlinked(ctx, link.scim_group_uid)


class ListLdapGroups(Params):
    """What the names of LDAP groups begin with."""

    search: str = ""


@area.operation("GET", "ldap/groups", params=ListLdapGroups, tier="premium", refusals=(403,))
def list_ldap_groups(ctx: ReadContext) -> list[dict[str, Any]]:
    """List LDAP groups. There are none, as there is no LDAP server."""
    return _list_ldap_groups(ctx)


@area.operation("GET", "ldap/:provider/groups", params=ListLdapGroups, tier="premium", refusals=(403,))
def list_ldap_provider_groups(ctx: ReadContext, _provider: str) -> list[dict[str, Any]]:
    """List the LDAP groups of a provider. There are none, as there is no LDAP server."""
    return _list_ldap_groups(ctx)


def _list_ldap_groups(ctx: ReadContext) -> list[dict[str, Any]]:
    group_links.authorize_ldap(ctx)
    return []
