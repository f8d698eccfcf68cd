"""PINs with which the support recognizes who is calling. Source: docs/platform/users.md ('Support PINs')."""

from typing import Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.timestamps import DAY, from_iso, to_iso
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext, WriteContext

_DAYS: Final = 7
_DIGITS: Final = 6


def create(ctx: WriteContext, user: User) -> User:
    """Give a user another PIN, which is valid for seven days."""
    number = int(ctx.random_hex("support pin"), 16) % 10**_DIGITS
    expires_at = to_iso(ctx.now() + _DAYS * DAY)
    return ctx.world.users.change(user, support_pin=f"{number:0{_DIGITS}}", support_pin_expires_at=expires_at)


def get_holder(ctx: ReadContext, user: User) -> User:
    """Return a user who has a valid PIN, or refuse with 404."""
    expires_at = user.support_pin_expires_at
    if not user.support_pin or expires_at is None or ctx.has_passed(from_iso(expires_at)):
        raise NotFound("Support PIN not found or expired", reason=f"{user.username} has no valid PIN")
    return user


def revoke(ctx: WriteContext, user: User) -> None:
    """Take the PIN from a user who has one; 404 without one."""
    ctx.world.users.change(get_holder(ctx, user), support_pin="", support_pin_expires_at=None)
