"""Confirmation of e-mail addresses with the tokens of mails. Source: docs/platform/mail.md ('Account mails').

A token is no record: it names the user, and a digest of the address.
"""

from fakeplat.core.rng import random_bytes
from fakeplat.domain.people import users
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def create_token(world: World, user: User, address: str) -> str:
    """Return the token with which a user confirms an address."""
    digest = random_bytes(world.setup.seed, f"confirmation {address.lower()}", user.id).hex()
    return f"{user.id:x}-{digest}"


def find_address(world: World, token: str) -> tuple[User, str] | None:
    """Return whose token it is, and the address that it confirms or has confirmed."""
    try:
        user = world.users.get(int(token.partition("-")[0], 16))
    except ValueError:
        return None
    if user is None:
        return None
    further = (email.email for email in world.emails.where("user", user.id))
    addresses = (user.unconfirmed_email, user.email, *further)
    return next(((user, each) for each in addresses if each and token == create_token(world, user, each)), None)


def is_confirmed(world: World, user: User, address: str) -> bool:
    """Return whether an address of a user is confirmed."""
    return address != user.unconfirmed_email and address.lower() in users.list_confirmed_emails(world, user)


def confirm(ctx: WriteContext, user: User, address: str) -> None:
    """Confirm an address of a user: a new main one, which takes the place of the old one, the main one, or another."""
    world, now = ctx.world, ctx.now_iso
    if address == user.unconfirmed_email:
        world.users.change(user, unconfirmed_email=None)
        users.update(ctx, world.users[user.id], email=address, confirmed_at=now, skip_reconfirmation=True)
    elif address == user.email:
        world.users.change(user, confirmed_at=now, updated_at=now)
    else:
        for email in list(world.emails.where("user", user.id)):
            if email.email == address:
                world.emails.change(email, confirmed_at=now, updated_at=now)
