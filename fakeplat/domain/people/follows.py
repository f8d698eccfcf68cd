"""Who follows whom. Source: docs/platform/users.md ('Later operations')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, NotModified
from fakeplat.domain.purging import purge
from fakeplat.model.people import Follow, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_MOST: Final = 300


def list_followers(world: World, user: User) -> Sequence[User]:
    """Return the users who follow a user."""
    return [world.users[follow.follower_id] for follow in world.follows.where("followee", user.id)]


def list_followees(world: World, user: User) -> Sequence[User]:
    """Return the users whom a user follows."""
    return [world.users[follow.followee_id] for follow in world.follows.where("follower", user.id)]


def follow(ctx: WriteContext, follower: User, followee: User) -> Follow:
    """Let a user follow another one; 304 if that is so already, or for oneself. 400 beyond the limit."""
    table = ctx.world.follows
    if follower.id == followee.id or table.find("pair", (follower.id, followee.id)) is not None:
        raise NotModified(reason=f"{follower.username} follows {followee.username} already, or is the same user")
    if len(table.where("follower", follower.id)) >= _MOST:
        text = f"You can't follow more than {_MOST} users. To follow more users, unfollow some others."
        raise BadRequest(text, reason=text)
    added = Follow(table.next_id(), follower.id, followee.id, ctx.now_iso)
    table.add(added)
    return added


def unfollow(ctx: WriteContext, follower: User, followee: User) -> None:
    """Let a user no longer follow another one; 304 if that is so already."""
    found = ctx.world.follows.find("pair", (follower.id, followee.id))
    if found is None:
        raise NotModified(reason=f"{follower.username} does not follow {followee.username}")
    purge(ctx, found)
