"""Two-factor authentication: one-time codes, and who must set it up. Source: docs/platform/settings.md."""

from collections.abc import Iterator
from typing import Final

from fakeplat.core import one_time_codes
from fakeplat.core.timestamps import HOUR, from_iso
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, Token, User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_RECOVERY_CODES: Final = 10
_RECOVERY_CODE_SIZE: Final = 8
_DEFAULT_SECRET: Final = "{}-otp-secret"


def secret_of(user: User) -> str:
    """Return the secret from which a user's one-time codes are computed; by default it follows from the username."""
    return user.otp_secret or one_time_codes.encode_secret(_DEFAULT_SECRET.format(user.username).encode())


def code_of(ctx: ReadContext, user: User) -> str:
    """Return the one-time code that a user's app shows."""
    return one_time_codes.one_time_code(secret_of(user), ctx.now())


def is_valid_code(ctx: ReadContext, user: User, code: str) -> bool:
    """Return whether a one-time code is valid. Unlike on the platform, a code is valid more than once."""
    return one_time_codes.is_valid(secret_of(user), code.strip(), ctx.now())


def use_code(ctx: WriteContext, user: User, code: str) -> bool:
    """Return whether a one-time code or a recovery code is valid; a recovery code is used up."""
    if is_valid_code(ctx, user, code):
        return True
    remaining = tuple(known for known in user.recovery_codes if known != code.strip())
    if remaining == user.recovery_codes:
        return False
    ctx.world.users.change(user, recovery_codes=remaining)
    return True


def create_recovery_codes(ctx: WriteContext, user: User) -> tuple[str, ...]:
    """Give a user new recovery codes in place of the old ones."""
    codes = tuple(ctx.random_hex("recovery code", _RECOVERY_CODE_SIZE) for _ in range(_RECOVERY_CODES))
    ctx.world.users.change(user, recovery_codes=codes)
    return codes


def must_set_up(ctx: ReadContext, user: User, session: Token | None) -> bool:
    """Return whether a user must set up two factors before seeing any page, and has not put that off."""
    if user.two_factor_enabled or grace_period(ctx, user) is None:
        return False
    return session is None or not session.skips_two_factor or not can_skip(ctx, user)


def grace_period(ctx: ReadContext, user: User) -> int | None:
    """Return for how long (ms) a user can put off setting up two factors; None if that is not required."""
    settings = ctx.world.settings
    periods = [group.two_factor_grace_period for group in _list_requiring_groups(ctx.world, user)]
    if settings.require_two_factor_authentication:
        periods.append(settings.two_factor_grace_period)
    # The platform counts the setting of the instance, even if only a group requires two factors.
    return min([settings.two_factor_grace_period, *periods]) * HOUR if periods else None


def can_skip(ctx: ReadContext, user: User) -> bool:
    """Return whether a user's grace period is not over; it starts when they are asked for the first time."""
    period, started_at = grace_period(ctx, user), user.otp_grace_period_started_at
    return bool(period) and (started_at is None or not ctx.has_passed(from_iso(started_at) + (period or 0)))


def _list_requiring_groups(world: World, user: User) -> Iterator[Group]:
    """Yield the groups of a user, and those above and below them, that require two factors."""
    for member in world.members.where("user", user.id):
        kind, id_ = member.source
        if kind == "group":
            related = (*ancestors(world, id_), *namespaces.list_descendants(world, world.namespaces[id_]))
            yield from (
                group for group in related if isinstance(group, Group) and group.require_two_factor_authentication
            )


def start_grace_period(ctx: WriteContext, user: User) -> User:
    """Start the grace period, unless it has started."""
    if user.otp_grace_period_started_at is not None:
        return user
    return ctx.world.users.change(user, otp_grace_period_started_at=ctx.now_iso)


def skip(ctx: WriteContext, session: Token) -> Token:
    """Put off setting up two factors, in a session, until the end of the grace period."""
    return ctx.world.tokens.change(session, skips_two_factor=True)


def enable(ctx: WriteContext, user: User) -> User:
    """Let a user sign in with two factors from now on."""
    return ctx.world.users.change(user, two_factor_enabled=True, otp_secret=secret_of(user), updated_at=ctx.now_iso)


def disable(ctx: WriteContext, user: User) -> User:
    """Let a user sign in without a second factor from now on."""
    return ctx.world.users.change(user, two_factor_enabled=False, recovery_codes=(), updated_at=ctx.now_iso)
