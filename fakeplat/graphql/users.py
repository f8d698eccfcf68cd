"""Users. Source: docs/platform/graphql.md, docs/platform/users.md."""

from fakeplat.domain.people import users
from fakeplat.entities import urls
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see_profile
from fakeplat.policy.context import ReadContext

Enumeration(
    "UserState",
    "Whether somebody may use the platform.",
    {
        "active": ("active", "May use it."),
        "blocked": ("blocked", "Is locked out."),
        "deactivated": ("deactivated", "Has not used it for long."),
    },
)

USER = Type("User", "A person, or a bot of the platform.", gid="User")
USER.attributes({"username: String!": "The name in URLs and mentions.", "name: String!": "The name that is shown."})


@USER.field("state: UserState!")
def state(ctx: ReadContext, user: User) -> str:
    """Whether the user may use the platform."""
    del ctx
    return user.state if user.state in ("active", "deactivated") else "blocked"


@USER.field("active: Boolean")
def active(ctx: ReadContext, user: User) -> bool:
    """Whether the user is active."""
    del ctx
    return user.state == "active"


@USER.field("publicEmail: String")
def public_email(ctx: ReadContext, user: User) -> str | None:
    """The address that the user shows to everybody."""
    del ctx
    return user.public_email or None


@USER.field("email: String")
def email(ctx: ReadContext, user: User) -> str | None:
    """The same as publicEmail, under its older name."""
    return public_email(ctx, user)


@USER.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, user: User) -> str | None:
    """Where the user's picture is."""
    return urls.user_avatar_url(ctx, user)


@USER.field("webUrl: String!")
def web_url(ctx: ReadContext, user: User) -> str:
    """The user's page."""
    return urls.user_url(ctx, user)


@USER.field("webPath: String!")
def web_path(ctx: ReadContext, user: User) -> str:
    """The path of the user's page."""
    del ctx
    return f"/{user.username}"


@QUERY.field("currentUser: User")
def current_user(ctx: ReadContext) -> User | None:
    """Who asks."""
    return ctx.viewer


@QUERY.field("user(username: String): User")
def user(ctx: ReadContext, username: str | None = None) -> User | None:
    """The user with a name."""
    found = users.find_by_username(ctx.world, username) if username else None
    return found if found is not None and can(ctx, Ability.READ_USER, found) else None


def shows_profile(ctx: ReadContext, user: User) -> bool:
    """Whether the caller may see what a user does; a private profile shows it to the user and administrators only."""
    return can_see_profile(ctx, user)
