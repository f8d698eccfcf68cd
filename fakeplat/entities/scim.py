"""Users as SCIM describes them. Source: docs/platform/scim.md. See RFC 7643 (4.1)."""

from typing import Any, Final

from fakeplat.domain.scim.filters import ScimPage
from fakeplat.model.people import Identity
from fakeplat.policy.behaviours import SCIM_EXTERNAL_IDS, SCIM_NESTED_NAMES
from fakeplat.policy.context import ReadContext

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


def serialize_page(ctx: ReadContext, page: ScimPage) -> dict[str, Any]:
    """Return a list of users."""
    return {
        "schemas": [LIST_SCHEMA],
        "totalResults": page.total,
        "itemsPerPage": page.size,
        "startIndex": page.start,
        "Resources": [serialize_user(ctx, identity) for identity in page.rows],
    }
