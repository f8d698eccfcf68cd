"""Following users. Source: docs/platform/users.md ('Later operations')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import USER
from fakeplat.core.operations.errors import Forbidden, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.domain.people import follows
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.people import User
from fakeplat.policy.authorization import can_see_profile
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",))


@area.operation("POST", "follow", scope=USER, view=UserBasic, refusals=(304, 400), since="<=15.4")
def follow_user(ctx: WriteContext, user: User) -> User:
    """Follow a user."""
    follows.follow(ctx, ctx.signed_in_user, user)
    return user


@area.operation("POST", "unfollow", scope=USER, view=UserBasic, refusals=(304,), since="<=15.4")
def unfollow_user(ctx: WriteContext, user: User) -> User:
    """Stop following a user."""
    follows.unfollow(ctx, ctx.signed_in_user, user)
    return user


@area.operation(
    "GET", "followers", scope=USER, params=Paged, view=UserBasic, many=True, refusals=(403, 404), since="<=15.4"
)
def list_user_followers(ctx: ReadContext, user: User) -> Sequence[User]:
    """List the users who follow a user."""
    _authorize(ctx, user)
    return follows.list_followers(ctx.world, user)


@area.operation(
    "GET", "following", scope=USER, params=Paged, view=UserBasic, many=True, refusals=(403, 404), since="<=15.4"
)
def list_user_following(ctx: ReadContext, user: User) -> Sequence[User]:
    """List the users whom a user follows."""
    _authorize(ctx, user)
    return follows.list_followees(ctx.world, user)


def _authorize(ctx: ReadContext, user: User) -> None:
    if ctx.viewer is None:
        raise Forbidden("Not authorized!", reason="nobody is signed in")
    if not can_see_profile(ctx, user):
        raise NotFound("User", reason=f"the profile of {user.username} is private")
