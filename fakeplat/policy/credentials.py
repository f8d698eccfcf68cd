"""Authentication: the six kinds of credentials, their scopes, and sudo; the passwords and deploy tokens that git sends.

Source: docs/platform/authentication.md, docs/decisions/rulings.md (19, 21, 29), docs/platform/git-over-http.md.
"""

from base64 import b64decode
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from fakeplat.core.clock import Clock
from fakeplat.core.operations.errors import (
    Forbidden,
    GitForbidden,
    GitUnauthorized,
    InsufficientScope,
    InvalidToken,
    NotFoundWithMessage,
    Reason,
    Unauthorized,
)
from fakeplat.core.operations.http_messages import Request, SshKeyId
from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.store.table import Table
from fakeplat.core.timestamps import from_iso
from fakeplat.model.people import GRANULAR, SshKey, Token, User
from fakeplat.model.projects import DeployKey, DeployToken
from fakeplat.model.world import World
from fakeplat.policy import ssh_keys
from fakeplat.policy.behaviours import (
    ADMIN_MODE_ASKS_TOKENS,
    EXPIRED_PASSWORDS_BLOCK,
    EXPIRED_SSH_KEYS_ARE_REFUSED,
    GRANULAR_TOKENS,
)
from fakeplat.policy.context import ANONYMOUS, Caller
from fakeplat.policy.documented import Ruling
from fakeplat.policy.package_tokens import PackageTokenKind, find_credential

SESSION_COOKIE: Final = "_platform_session"
EXPIRED: Final = "Token is expired. You can either do re-authorization or token refresh."
REVOKED: Final = "Token was revoked. You have to re-authorize from the user."
NO_IMPERSONATION: Final = "Token is an impersonation token but impersonation was disabled."
JOB_NAME: Final = "gitlab-ci-token"
_OAUTH: Final = frozenset({"oauth"})
_DISABLED_KINDS: Final = frozenset({"personal", "project", "group"})
"""The kinds of tokens that an administrator can disable."""
_PERSONAL: Final = frozenset({"personal", "impersonation", "project", "group"})
_TOKEN_REQUIRED: Final = (
    "You must use a personal access token with 'read_repository' or 'write_repository' scope for Git over HTTP.\n"
)
_KEY_IS_GONE: Final = "Could not find the given key"
_KEY_IS_EXPIRED: Final = "Your SSH key has expired."

ADMIN_MODE: Final = "admin_mode"
LACKS_ADMIN_MODE: Final = "(whose token lacks the scope admin_mode, which the setting admin_mode asks for)"

RawParams = Mapping[str, object]


LATER_SCOPES: Final[Mapping[str, Lifetime]] = {
    "admin_mode": Lifetime(since="15.8"),
    "create_runner": Lifetime(since="15.11"),
    "k8s_proxy": Lifetime(since="16.4"),
    "ai_features": Lifetime(since="<=16.5"),
    "read_service_ping": Lifetime(since="16.8"),
    "manage_runner": Lifetime(since="17.1"),
    "read_virtual_registry": Lifetime(since="<=17.8"),
    "self_rotate": Lifetime(since="17.9"),
    "write_virtual_registry": Lifetime(since="<=18.0"),
}
"""The scopes of tokens that not every release has."""


class CredentialRules(NamedTuple):
    """What an operation accepts as credentials.

    ``deploy_token``: as package managers send them, also deploy tokens. ``token_password``: tokens as passwords (HTTP
    Basic).
    ``key_header``: a header whose value may be any token, too.
    ``scopes`` are sufficient for reads, ``write_scopes`` for writes; with ``any_scope`` every token is.
    ``package_token``: the kind of the tokens that this world has issued for the credentials of package managers.
    ``admin_mode``: the setting of that name takes the rights of administrators from tokens without the scope.
    """

    reads: bool
    scopes: tuple[str, ...] = ()
    job_token: bool = False
    deploy_token: bool = False
    write_scopes: tuple[str, ...] = ()
    any_scope: bool = False
    token_password: bool = False
    key_header: str = ""
    package_token: PackageTokenKind | None = None
    admin_mode: bool = False


def refuse_git_password(world: World, reason: Reason) -> GitUnauthorized:
    """Return the refusal of a name and password, which recommends a token where git may not send passwords."""
    texts = () if world.settings.password_authentication_enabled_for_git else (_TOKEN_REQUIRED,)
    return GitUnauthorized(world.instance.product_name, *texts, reason=reason)


class Authenticator:
    """Checks the credentials of one request.

    ``identified`` is the user whose token was sent, even if it is refused, and ``revoked`` the token that was refused
    because it is revoked.
    """

    def __init__(self, world: World, clock: Clock, request: Request, params: RawParams, route: CredentialRules) -> None:
        self.world = world
        self.clock = clock
        self.request = request
        self.params = params
        self.route = route
        self.identified: User | None = None
        self.revoked: Token | None = None

    def caller(self) -> Caller:
        """Return the caller. 401 for an invalid credential, 403 for an insufficient one."""
        # The platform's order. A finder refuses an unknown token instead of leaving the request to the next finder.
        deploy_token = self._sent_deploy_token() if self.route.deploy_token else None
        if deploy_token is not None:
            return Caller(deploy_token=deploy_token)
        token = self._by_key() or self._by_token_password() or self._by_token() or self._by_job() or self._by_session()
        sudo = self._text_param("sudo") or self.request.headers.get("sudo")
        if token is None:
            if sudo:
                raise Unauthorized(reason="sudo without a credential")
            return ANONYMOUS
        # Also whoever is refused below is known, to the journal.
        self.identified = self.world.users.get(token.user_id) if token.user_id is not None else None
        self._check_active(token)
        # The token is checked before its user: an expired token of a blocked user is reported as expired.
        user = self._user_of(token)
        self._check_not_blocked(user)
        # Sudo has a scope of its own, which is checked instead of the operation's scopes.
        if sudo:
            target = self._apply_sudo(user, token, str(sudo))
            # The mode is that of the token's owner: other administrators, for whom it acts, are not in it.
            is_limited = target.id != user.id and target.admin and self._is_admin_mode_on()
            return Caller(target, token, user, is_limited=is_limited)
        self._check_scopes(token)
        return Caller(user, token, user, is_limited=self._lacks_admin_mode(user, token))

    def caller_by_session(self) -> Caller:
        """Return the user whom the session cookie signs in to pages, without a check of the CSRF token."""
        token = self.session()
        user = self._user_of(token) if token is not None else None
        return ANONYMOUS if user is None or self._state_message(user) else Caller(user, token, user)

    def caller_by_password(self) -> Caller:
        """Return the caller by HTTP Basic, as git sends it: the password is a token of any kind, or the user's own.

        A deploy token must be sent with its username.

        401 for anything else; 403 for a token of a blocked user. The token's scopes are not checked.
        """
        if self.request.ssh_key is not None:
            return self.caller_by_ssh_key(self.request.ssh_key)
        credentials = parse_basic(self.request.headers.get("authorization"))
        if credentials is None:
            return ANONYMOUS
        name, password = credentials
        token = self._token_of_password(name, password)
        if token is None:
            return self._caller_without_token(name, password)
        try:
            self._check_active(token)
        except Unauthorized as error:
            raise refuse_git_password(self.world, error.why) from None
        user = self.world.users.get(token.user_id) if token.user_id is not None else None
        if user is None:
            raise refuse_git_password(self.world, "the token belongs to an application, not to a user")
        if text := self._denial_message(user):
            raise GitForbidden(text, reason=_explain_denial(user))
        return Caller(user, token, user)

    def caller_by_ssh_key(self, key_id: SshKeyId) -> Caller:
        """Return the owner of the key of an SSH session; 403 for a key that has expired and for a blocked user."""
        table: Table[SshKey] | Table[DeployKey] = (
            self.world.ssh_keys if key_id.kind == "user" else self.world.deploy_keys
        )
        key = table.get(key_id.id)
        if key is None:
            raise GitForbidden(_KEY_IS_GONE, reason="the key was deleted after the connection was opened")
        is_expired = key.expires_at is not None and self._has_passed(from_iso(key.expires_at))
        if is_expired and self.world.profile.has(EXPIRED_SSH_KEYS_ARE_REFUSED):
            raise GitForbidden(_KEY_IS_EXPIRED, reason=f"the key {key.title!r} expired at {key.expires_at}")
        user = self.world.users.get(key.user_id) if key.user_id is not None else None
        # A deploy key outlives the account of the user who added it.
        if user is not None and isinstance(key, SshKey) and (text := self._denial_message(user)):
            raise GitForbidden(text, reason=_explain_denial(user))
        return Caller(user, None, user, ssh_key=key)

    def _sent_deploy_token(self) -> DeployToken | None:
        """Return the deploy token of a package manager; an unknown one is ignored, as by the platform."""
        headers = self.request.headers
        authorization = headers.get("authorization")
        password = self._sent_password() if self.route.token_password else None
        basic = password[1] if password else None
        values = (headers.get("deploy-token"), parse_bearer(authorization), basic, self._key)
        return next((token for value in values if value and (token := self.find_deploy_token(value))), None)

    @property
    def _key(self) -> str | None:
        """The API key of a package manager."""
        return self.request.headers.get(self.route.key_header) if self.route.key_header else None

    def _by_key(self) -> Token | None:
        """Return the token that is sent as an API key; 401 for an unknown one."""
        key = self._key
        # The header of HTTP authentication has a scheme before other credentials, and none before a key.
        if not key or " " in key:
            return None
        return self._find_job_token(key) or self._require_token(key, _PERSONAL)

    def _by_token_password(self) -> Token | None:
        """Return the token that such a client sends as a password, None for a wrong one; 401 for a job's."""
        credentials = self._sent_password() if self.route.token_password else None
        if credentials is None:
            return None
        token = self._token_of_password(*credentials)
        if token is None and credentials[0] == JOB_NAME:
            raise Unauthorized(reason="the password is no job token of this world")
        return token

    def _sent_password(self) -> tuple[str, str] | None:
        """Return the name and password of HTTP Basic, or those that a token of this world stands for."""
        authorization, kind = self.request.headers.get("authorization"), self.route.package_token
        if kind is None:
            return parse_basic(authorization)
        token = parse_bearer(authorization) if kind == "conan" else self._text_param("token")
        password = find_credential(self.world, kind, token, self._has_passed) if token else None
        if kind == "terraform" and token and password is None:
            raise Unauthorized(reason="the parameter token is no token for archives, or it has expired")
        basic = parse_basic(authorization) if password is None else (JOB_NAME, password)
        # Conan logs in with the token of a job under any name.
        if basic is not None and kind == "conan" and self._find_job_token(basic[1]) is not None:
            return JOB_NAME, basic[1]
        return basic

    def _caller_without_token(self, name: str, password: str) -> Caller:
        deploy_token = self.find_deploy_token(password)
        if deploy_token is not None and deploy_token.username == name:
            return Caller(deploy_token=deploy_token)
        if "." in password and (caller := self._caller_by_lfs_token(name, password)) is not None:
            return caller
        user = self._user_by_password(name, password)
        return Caller(user, None, user)

    def _caller_by_lfs_token(self, name: str, password: str) -> Caller | None:
        """Return the caller that a session over SSH has given a token for Git LFS."""
        known = ssh_keys.find_lfs_caller(self.world, name, password)
        if known is None or self._has_passed(known[1]):
            return None
        owner = known[0]
        if isinstance(owner, DeployKey):
            user = self.world.users.get(owner.user_id) if owner.user_id is not None else None
            return Caller(user, None, user, ssh_key=owner)
        if text := self._denial_message(owner):
            raise GitForbidden(text, reason=_explain_denial(owner))
        return Caller(owner, None, owner)

    def find_deploy_token(self, value: str) -> DeployToken | None:
        """Return the deploy token with a value, unless it is revoked or expired."""
        token = self.world.deploy_tokens.find("value", value)
        if token is None or token.revoked:
            return None
        is_expired = token.expires_at is not None and self._has_passed(from_iso(token.expires_at))
        return None if is_expired else token

    @property
    def _realm(self) -> str:
        return self.world.instance.product_name

    def _token_of_password(self, name: str, password: str) -> Token | None:
        # A job token is accepted only under its own user name; every other kind of token, under any name.
        if name == JOB_NAME and (job := self._find_job_token(password)) and self._has_builds(job):
            return job
        return self.world.tokens.find("value", ("token", password)) if password else None

    def _has_builds(self, token: Token) -> bool:
        """Return whether the project of a job token still has CI."""
        project = self.world.projects.get(token.project_id) if token.project_id is not None else None
        return project is not None and project.builds_access_level != "disabled"

    def _user_of(self, token: Token) -> User:
        if token.user_id is None:
            raise Unauthorized(reason="the token belongs to an application, not to a user")
        return self.world.users[token.user_id]

    def _user_by_password(self, name: str, password: str) -> User:
        user = find_user_by_password(self.world, name, password)
        if user is None:
            raise refuse_git_password(self.world, f"neither a token nor the password of a user {name!r}")
        if self._state_message(user) or self._password_message(user):
            raise refuse_git_password(self.world, f"{user.username} is {user.state}")
        if not self.world.settings.password_authentication_enabled_for_git:
            raise refuse_git_password(self.world, "password_authentication_enabled_for_git is off")
        if user.two_factor_enabled:
            raise GitUnauthorized(self._realm, _TOKEN_REQUIRED, reason=f"{user.username} signs in with two factors")
        if text := self._terms_message(user):
            raise GitForbidden(text, reason=_explain_denial(user))
        return user

    def explain_anonymous(self) -> str:
        """Explain why the credentials of an anonymous request were not used."""
        headers = self.request.headers
        cookie, authorization = session_cookie(headers.get("cookie")), headers.get("authorization", "")
        if cookie:
            if self.session() is None:
                return "the session cookie belongs to no session of this world"
            return "a write with a session cookie needs the header X-CSRF-Token: csrf- and the cookie's value"
        if headers.get("job-token") and not self.route.job_token:
            return "a job token was sent, which this operation does not accept"
        if self.route.deploy_token and self.route.token_password and parse_basic(authorization) is not None:
            return "the password is neither a token nor a deploy token of this world"
        if authorization and parse_bearer(authorization) is None:
            return f"Authorization: {authorization.partition(' ')[0]} is not supported; use Bearer"
        return "no credential was sent"

    def _text_param(self, name: str) -> str | None:
        value = self.params.get(name)
        # Ids may arrive as JSON numbers. True and false are integers in Python, but no credentials.
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None

    def _by_token(self) -> Token | None:
        # The order is the platform's: a job token as Bearer, then OAuth tokens, then personal access tokens. The
        # Bearer value may be any of them; a parameter beats the header.
        headers = self.request.headers
        bearer = parse_bearer(headers.get("authorization"))
        if bearer and self.route.job_token and (job := self._find_job_token(bearer)):
            return job
        oauth = self._text_param("access_token")
        if oauth:
            return self._require_token(oauth, _OAUTH)
        token = self.world.tokens.find("value", ("token", bearer)) if bearer else None
        if token is not None and token.kind in _OAUTH:
            return token
        private = self._text_param("private_token") or headers.get("private-token") or bearer
        return self._require_token(private, _PERSONAL) if private else None

    def _require_token(self, value: str, kinds: frozenset[str]) -> Token:
        token = self.world.tokens.find("value", ("token", value))
        if token is None or token.kind not in kinds:
            description = f"a {token.kind} token, which cannot be sent this way" if token else "no token of this world"
            raise Unauthorized(reason=f"the credential is {description}")
        if token.kind in _DISABLED_KINDS and self.world.settings.disable_personal_access_tokens:
            raise Unauthorized(reason="the setting disable_personal_access_tokens is on")
        return token

    def _by_job(self) -> Token | None:
        if not self.route.job_token:
            return None
        value = self._find_job_token_param() or self.request.headers.get("job-token")
        if value is None:
            return None
        token = self._find_job_token(value)
        if token is None:
            raise Unauthorized(reason="the job token is no token of this world")
        return token

    def _find_job_token_param(self) -> str | None:
        is_paid = Ruling.JOB_TOKEN_PARAMETERS_ARE_PAID.holds(self.world)
        if is_paid and not self.world.instance.has("premium"):
            return None
        return self._text_param("job_token") or self._text_param("token")

    def _find_job_token(self, value: str) -> Token | None:
        return self.world.tokens.find("value", ("job", value))

    def session(self) -> Token | None:
        """Return the session of the cookie; one that is over counts as none."""
        value = session_cookie(self.request.headers.get("cookie"))
        token = self.world.tokens.find("value", ("session", value)) if value else None
        if token is None or token.revoked:
            return None
        is_over = token.expires_at is not None and self._has_passed(from_iso(token.expires_at))
        return None if is_over else token

    def _by_session(self) -> Token | None:
        token = self.session()
        if token is None:
            return None
        # Without its CSRF token, a session cookie does not authenticate a write: the request is anonymous, not refused.
        sent = self.request.headers.get("x-csrf-token")
        return token if self.request.method in ("GET", "HEAD") or sent == csrf_token(token.value) else None

    def _check_active(self, token: Token) -> None:
        # The token of a finished job gets the plain 401 of unknown tokens, without the body ``invalid_token``.
        if token.kind == "job" and token.revoked:
            raise Unauthorized(reason="the job of the token is no longer running")
        if token.expires_at is not None and self._has_passed(from_iso(token.expires_at)):
            raise InvalidToken(EXPIRED, reason=f"the {token.kind} token expired at {token.expires_at}")
        if token.revoked:
            self.revoked = token
            raise InvalidToken(REVOKED, reason=f"the {token.kind} token was revoked")
        if token.kind == "impersonation" and not self.world.instance.impersonation:
            raise InvalidToken(NO_IMPERSONATION, reason="instance.impersonation is off")

    def _has_passed(self, when: int) -> bool:
        if self.clock.now() >= when:
            return True
        if self.world.reads is not None:
            # A cached answer must not outlive the token that it was computed for.
            self.world.reads.note_until(when)
        return False

    def _check_not_blocked(self, user: User) -> None:
        message = self._denial_message(user)
        if message:
            raise Forbidden(message, reason=_explain_denial(user))

    def _denial_message(self, user: User) -> str:
        """Return the platform's message for a user who may not use a token; empty for all others."""
        return self._terms_message(user) or self._state_message(user) or self._password_message(user)

    def _terms_message(self, user: User) -> str:
        if not must_accept_terms(self.world, user):
            return ""
        return (
            f"You (@{user.username}) must accept the Terms of Service in order to perform this action. "
            "Please access GitLab from a web browser to accept these terms."
        )

    def _state_message(self, user: User) -> str:
        """Return the platform's message for a user who may not sign in; empty for all others."""
        if user.is_blocked or user.state == "blocked_pending_approval":
            return "Your account has been blocked."
        if user.state == "banned":
            return "Your account has been banned."
        if user.state == "deactivated":
            return (
                "Your account has been deactivated by your administrator. Please log back in from a web browser to "
                f"reactivate your account at {self.request.origin}"
            )
        return "This action cannot be performed by internal users" if user.is_internal else ""

    def _password_message(self, user: User) -> str:
        if not user.password_expired or not self.world.profile.has(EXPIRED_PASSWORDS_BLOCK):
            return ""
        name = self.world.instance.product_name
        return f"Your password expired. Please access {name} from a web browser to update your password."

    def _check_scopes(self, token: Token) -> None:
        # Sessions and job tokens have no scopes: which operations accept a job token is decided by the route instead.
        route = self.route
        if route.any_scope or token.kind in ("session", "job"):
            return
        # The permissions of such a token are checked once the operation's project or group is known.
        if GRANULAR in token.scopes and self.world.profile.has(GRANULAR_TOKENS):
            return
        sufficient = {"api", *(("read_api", *route.scopes) if route.reads else route.write_scopes)}
        if not sufficient.intersection(token.scopes):
            # The platform lists all declared scopes here, even ``read_api`` for a write, which it does not allow.
            declared = dict.fromkeys((*route.scopes, *route.write_scopes, "api", "read_api"))
            profile = self.world.profile
            scopes = " ".join(scope for scope in declared if profile.has(LATER_SCOPES.get(scope, ALWAYS)))
            scopes_text, needs = " ".join(token.scopes) or "none", " or ".join(sorted(sufficient))
            raise InsufficientScope(
                scopes, reason=f"the token has the scopes {scopes_text}; the operation needs {needs}"
            )

    def _is_admin_mode_on(self) -> bool:
        has_mode = self.route.admin_mode and self.world.profile.has(ADMIN_MODE_ASKS_TOKENS)
        return has_mode and self.world.settings.admin_mode

    def _lacks_admin_mode(self, user: User, token: Token) -> bool:
        """Return whether a token of an administrator has no rights of administrators."""
        # Sessions and the tokens of jobs have no scopes, and are not asked for this one either.
        if not user.admin or token.kind in ("session", "job") or ADMIN_MODE in token.scopes:
            return False
        return self._is_admin_mode_on()

    def _apply_sudo(self, user: User, token: Token, target: str) -> User:
        # The platform's order: the caller, the kind of the credential, its scope, and only then the target.
        if not user.admin:
            raise Forbidden("Must be admin to use sudo", reason=f"{user.username} is no administrator")
        if self._lacks_admin_mode(user, token):
            reason = f"{user.username} {LACKS_ADMIN_MODE} is no administrator"
            raise Forbidden("Must be admin to use sudo", reason=reason)
        if token.kind in ("session", "job"):
            text = "Must be authenticated using an OAuth or Personal Access Token to use sudo"
            raise Forbidden(text, reason=f"sudo with a {token.kind} credential")
        if "sudo" not in token.scopes:
            has = " ".join(token.scopes) or "none"
            raise InsufficientScope("sudo", reason=f"the token has the scopes {has}; sudo needs the scope sudo")
        return self._sudo_target(target)

    def _sudo_target(self, text: str) -> User:
        # A text of digits is always an id, even if a user has it as username.
        number = parse_number(text)
        users = self.world.users
        user = users.find("username", text.lower()) if number is None else users.get(number)
        if user is None:
            raise NotFoundWithMessage(
                f"404 User with ID or username '{text}' Not Found",
                reason=f"sudo: no user has the id or username {text!r}",
            )
        return user


@lru_cache(256)  # a client sends the same header with each request
def parse_bearer(authorization: str | None) -> str | None:
    """Return the token of an Authorization header with the scheme Bearer, or None."""
    scheme, _, value = (authorization or "").partition(" ")
    return value.strip() or None if scheme.lower() == "bearer" else None


def parse_basic(authorization: str | None) -> tuple[str, str] | None:
    """Return the name and password of an Authorization header with the scheme Basic, or None."""
    scheme, _, value = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        # Only the first colon separates: a password may contain more of them.
        name, colon, password = b64decode(value.strip(), validate=True).decode().partition(":")
    # Both invalid Base64 (binascii.Error) and invalid UTF-8 (UnicodeDecodeError) are ValueErrors.
    except ValueError:
        return None
    return (name, password) if colon else None


def must_accept_terms(world: World, user: User) -> bool:
    """Return whether a user must accept the terms of the instance; bots need not."""
    return world.settings.enforce_terms and user.kind == "human" and not user.accepted_terms


def _explain_denial(user: User) -> str:
    state = "internal" if user.is_internal else user.state
    return (
        f"{user.username} is {state}" if state != "active" else f"{user.username} has to do something on a page first"
    )


def find_user_by_password(world: World, login: str, password: str) -> User | None:
    """Return the user with a username or e-mail address and a password, whatever their state."""
    user = world.users.find("username", login.lower()) or world.users.find("email", login.lower())
    return user if user is not None and password and user.password == password else None


def csrf_token(session: str) -> str:
    """Return the CSRF token of a session, for the header and for forms."""
    return f"csrf-{session}"


def session_cookie(cookie: str | None) -> str | None:
    """Return the value of the session cookie under either of its names."""
    if not cookie:
        return None
    from http.cookies import CookieError, SimpleCookie  # imported late: clients of the API send no cookies

    try:
        jar = SimpleCookie(cookie)
    except CookieError:
        return None
    morsel = jar.get(SESSION_COOKIE) or jar.get(vendor_name_of(SESSION_COOKIE) or "")
    return morsel.value if morsel else None
