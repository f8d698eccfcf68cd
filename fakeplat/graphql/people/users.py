"""Users. Source: docs/platform/graphql.md, docs/platform/users.md."""

from typing import Final

from fakeplat.core.release import Lifetime
from fakeplat.domain.people import users
from fakeplat.entities import urls
from fakeplat.entities.people.accounts import escape_message
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.people import User, UserStatus
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see_profile
from fakeplat.policy.context import ReadContext

_ALL_STATES: Final = Lifetime(since="<=16.8")
Enumeration(
    "UserState",
    "The state of an account.",
    {
        "active": ("active", "The user can sign in."),
        "blocked": ("blocked", "The user was blocked by an administrator."),
        "deactivated": ("deactivated", "The user was deactivated for inactivity."),
        "banned": ("banned", "The user was banned.", _ALL_STATES),
        "blocked_pending_approval": ("blocked_pending_approval", "The account awaits approval.", _ALL_STATES),
        "ldap_blocked": ("ldap_blocked", "The user was blocked by the LDAP server.", _ALL_STATES),
    },
)

USER = Type("User", "A user of the platform, human or bot.", gid="User", core_name="UserCore", split_since="13.11")
USER.attributes(
    {"username: String!": "The username, as used in URLs and mentions.", "name: String!": "The display name."}
)


@USER.field("state: UserState!")
def state(ctx: ReadContext, user: User) -> str:
    """The state of the account."""
    if user.state in ("active", "deactivated") or ctx.profile.has(_ALL_STATES):
        return user.state
    # The enum had no values for the other states, in all of which the user cannot sign in.
    return "blocked"


@USER.field("active: Boolean", since="<=17.3")
def active(_ctx: ReadContext, user: User) -> bool:
    """Whether the account is active."""
    return user.state == "active"


@USER.field("publicEmail: String", since="13.7")
def public_email(_ctx: ReadContext, user: User) -> str | None:
    """The public e-mail address."""
    return user.public_email or None


@USER.field("email: String")
def email(ctx: ReadContext, user: User) -> str | None:
    """The public e-mail address, as publicEmail."""
    return public_email(ctx, user)


STATUS = Type("UserStatus", "What a user says of themselves at the moment.")
STATUS.attributes({"emoji: String": "The name of the emoji.", "message: String": "The message."})


@STATUS.field("messageHtml: String")
def message_html(_ctx: ReadContext, status: UserStatus) -> str:
    """The message as HTML."""
    return escape_message(status)


@USER.field("status: UserStatus")
def status(_ctx: ReadContext, user: User) -> UserStatus | None:
    """The status of the user."""
    return user.status


@USER.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, user: User) -> str | None:
    """The URL of the avatar."""
    return urls.user_avatar_url(ctx, user)


@USER.field("webUrl: String!")
def web_url(ctx: ReadContext, user: User) -> str:
    """The URL of the user's profile."""
    return urls.user_url(ctx, user)


@USER.field("webPath: String!")
def web_path(_ctx: ReadContext, user: User) -> str:
    """The path of the user's profile."""
    return f"/{user.username}"


@QUERY.field("currentUser: User")
def current_user(ctx: ReadContext) -> User | None:
    """The authenticated user; null for anonymous callers."""
    return ctx.viewer


@QUERY.field("user(username: String): User")
def user(ctx: ReadContext, username: str | None = None) -> User | None:
    """The user with a username."""
    record = users.find_by_username(ctx.world, username) if username else None
    return record if record is not None and can(ctx, Ability.READ_USER, record) else None


def is_activity_visible(ctx: ReadContext, user: User) -> bool:
    """Return whether the caller can see a user's activity: of a private profile only the user and administrators."""
    return can_see_profile(ctx, user)
