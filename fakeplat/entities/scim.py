"""Users and groups as SCIM describes them. Source: docs/platform/scim.md. See RFC 7643 (4.1, 4.2)."""

from typing import Any, Final

from fakeplat.domain.scim import group_memberships
from fakeplat.domain.scim.filters import ScimPage
from fakeplat.model.people import Identity, SamlGroupLink
from fakeplat.policy.behaviours import SCIM_EXTERNAL_IDS, SCIM_GROUPS_SHOW_MEMBERS, SCIM_NESTED_NAMES
from fakeplat.policy.context import ReadContext

GROUP_SCHEMA: Final = "urn:ietf:params:scim:schemas:core:2.0:Group"
USER_SCHEMA: Final = "urn:ietf:params:scim:schemas:core:2.0:User"
LIST_SCHEMA: Final = "urn:ietf:params:scim:api:messages:2.0:ListResponse"


def serialize_user(ctx: ReadContext, identity: Identity) -> dict[str, Any]:
    """Return a user. At first, the name was a flat key with a dot in it."""
    user = ctx.world.users[identity.user_id]
    given, _, family = user.name.partition(" ")
    nested = {"name": {"formatted": user.name, "familyName": family, "givenName": given}}
    return {
        "schemas": [USER_SCHEMA],
        "id": identity.extern_uid,
        **({"externalId": identity.extern_uid} if ctx.profile.has(SCIM_EXTERNAL_IDS) else {}),
        "active": identity.active,
        **(nested if ctx.profile.has(SCIM_NESTED_NAMES) else {"name.formatted": user.name}),
        "userName": user.username,
        "meta": {"resourceType": "User"},
        "emails": [{"type": "work", "value": user.email, "primary": True}],
    }


def serialize_page(ctx: ReadContext, page: ScimPage[Identity]) -> dict[str, Any]:
    """Return a list of users."""
    return _serialize_list(page, [serialize_user(ctx, identity) for identity in page.rows])


def _serialize_list(page: ScimPage[Any], resources: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schemas": [LIST_SCHEMA],
        "totalResults": page.total,
        "itemsPerPage": page.size,
        "startIndex": page.start,
        "Resources": resources,
    }


def serialize_group(ctx: ReadContext, link: SamlGroupLink, *, with_members: bool = True) -> dict[str, Any]:
    """Return a group, by one of the links that lead to it. At first, no group showed its members."""
    return {
        "schemas": [GROUP_SCHEMA],
        "id": link.scim_group_uid,
        "displayName": link.name,
        **({"members": _serialize_members(ctx, link)} if with_members else {}),
        "meta": {"resourceType": "Group"},
    }


def _serialize_members(ctx: ReadContext, link: SamlGroupLink) -> list[dict[str, str]]:
    if not link.scim_group_uid or not ctx.profile.has(SCIM_GROUPS_SHOW_MEMBERS):
        return []
    return [
        {"value": identity.extern_uid, "display": ctx.world.users[identity.user_id].name, "type": "User"}
        for identity in group_memberships.list_identities(ctx.world, link.scim_group_uid)
    ]


def serialize_groups(ctx: ReadContext, page: ScimPage[SamlGroupLink], *, with_members: bool) -> dict[str, Any]:
    """Return a list of groups."""
    return _serialize_list(page, [serialize_group(ctx, link, with_members=with_members) for link in page.rows])
