"""Grants of tokens to devices without a browser, whose users confirm them elsewhere.

Source: docs/platform/oauth.md. See RFC 8628.
"""

from string import ascii_uppercase, digits
from typing import Final

from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.oauth import access_tokens, scopes
from fakeplat.domain.oauth.oauth_errors import OAuthError, PollRefused
from fakeplat.domain.purging import purge
from fakeplat.model.oauth import DeviceGrant, OAuthApplication
from fakeplat.model.people import Token, User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DEVICE_CODES_CAN_BE_OFF
from fakeplat.policy.context import ReadContext, WriteContext

GRANT_TYPE: Final = "urn:ietf:params:oauth:grant-type:device_code"
LIFETIME: Final = 300
INTERVAL: Final = 5
"""The seconds for which a grant can be confirmed, and between two questions for its token."""
_CODE_SIZE: Final = 8
_CODE_CHARACTERS: Final = digits + ascii_uppercase


def start(ctx: WriteContext, application: OAuthApplication, scope: str) -> DeviceGrant:
    """Create a grant for a device, after deleting those that have expired; or raise an `OAuthError`."""
    if ctx.profile.has(DEVICE_CODES_CAN_BE_OFF) and not application.device_code_enabled:
        raise OAuthError("access_denied", reason=f"device_code_enabled of {application.name!r} is off")
    if not scopes.is_allowed(ctx.profile, scope, application):
        raise OAuthError("invalid_scope", reason=f"{application.name!r} may not have the scopes {scope!r}")
    table = ctx.world.device_grants
    for expired in [grant for grant in table.all() if is_expired(ctx, grant)]:
        purge(ctx, expired)
    device_code, user_code = ctx.random_hex("device code", 32), _draw_user_code(ctx)
    grant = DeviceGrant(table.next_id(), application.id, device_code, user_code, ctx.now_iso, scopes.parse(scope))
    return table.add(grant)


def _draw_user_code(ctx: WriteContext) -> str:
    number = int(ctx.random_hex("user code", _CODE_SIZE), 16)
    characters = []
    for _ in range(_CODE_SIZE):
        number, index = divmod(number, len(_CODE_CHARACTERS))
        characters.append(_CODE_CHARACTERS[index])
    return "".join(characters)


def find_by_user_code(world: World, user_code: str) -> DeviceGrant | None:
    """Return the grant that waits for its user, or None."""
    return world.device_grants.find("user_code", user_code) if user_code else None


def is_expired(ctx: ReadContext, grant: DeviceGrant) -> bool:
    """Return whether a grant is too old."""
    return ctx.moving_now() >= from_iso(grant.created_at) + LIFETIME * SECOND


def confirm(ctx: WriteContext, grant: DeviceGrant, user: User) -> None:
    """Let a device act for a user."""
    ctx.world.device_grants.change(grant, user_code=None, user_id=user.id)


def redeem(ctx: WriteContext, application: OAuthApplication, device_code: str) -> Token:
    """Return the token of a grant that is confirmed, or raise an `OAuthError`."""
    grant = ctx.world.device_grants.find("device_code", device_code)
    if grant is None or grant.application_id != application.id:
        raise OAuthError("invalid_grant", reason="the application was not given this device_code")
    if is_expired(ctx, grant):
        purge(ctx, grant)
        raise PollRefused("expired_token", reason=f"the device_code is older than {LIFETIME} seconds")
    _note_poll(ctx, grant)
    if grant.user_id is None:
        reason = f"nobody has sent the user_code {grant.user_code} to /oauth/device yet"
        raise PollRefused("authorization_pending", reason=reason)
    purge(ctx, grant)
    return access_tokens.issue(ctx, application, ctx.world.users[grant.user_id], grant.scopes)


def _note_poll(ctx: WriteContext, grant: DeviceGrant) -> None:
    # Under the auto clock, a device that comes back is taken to have waited.
    last = grant.last_polled_at if ctx.clock.kind != "auto" else None
    if last is not None and from_iso(last) > ctx.now() - INTERVAL * SECOND:
        raise PollRefused("slow_down", reason=f"the device asked {INTERVAL} seconds ago or less, at {last}")
    ctx.world.device_grants.change(grant, last_polled_at=ctx.now_iso)
