"""Identities of the members of a group at its identity provider. Source: docs/platform/scim.md ('Identities')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.purging import purge
from fakeplat.domain.scim import saml_providers
from fakeplat.entities.scim_identities import SamlIdentityView, ScimIdentityView
from fakeplat.model.people import Group, Identity
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("SAML", login=Login.ALWAYS, located_first=True)
scim_area: Final = Area("SCIM", login=Login.ALWAYS, located_first=True)


@area.operation(
    "GET",
    "saml/identities",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=SamlIdentityView,
    many=True,
    paging=None,
    tier="premium",
    refusals=(400,),
    since="15.5",
)
def list_group_saml_identities(ctx: ReadContext, group: Group) -> Sequence[Identity]:
    """List the SAML identities of a group."""
    if saml_providers.find_by_group(ctx.world, group) is None:
        raise BadRequest("400 Bad request", reason=f"{describe(ctx.world, group)} has no single sign-on")
    return _list_identities(ctx, group)


@scim_area.operation(
    "GET",
    "scim/identities",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=ScimIdentityView,
    many=True,
    paging=None,
    tier="premium",
    since="15.5",
)
def list_group_scim_identities(ctx: ReadContext, group: Group) -> Sequence[Identity]:
    """List the SCIM identities of a group."""
    return _list_identities(ctx, group)


def _list_identities(ctx: ReadContext, group: Group) -> Sequence[Identity]:
    provider = saml_providers.find_by_group(ctx.world, group)
    return [] if provider is None else saml_providers.list_identities(ctx.world, provider)


def _get_identity(ctx: ReadContext, group: Group, uid: str) -> Identity:
    identity = next((one for one in _list_identities(ctx, group) if one.extern_uid == uid), None)
    if identity is None:
        raise NotFound("Identity", reason=f"{describe(ctx.world, group)} has no identity {uid!r}")
    return identity


@area.operation(
    "GET",
    "saml/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=SamlIdentityView,
    tier="premium",
    refusals=(404,),
    since="16.1",
)
def get_group_saml_identity(ctx: ReadContext, group: Group, uid: str) -> Identity:
    """Get a SAML identity of a group."""
    return _get_identity(ctx, group, uid)


@scim_area.operation(
    "GET",
    "scim/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=ScimIdentityView,
    tier="premium",
    refusals=(404,),
    since="16.1",
)
def get_group_scim_identity(ctx: ReadContext, group: Group, uid: str) -> Identity:
    """Get a SCIM identity of a group."""
    return _get_identity(ctx, group, uid)


class ChangeIdentity(Params):
    """The new id of the user at the identity provider."""

    extern_uid: str


@area.operation(
    "PATCH",
    "saml/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=ChangeIdentity,
    view=SamlIdentityView,
    tier="premium",
    refusals=(400, 404),
    since="15.5",
)
def update_group_saml_identity(ctx: WriteContext, group: Group, uid: str, p: ChangeIdentity) -> Identity:
    """Update the id of a SAML identity of a group."""
    return _change_identity(ctx, group, uid, p.extern_uid)


@scim_area.operation(
    "PATCH",
    "scim/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=ChangeIdentity,
    view=ScimIdentityView,
    tier="premium",
    refusals=(400, 404),
    since="15.5",
)
def update_group_scim_identity(ctx: WriteContext, group: Group, uid: str, p: ChangeIdentity) -> Identity:
    """Update the id of a SCIM identity of a group."""
    return _change_identity(ctx, group, uid, p.extern_uid)


def _change_identity(ctx: WriteContext, group: Group, uid: str, extern_uid: str) -> Identity:
    identity = _get_identity(ctx, group, uid)
    holder = next((one for one in _list_identities(ctx, group) if one.extern_uid == extern_uid), identity)
    if holder.id != identity.id:
        raise BadRequest("Extern uid has already been taken", reason=f"another user is {extern_uid!r}")
    return ctx.world.identities.change(identity, extern_uid=extern_uid, updated_at=ctx.now_iso)


@area.operation(
    "DELETE",
    "saml/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    refusals=(404,),
    since="16.5",
)
def delete_group_saml_identity(ctx: WriteContext, group: Group, uid: str) -> None:
    """Delete a SAML identity of a group."""
    purge(ctx, _get_identity(ctx, group, uid))


@scim_area.operation(
    "DELETE",
    "scim/:uid",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    refusals=(404,),
    since="16.5",
)
def delete_group_scim_identity(ctx: WriteContext, group: Group, uid: str) -> None:
    """Delete a SCIM identity of a group."""
    purge(ctx, _get_identity(ctx, group, uid))
