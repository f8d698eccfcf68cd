"""Tokens with which people who forgot their password set a new one.

Source: docs/platform/mail.md ('Account mails').

A token is no record: it names the user and the time, and a digest of the password that it replaces, so it is valid
only once.
"""

from typing import Final

from fakeplat.core.rng import random_bytes
from fakeplat.core.timestamps import DAY
from fakeplat.model.people import User
from fakeplat.model.world import World

_LIFETIME: Final = 2 * DAY


def create_token(world: World, user: User, now: int) -> str:
    """Return a token for a new password of a user."""
    return f"{user.id:x}-{now:x}-{_digest(world, user, now)}"


def _digest(world: World, user: User, time: int) -> str:
    return random_bytes(world.setup.seed, f"password reset {user.id} {user.password}", time).hex()


def find_user(world: World, token: str, now: int) -> User | None:
    """Return the user whom a valid token allows to set a password."""
    try:
        id_, time = (int(part, 16) for part in token.split("-")[:2])
    except ValueError:
        return None
    user = world.users.get(id_)
    is_valid = user is not None and time <= now < time + _LIFETIME and token == create_token(world, user, time)
    return user if is_valid else None
