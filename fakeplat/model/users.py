"""Users, their identities and their credentials."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

UserKind = Literal["human", "ghost", "alert_bot", "support_bot", "project_bot", "service_account"]
UserState = Literal["active", "blocked", "ldap_blocked", "deactivated", "blocked_pending_approval", "banned"]
TokenKind = Literal["personal", "impersonation", "project", "group", "oauth", "session", "job"]


@frozen
class UserStatus:
    """What a user says of themselves at the moment."""

    emoji: str = "speech_balloon"
    message: str | None = None


@frozen
class User:
    """An account. ``otp_secret`` is the secret of its one-time codes, in Base32."""

    id: int
    username: str
    name: str
    email: str
    created_at: str
    updated_at: str
    state: UserState = "active"
    kind: UserKind = "human"
    admin: bool = False
    external: bool = False
    private_profile: bool = False
    bio: str | None = ""
    location: str | None = None
    public_email: str = ""
    skype: str = ""
    linkedin: str = ""
    twitter: str = ""
    website_url: str = ""
    organization: str | None = None
    job_title: str = ""
    note: str | None = None
    avatar: int | None = None
    password: str = ""
    password_expired: bool = False
    confirmed_at: str | None = None
    unconfirmed_email: str | None = None
    last_sign_in_at: str | None = None
    current_sign_in_at: str | None = None
    last_sign_in_ip: str | None = None
    current_sign_in_ip: str | None = None
    sign_in_count: int = 0
    last_activity_on: str | None = None
    status: UserStatus | None = None
    commit_email: str = ""
    theme_id: int = 1
    color_scheme_id: int = 1
    projects_limit: int = 100_000
    can_create_group: bool = True
    two_factor_enabled: bool = False
    otp_secret: str = ""
    otp_grace_period_started_at: str | None = None
    accepted_terms: bool = False
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    notified_of_own_activity: bool = False

    @property
    def is_internal(self) -> bool:
        """Whether this is one of the platform's own users; bots of projects and groups are not."""
        return self.kind not in ("human", "project_bot", "service_account")


@frozen
class Identity:
    """A user's account at an external identity provider; one that is not ``active`` was deprovisioned."""

    id: int
    user_id: int
    provider: str
    extern_uid: str
    updated_at: str
    saml_provider_id: int | None = None
    active: bool = True


@frozen
class Token:
    """A credential of a user. ``expires_at`` is a date (invalid from the start of that day) or a time.

    ``project_id`` is the project of a project or job token, ``group_id`` the group of a group token, ``job_id`` the job
    with which a job token ends. ``application_id`` is the application of an OAuth token, which acts for itself if there
    is no user. In a session that ``skips_two_factor``, a user has put off setting up two factors.
    """

    id: int
    user_id: int | None
    kind: TokenKind
    value: str
    created_at: str
    name: str = ""
    scopes: tuple[str, ...] = ()
    expires_at: str | None = None
    revoked: bool = False
    project_id: int | None = None
    group_id: int | None = None
    job_id: int | None = None
    application_id: int | None = None
    refresh_token: str | None = None
    skips_two_factor: bool = False
