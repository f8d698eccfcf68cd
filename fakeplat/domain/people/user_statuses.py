"""The status of a user: an emoji and a message. Source: docs/platform/users.md."""

from typing import Final

from fakeplat.domain import emoji as emoji_names
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.people import Availability, User, UserStatus
from fakeplat.policy.context import WriteContext

_MAX_LENGTH: Final = 100


def set_status(
    ctx: WriteContext, user: User, *, emoji: str | None, message: str | None, availability: Availability | None = None
) -> User:
    """Replace the status of a user; without emoji, message and availability, remove it."""
    # Without an emoji, a message has the default one.
    status = UserStatus(
        emoji=emoji or UserStatus().emoji, message=message, availability=availability or UserStatus().availability
    )
    if not (emoji or message or availability):
        return ctx.world.users.change(user, status=None)
    errors = ValidationErrors()
    errors.when(emoji_names.canonical_name(status.emoji) is None, "emoji", "is not included in the list")
    too_long(errors, "message", message, _MAX_LENGTH)
    errors.refuse()
    return ctx.world.users.change(user, status=status)
