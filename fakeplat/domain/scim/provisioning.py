"""What identity providers do to the members of a group. Source: docs/platform/scim.md."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord, Refusal
from fakeplat.domain.people import members, namespaces, users
from fakeplat.domain.purging import purge
from fakeplat.domain.scim import attributes, saml_providers
from fakeplat.domain.scim.attributes import Values
from fakeplat.domain.scim.scim_errors import ScimConflict, ScimError, inspect_params
from fakeplat.domain.validation import TAKEN
from fakeplat.model.people import Group, Identity, SamlProvider, User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import SCIM_DEACTIVATION_KEEPS_IDENTITY
from fakeplat.policy.context import WriteContext

_REQUIRED: Final = ("extern_uid", "email", "username")


def provision(ctx: WriteContext, provider: SamlProvider, document: Mapping[str, object]) -> Identity:
    """Create the user that a document describes, or give the one with the e-mail address an identity.

    Both become members of the group. 412, or 409 for what is taken, if that is impossible.
    """
    values = attributes.read_user(document)
    with saving(document):
        return _provision(ctx, provider, values)


@contextmanager
def saving(document: Mapping[str, object]) -> Iterator[None]:
    """Turn refusals into errors of SCIM that name the document: 409 for what is taken, else 412."""
    try:
        yield
    except Refusal as refusal:
        text = _error_text(refusal)
        kind = ScimConflict if TAKEN in text else ScimError
        raise kind(f"Error saving user with {inspect_params(document)}: {text}", reason=refusal.explain()) from None


def require_values(values: Values) -> None:
    """Refuse what lacks an id, an address or a name."""
    missing = [name for name in _REQUIRED if name not in values]
    if missing:
        raise ScimError(f"Missing params: [{', '.join(f':{name}' for name in missing)}]")


def _provision(ctx: WriteContext, provider: SamlProvider, values: Values) -> Identity:
    require_values(values)
    group = _group_of(ctx.world, provider)
    existing = saml_providers.find_identity(ctx.world, provider, values["extern_uid"])
    if existing is not None and members.find_member(ctx.world, group, ctx.world.users[existing.user_id]):
        return existing
    user = users.find_by_email(ctx.world, values["email"]) or create_user(ctx, values, group)
    identity = existing or _add_identity(ctx, provider, user, values["extern_uid"])
    if not members.find_member(ctx.world, group, user):
        members.add_member(ctx, group, user, provider.default_membership_role)
    return identity


def _group_of(world: World, provider: SamlProvider) -> Group:
    group = world.namespaces[provider.group_id]
    if not isinstance(group, Group):
        raise ScimError("Group not found", reason=f"namespace {provider.group_id} is no group")
    return group


def create_user(ctx: WriteContext, values: Values, group: Group | None = None) -> User:
    """Create the user that a document describes, whom a group may provision."""
    username = _free_username(ctx.world, values["username"])
    user = users.create(
        ctx, email=values["email"], username=username, name=values.get("name", ""), force_random_password=True
    )
    return user if group is None else ctx.world.users.change(user, provisioned_by_group_id=group.id)


def _free_username(world: World, wanted: str) -> str:
    """Return the username made of a wanted one, with a number if it is taken."""
    base = re.sub(r"[^\w.-]", "", wanted.partition("@")[0]).strip("-.") or "blank"
    candidates = (f"{base}{number or ''}" for number in count())
    return next(name for name in candidates if not users.is_username_taken(world, name))


def _add_identity(ctx: WriteContext, provider: SamlProvider, user: User, extern_uid: str) -> Identity:
    own = [identity for identity in ctx.world.identities.where("user", user.id) if _is_of(identity, provider)]
    if own:
        raise InvalidRecord({"user": [TAKEN]}, reason=f"{user.username} has an identity of this group already")
    return users.add_identity(ctx, user, saml_providers.PROVIDER, extern_uid, provider.id)


def _is_of(identity: Identity, provider: SamlProvider) -> bool:
    return identity.saml_provider_id == provider.id


def _error_text(refusal: Refusal) -> str:
    if isinstance(refusal, InvalidRecord):
        texts = refusal.full_messages()
        return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
    payload: Any = refusal.payload
    return str(payload.get("detail") or payload.get("message")) if isinstance(payload, dict) else str(payload)


def change(ctx: WriteContext, identity: Identity, values: Values, described: object) -> None:
    """Change a user: deprovision or restore the membership, change the id, or else the user's own attributes.

    ``described`` is what was sent, for the texts of errors.
    """
    if values.get("active") is False:
        deprovision(ctx, identity, keeps_identity=ctx.profile.has(SCIM_DEACTIVATION_KEEPS_IDENTITY))
    elif values.get("active") and not identity.active:
        _reprovision(ctx, identity)
    else:
        _guarded(ctx, identity, described, lambda: _change_attributes(ctx, identity, values))


def _guarded(ctx: WriteContext, identity: Identity, described: object, action: Callable[[], object]) -> None:
    try:
        action()
    except ScimError:
        raise
    except Refusal as refusal:
        name = ctx.world.users[identity.user_id].name
        raise ScimError(f"Error updating {name} with {inspect_params(described)}", reason=refusal.explain()) from None


def _change_attributes(ctx: WriteContext, identity: Identity, values: Values) -> None:
    user = ctx.world.users[identity.user_id]
    if "extern_uid" in values:
        holder = ctx.world.identities.find(
            "extern", (identity.provider, values["extern_uid"], identity.saml_provider_id)
        )
        if holder is not None and holder.id != identity.id:
            raise InvalidRecord({"extern_uid": [TAKEN]})
        ctx.world.identities.change(identity, extern_uid=values["extern_uid"], updated_at=ctx.now_iso)
        return
    holder_of_email = users.find_by_email(ctx.world, values["email"]) if "email" in values else None
    if holder_of_email is not None and holder_of_email.id != user.id:
        raise ScimConflict("Email has already been taken", reason=f"by {holder_of_email.username}")
    fields = {name: values[name] for name in ("name", "email", "username") if name in values}
    if fields:
        users.update(ctx, user, **fields)


def replace(ctx: WriteContext, identity: Identity, document: Mapping[str, object]) -> Identity:
    """Replace the attributes of a user by those of a document."""
    values = attributes.read_user(document)
    active = attributes.read_changes(
        [{"op": "Replace", "path": "active", "value": document.get("active")}], any_case=True
    )
    uid = values.pop("extern_uid", identity.extern_uid)
    _guarded(ctx, identity, document, lambda: _change_attributes(ctx, identity, values))
    if uid != identity.extern_uid:
        _guarded(ctx, identity, document, lambda: _change_attributes(ctx, identity, {"extern_uid": uid}))
    if active and active["active"] != identity.active:
        change(ctx, ctx.world.identities[identity.id], active, document)
    return ctx.world.identities[identity.id]


def _reprovision(ctx: WriteContext, identity: Identity) -> None:
    provider = _provider_of(ctx.world, identity)
    ctx.world.identities.change(identity, active=True, updated_at=ctx.now_iso)
    group, user = _group_of(ctx.world, provider), ctx.world.users[identity.user_id]
    if not members.find_member(ctx.world, group, user):
        members.add_member(ctx, group, user, provider.default_membership_role)


def _provider_of(world: World, identity: Identity) -> SamlProvider:
    provider = world.saml_providers.get(identity.saml_provider_id or 0)
    if provider is None:
        raise ScimError("Group not found", reason="the identity belongs to no group")
    return provider


def deprovision(ctx: WriteContext, identity: Identity, *, keeps_identity: bool = False) -> None:
    """Remove a user from the group, with the identity unless it is only to be deactivated. 412 for the last owner."""
    group, user = _group_of(ctx.world, _provider_of(ctx.world, identity)), ctx.world.users[identity.user_id]
    text = f"Could not remove {user.name} from {group.name}."
    if namespaces.owner_ids(ctx.world, group) == [user.id]:
        raise ScimError(f"{text} Cannot remove last group owner.", reason=f"{user.username} is the only owner")
    member = members.find_member(ctx.world, group, user)
    if member is None and not ctx.profile.has(SCIM_DEACTIVATION_KEEPS_IDENTITY):
        raise ScimError(f"{text} User is not a group member.", reason=f"{user.username} is no member of {group.path}")
    if member is not None:
        members.remove_member(ctx, group, member)
    if keeps_identity:
        ctx.world.identities.change(identity, active=False, updated_at=ctx.now_iso)
    else:
        purge(ctx, identity)
