"""Feed tokens: what feed readers send in the address of a feed, as they know no other credentials.

Each user has one from the start, and can replace it. Source: docs/platform/feeds.md.
"""

import hmac
import re
from hashlib import sha256
from typing import Final

from fakeplat.core.rng import random_bytes
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import FEED_TOKENS_ARE_BOUND
from fakeplat.policy.context import WriteContext

_PREFIX: Final = "glft-"
_BOUND: Final = re.compile(rf"{_PREFIX}([0-9a-f]{{64}})-([0-9]{{1,15}})")
_OWN: Final = re.compile(rf"(?:{_PREFIX})?[0-9a-f]{{12}}([0-9a-f]{{8}})")


def get_feed_token(world: World, user: User) -> str:
    """Return the token with which feed readers of a user open all feeds."""
    # The id is part of the value, so that its user is found without a look at all users.
    purpose = f"feed token {user.feed_token_resets}" if user.feed_token_resets else "feed token"
    value = f"{random_bytes(world.setup.seed, purpose, user.id, 6).hex()}{user.id:08x}"
    return f"{_PREFIX}{value}" if world.profile.has(FEED_TOKENS_ARE_BOUND) else value


def reset(ctx: WriteContext, user: User) -> None:
    """Give a user another token; the one before, and all links with tokens made of it, open nothing any more."""
    ctx.world.users.change(user, feed_token_resets=user.feed_token_resets + 1)


def build_link_token(world: World, user: User, path: str) -> str | None:
    """Return the token in a link to the feed at a path, or None while feed tokens are disabled."""
    if world.settings.disable_feed_token:
        return None
    token = get_feed_token(world, user)
    return _bind(token, path, user) if world.profile.has(FEED_TOKENS_ARE_BOUND) else token


def _bind(token: str, path: str, user: User) -> str:
    return f"{_PREFIX}{hmac.new(token.encode(), path.encode(), sha256).hexdigest()}-{user.id}"


def find_user(world: World, token: str, path: str) -> User | None:
    """Return the user whom a token identifies at the path of a feed; None while feed tokens are disabled."""
    if world.settings.disable_feed_token:
        return None
    own, bound = _OWN.fullmatch(token), _BOUND.fullmatch(token)
    user = world.users.get(int(own[1], 16) if own else int(bound[2]) if bound else 0)
    if user is None or user.state != "active":
        return None
    own_token = get_feed_token(world, user)
    expected: tuple[str, ...] = (own_token,)
    if bound and world.profile.has(FEED_TOKENS_ARE_BOUND):
        # Links have the token of the path with the ending, also those to feeds without it.
        expected = tuple(_bind(own_token, feed_path, user) for feed_path in (path, f"{path}.atom"))
    return user if any(hmac.compare_digest(token, value) for value in expected) else None
