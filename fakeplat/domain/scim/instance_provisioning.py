"""What the identity provider of a whole instance does to its users. Source: docs/platform/scim.md ('Instance')."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.people import users
from fakeplat.domain.scim import attributes, provisioning
from fakeplat.domain.scim.attributes import Values
from fakeplat.domain.scim.scim_errors import ScimError, inspect_params
from fakeplat.domain.validation import TAKEN
from fakeplat.model.people import Identity
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

PROVIDER: Final = "scim"
"""The name of the provider in identities. They are not listed among those with which users sign in."""


def list_identities(world: World) -> list[Identity]:
    """Return the identities of the instance in the order of their creation."""
    return [identity for identity in world.identities.all() if identity.provider == PROVIDER]


def find_identity(world: World, extern_uid: str) -> Identity | None:
    """Return the identity with an id of the identity provider."""
    return world.identities.find("extern", (PROVIDER, extern_uid, None))


def provision(ctx: WriteContext, document: Mapping[str, object]) -> Identity:
    """Create the user that a document describes, or give the one with the e-mail address an identity."""
    values = attributes.read_user(document)
    with provisioning.saving(document):
        provisioning.require_values(values)
        existing = find_identity(ctx.world, values["extern_uid"])
        if existing is not None:
            return existing
        user = users.find_by_email(ctx.world, values["email"]) or provisioning.create_user(ctx, values)
        if any(identity.provider == PROVIDER for identity in ctx.world.identities.where("user", user.id)):
            raise InvalidRecord({"user": [TAKEN]}, reason=f"{user.username} has an identity of the instance already")
        return users.add_identity(ctx, user, PROVIDER, values["extern_uid"])


def change(ctx: WriteContext, identity: Identity, values: Values, described: object) -> None:
    """Block or unblock a user, or change the id; other attributes of users stay what they are."""
    if values.get("active") is False:
        deprovision(ctx, identity)
    elif values.get("active") and not identity.active:
        ctx.world.identities.change(identity, active=True, updated_at=ctx.now_iso)
        users.set_state(ctx, ctx.world.users[identity.user_id], "active")
    elif "extern_uid" in values and values["extern_uid"] != identity.extern_uid:
        if find_identity(ctx.world, values["extern_uid"]) is not None:
            name = ctx.world.users[identity.user_id].name
            raise ScimError(f"Error updating {name} with {inspect_params(described)}", reason="another user has the id")
        ctx.world.identities.change(identity, extern_uid=values["extern_uid"], updated_at=ctx.now_iso)


def deprovision(ctx: WriteContext, identity: Identity) -> None:
    """Block a user, whose identity stays."""
    ctx.world.identities.change(identity, active=False, updated_at=ctx.now_iso)
    user = ctx.world.users[identity.user_id]
    if user.state == "active":
        users.set_state(ctx, user, "blocked")
