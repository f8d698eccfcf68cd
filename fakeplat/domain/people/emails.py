"""Further e-mail addresses of users. Source: docs/platform/users.md.

The main address is a field of the user. Later releases list it with the others, once it is confirmed.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.domain import signals
from fakeplat.domain.people import users
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, is_email
from fakeplat.model.people import Email, User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MAIN_ADDRESSES_ARE_LISTED
from fakeplat.policy.context import WriteContext

# Main addresses are no records: their ids are those before the first record, by the ids of their users.
_LAST_MAIN_ID: Final = World.emails.first_id - 1


def list_emails(world: World, user: User) -> Sequence[Email]:
    """Return the e-mail addresses of a user: the further ones, in later releases after the confirmed main one."""
    main = _find_main_email(world, user)
    return [*([] if main is None else [main]), *world.emails.where("user", user.id)]


def _find_main_email(world: World, user: User) -> Email | None:
    """Return the main address as those list it who know it by an id."""
    if user.confirmed_at is None or not world.profile.has(MAIN_ADDRESSES_ARE_LISTED):
        return None
    times = user.created_at, user.updated_at
    return Email(_LAST_MAIN_ID - user.id, user.id, user.email, *times, confirmed_at=user.confirmed_at)


def require_email(world: World, user: User, email_id: int) -> Email:
    """Return an e-mail address of a user, or refuse with 404."""
    email = next((each for each in list_emails(world, user) if each.id == email_id), None)
    if email is None:
        raise NotFound("Email", reason=lambda: f"{user.username} has no e-mail address {email_id}")
    return email


def delete(ctx: WriteContext, user: User, email: Email) -> None:
    """Delete a further e-mail address of a user; the main one cannot be deleted."""
    if email.email == user.email:
        raise BadRequest("Cannot delete primary email")
    purge(ctx, email)


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
