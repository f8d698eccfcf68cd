"""The status of a user: an emoji and a message. Source: docs/platform/users.md."""

from collections.abc import Mapping
from typing import Final, Literal

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, from_iso, to_iso
from fakeplat.domain import emoji as emoji_names
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.people import Availability, User, UserStatus
from fakeplat.policy.behaviours import UNKNOWN_EMOJI
from fakeplat.policy.context import WriteContext

_MAX_LENGTH: Final = 100
_CLEAR: Final = "clear_user_status"
Period = Literal["30_minutes", "3_hours", "8_hours", "1_day", "3_days", "7_days", "30_days"]
PERIODS: Final[Mapping[Period, int]] = {
    "30_minutes": 30 * MINUTE,
    "3_hours": 3 * HOUR,
    "8_hours": 8 * HOUR,
    "1_day": DAY,
    "3_days": 3 * DAY,
    "7_days": 7 * DAY,
    "30_days": 30 * DAY,
}


def set_status(
    ctx: WriteContext,
    user: User,
    *,
    emoji: str | None,
    message: str | None,
    availability: Availability | None = None,
    clear_at: str | None = None,
) -> User:
    """Replace the status of a user, perhaps until some time; without emoji, message and availability, remove it."""
    # Without an emoji, a message has the default one.
    status = UserStatus(
        emoji=emoji or UserStatus().emoji,
        message=message,
        availability=availability or UserStatus().availability,
        clear_status_at=clear_at,
    )
    if not (emoji or message or availability):
        return ctx.world.users.change(user, status=None)
    errors = ValidationErrors()
    errors.when(emoji_names.canonical_name(status.emoji) is None, "emoji", ctx.profile.choose(UNKNOWN_EMOJI))
    too_long(errors, "message", message, _MAX_LENGTH)
    errors.refuse()
    changed = ctx.world.users.change(user, status=status)
    schedule_clearing(ctx, changed)
    return changed


def schedule_clearing(ctx: WriteContext, user: User) -> None:
    """Schedule the time at which the status of a user is cleared, if it has one."""
    if user.status is not None and user.status.clear_status_at is not None:
        ctx.schedule(_CLEAR, ("users", user.id), from_iso(user.status.clear_status_at))


def time_after(ctx: WriteContext, period: Period) -> str:
    """Return the time at which a status is cleared that is set for a period."""
    return to_iso(ctx.now() + PERIODS[period])


@task_handler(_CLEAR)
def _clear(ctx: WriteContext, due: ScheduledTask) -> None:
    user = ctx.world.users.get(due.subject[1])
    # A later status may last longer, or for ever.
    if user is not None and user.status is not None:
        at = user.status.clear_status_at
        if at is not None and from_iso(at) <= ctx.now():
            ctx.world.users.change(user, status=None)
