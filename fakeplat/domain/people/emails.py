"""Further e-mail addresses of users. Source: docs/platform/users.md.

The main address is a field of the user; it is not among these.
"""

from collections.abc import Sequence

from fakeplat.core.operations.errors import NotFound
from fakeplat.domain import signals
from fakeplat.domain.people import users
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, is_email
from fakeplat.model.people import Email, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def list_emails(world: World, user: User) -> Sequence[Email]:
    """Return the further e-mail addresses of a user."""
    return world.emails.where("user", user.id)


def require_email(world: World, user: User, email_id: int) -> Email:
    """Return a further e-mail address of a user, or refuse with 404."""
    email = world.emails.get(email_id)
    if email is None or email.user_id != user.id:
        raise NotFound("Email", reason=lambda: f"{user.username} has no e-mail address {email_id}")
    return email


def create(ctx: WriteContext, user: User, address: str, *, is_confirmed: bool = False) -> Email:
    """Add an e-mail address to a user; it waits for confirmation unless ``is_confirmed``."""
    address = address.strip().lower()
    errors = ValidationErrors()
    errors.when(not address, "email", BLANK)
    errors.when(users.is_email_taken(ctx.world, address), "email", TAKEN)
    errors.when(not is_email(address), "email", "is invalid")
    errors.refuse()
    table, now = ctx.world.emails, ctx.now_iso
    confirmed_at = now if is_confirmed else None
    email = table.add(Email(table.next_id(), user.id, address, now, now, confirmed_at=confirmed_at))
    signals.post_create.send(ctx, email)
    return email
