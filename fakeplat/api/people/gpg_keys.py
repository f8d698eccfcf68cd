"""GPG keys of users. Source: docs/platform/users.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import USER
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.people import gpg_keys
from fakeplat.domain.purging import purge
from fakeplat.entities.people.accounts import GpgKeyView
from fakeplat.model.people import GpgKey, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Keys", login=Login.WRITES, scopes=("read_user",))
PATH: Final = "gpg_keys/:key_id"
_ACCEPTED: Final = 202


class CreateGpgKey(Params):
    """A new GPG key, in its armor."""

    key: str


def _delete(ctx: WriteContext, user: User, key_id: int) -> None:
    key = gpg_keys.require_key(ctx.world, user, key_id)
    ctx.check_unmodified_since(key.created_at)
    purge(ctx, key)


def _revoke(ctx: WriteContext, user: User, key_id: int) -> int:
    purge(ctx, gpg_keys.require_key(ctx.world, user, key_id))
    # The body is the number of the status, which the platform's own function returns last.
    return _ACCEPTED


@area.operation("GET", "user/gpg_keys", params=Paged, view=GpgKeyView, many=True, login=Login.ALWAYS)
def list_current_user_gpg_keys(ctx: ReadContext) -> Sequence[GpgKey]:
    """List the caller's GPG keys."""
    return gpg_keys.list_keys(ctx.world, ctx.signed_in_user)


@area.operation("GET", f"user/{PATH}", view=GpgKeyView, login=Login.ALWAYS, refusals=(404,))
def get_current_user_gpg_key(ctx: ReadContext, key_id: int) -> GpgKey:
    """Get a GPG key of the caller."""
    return gpg_keys.require_key(ctx.world, ctx.signed_in_user, key_id)


@area.operation("POST", "user/gpg_keys", params=CreateGpgKey, view=GpgKeyView, refusals=(400, 501))
def create_current_user_gpg_key(ctx: WriteContext, p: CreateGpgKey) -> GpgKey:
    """Add a GPG key to the caller's account."""
    return gpg_keys.create(ctx, ctx.signed_in_user, p.key)


@area.operation("DELETE", f"user/{PATH}", refusals=(404, 412))
def delete_current_user_gpg_key(ctx: WriteContext, key_id: int) -> None:
    """Delete a GPG key of the caller."""
    _delete(ctx, ctx.signed_in_user, key_id)


@area.operation("POST", f"user/{PATH}/revoke", status=_ACCEPTED, refusals=(404,))
def revoke_current_user_gpg_key(ctx: WriteContext, key_id: int) -> int:
    """Revoke a GPG key of the caller: its signatures are unverified from now on."""
    return _revoke(ctx, ctx.signed_in_user, key_id)


@area.operation("GET", "gpg_keys", scope=USER, params=Paged, view=GpgKeyView, many=True)
def list_user_gpg_keys(ctx: ReadContext, user: User) -> Sequence[GpgKey]:
    """List the GPG keys of a user."""
    return gpg_keys.list_keys(ctx.world, user)


@area.operation("GET", PATH, scope=USER, view=GpgKeyView, refusals=(404,))
def get_user_gpg_key(ctx: ReadContext, user: User, key_id: int) -> GpgKey:
    """Get a GPG key of a user."""
    return gpg_keys.require_key(ctx.world, user, key_id)


@area.operation(
    "POST",
    "gpg_keys",
    scope=USER,
    params=CreateGpgKey,
    view=GpgKeyView,
    ability=Ability.ADMIN_USERS,
    refusals=(400, 501),
)
def create_user_gpg_key(ctx: WriteContext, user: User, p: CreateGpgKey) -> GpgKey:
    """Add a GPG key to the account of a user. Administrators only."""
    return gpg_keys.create(ctx, user, p.key)


@area.operation("DELETE", PATH, scope=USER, ability=Ability.ADMIN_USERS, refusals=(404, 412))
def delete_user_gpg_key(ctx: WriteContext, user: User, key_id: int) -> None:
    """Delete a GPG key of a user. Administrators only."""
    _delete(ctx, user, key_id)


@area.operation("POST", f"{PATH}/revoke", scope=USER, ability=Ability.ADMIN_USERS, status=_ACCEPTED, refusals=(404,))
def revoke_user_gpg_key(ctx: WriteContext, user: User, key_id: int) -> int:
    """Revoke a GPG key of a user: its signatures are unverified from now on. Administrators only."""
    return _revoke(ctx, user, key_id)
