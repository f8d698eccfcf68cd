"""Users. Source: docs/platform/graphql.md, docs/platform/users.md."""

from collections.abc import Sequence
from typing import Final, get_args

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.domain.people import users
from fakeplat.domain.people.emails import list_emails
from fakeplat.entities import urls
from fakeplat.entities.people.accounts import escape_message
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.people import Email, User, UserKind, UserStatus
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see_profile
from fakeplat.policy.behaviours import ONE_USER, VISITORS_FIND_NO_USER
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

USER = Type(
    "User",
    "A user of the platform, human or bot.",
    gid="User",
    core_name="UserCore",
    split_since="13.11",
    has_count=True,
    count_since="<=18.5",
)
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


USER.attributes({"location: String": "The location."}, since="<=13.7")
USER.attributes(
    {
        "bio: String": "What the user says of themselves.",
        "createdAt: Time": "Timestamp of creation.",
        "discord: String": "The ID at Discord.",
        "jobTitle: String": "The title of the job.",
        "linkedin: String": "The account at LinkedIn.",
        "organization: String": "The employer.",
        "twitter: String": "The account at X.",
    },
    since="<=16.2",
)
USER.attributes({"pronouns: String": "The pronouns."}, since="<=16.3")
USER.attributes({"lastActivityOn: Date": "The day of the last activity."}, since="<=16.9")
USER.attributes({"github: String": "The account at GitHub."}, since="<=18.5")
Enumeration(
    "UserType",
    "The kind of an account.",
    {kind.upper(): (kind, f"Of the kind {kind.replace('_', ' ')}.") for kind in get_args(UserKind)},
    since="<=18.5",
)


@USER.field("bot: Boolean!", since="<=13.10")
def bot(_ctx: ReadContext, user: User) -> bool:
    """Whether it is the account of a bot."""
    return user.kind not in ("human", "ghost")


@USER.field("human: Boolean", since="<=18.5")
def human(_ctx: ReadContext, user: User) -> bool:
    """Whether it is the account of a person."""
    return user.kind == "human"


@USER.field("type: UserType!", since="<=18.5")
def kind(_ctx: ReadContext, user: User) -> str:
    """The kind of the account."""
    return user.kind


def _may_read_addresses(ctx: ReadContext, user: User) -> bool:
    return ctx.admin or (ctx.viewer is not None and ctx.viewer.id == user.id)


@USER.field("commitEmail: String", since="<=16.2")
def commit_email(ctx: ReadContext, user: User) -> str | None:
    """The address in commits, for the user and administrators."""
    return users.commit_email_of(ctx, user) if _may_read_addresses(ctx, user) else None


_GITPOD: Final = "<=14.10"


@USER.field("gitpodEnabled: Boolean", since=_GITPOD)
def is_gitpod_enabled(_ctx: ReadContext, _user: User) -> bool:
    """Whether the user opens projects in the editor outside, which has to be enabled first."""
    return False


@USER.field("preferencesGitpodPath: String", since=_GITPOD)
def preferences_path(_ctx: ReadContext, _user: User) -> str:
    """The path of the preferences about that editor."""
    return "/-/profile/preferences#user_gitpod_enabled"


@USER.field("profileEnableGitpodPath: String", since=_GITPOD)
def enabling_path(_ctx: ReadContext, _user: User) -> str:
    """The path that enables that editor."""
    return "/-/profile?user%5Bgitpod_enabled%5D=true"


EMAIL = Type("Email", "An e-mail address of a user.", gid="Email", since="<=16.2")
EMAIL.attributes(
    {
        "email: String!": "The address.",
        "confirmedAt: Time": "Timestamp of the confirmation.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@USER.field("emails: EmailConnection", since="<=16.2")
def emails(ctx: ReadContext, user: User) -> Sequence[Email] | None:
    """The addresses, for the user and administrators."""
    return list_emails(ctx.world, user) if _may_read_addresses(ctx, user) else None


PERMISSIONS = Type("UserPermissions", "What the caller may do.")


@USER.field("userPermissions: UserPermissions!")
def user_permissions(_ctx: ReadContext, user: User) -> User:
    """What the caller may do with what is the user's."""
    return user


@PERMISSIONS.field("createSnippet: Boolean!")
def may_create_snippet(ctx: ReadContext, user: User) -> bool:
    """Whether the caller may create snippets of their own."""
    return ctx.viewer is not None and ctx.viewer.id == user.id and not user.external


STATUS = Type("UserStatus", "What a user says of themselves at the moment.")
STATUS.attributes({"emoji: String": "The name of the emoji.", "message: String": "The message."})
STATUS.attributes({"availability: AvailabilityEnum!": "Whether the user is busy."}, since="<=13.6")
STATUS.attributes({"clearStatusAt: Time": "Timestamp at which the status ends."}, since="<=18.5")
Enumeration(
    "AvailabilityEnum",
    "Whether a user is busy.",
    {"NOT_SET": ("not_set", "The user does not say."), "BUSY": ("busy", "The user is busy.")},
    since="<=13.6",
)


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


CURRENT_USER = Type("CurrentUser", "The caller.", gid="User", implements=("User",), since="<=16.9", base=USER)


@QUERY.field("currentUser: CurrentUser", since="<=16.9")
@QUERY.field("currentUser: User", until="<=16.9")
def current_user(ctx: ReadContext) -> User | None:
    """The authenticated user; null for anonymous callers."""
    return ctx.viewer


@QUERY.field("user(username: String, id: UserID): User")
def user(ctx: ReadContext, username: str | None = None, id: str | None = None) -> User | None:
    """The user with a username or a global ID."""
    if bool(username) == bool(id):
        raise GraphQLError(ctx.profile.choose(ONE_USER))
    if ctx.viewer is None and ctx.profile.has(VISITORS_FIND_NO_USER):
        raise ResourceNotAvailable("users are found only by those who are signed in")
    if id is not None:
        record = ctx.world.users.get(parse_id(ctx, id, "User"))
    else:
        record = users.find_by_username(ctx.world, username or "")
    return record if record is not None and can(ctx, Ability.READ_USER, record) else None


def is_activity_visible(ctx: ReadContext, user: User) -> bool:
    """Return whether the caller can see a user's activity: of a private profile only the user and administrators."""
    return can_see_profile(ctx, user)
