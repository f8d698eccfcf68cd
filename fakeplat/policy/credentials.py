"""Who is asking: the six kinds of credentials, their scopes, and sudo; the passwords that git sends.

Source: docs/platform/authentication.md, docs/decisions/rulings.md (19, 21, 29), docs/platform/git-over-http.md.
"""

from base64 import b64decode
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final, NamedTuple

from fakeplat.core.clock import Clock
from fakeplat.core.operations.errors import (
    Forbidden,
    GitForbidden,
    GitUnauthorized,
    InsufficientScope,
    InvalidToken,
    NotFoundWithMessage,
    Unauthorized,
)
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.core.timestamps import from_iso
from fakeplat.model.users import Token, User
from fakeplat.model.world import World

SESSION_COOKIE: Final = "_platform_session"
EXPIRED: Final = "Token is expired. You can either do re-authorization or token refresh."
REVOKED: Final = "Token was revoked. You have to re-authorize from the user."
NO_IMPERSONATION: Final = "Token is an impersonation token but impersonation was disabled."
JOB_NAME: Final = "gitlab-ci-token"
_OAUTH: Final = frozenset({"oauth"})
_PERSONAL: Final = frozenset({"personal", "impersonation", "project"})
_ONLY_TOKENS: Final = (
    "You must use a personal access token with 'read_repository' or 'write_repository' scope for Git over HTTP.\n"
)

Given = Mapping[str, object]


class CredentialRules(NamedTuple):
    """What of an operation matters for credentials."""

    reads: bool
    scopes: tuple[str, ...] = ()
    job_token: bool = False


class Caller(NamedTuple):
    """Who asks (under sudo: as whom), with which credential; ``actor`` is who really asks."""

    user: User | None = None
    token: Token | None = None
    actor: User | None = None


ANONYMOUS: Final = Caller()


class Authenticator:
    """Looks at the credentials of one request."""

    def __init__(self, world: World, clock: Clock, request: Request, given: Given, route: CredentialRules) -> None:
        self.world = world
        self.clock = clock
        self.request = request
        self.given = given
        self.route = route

    def caller(self) -> Caller:
        """The caller, or a refusal: 401 for what is no credential, 403 for one that does not reach."""
        token = self._by_token() or self._by_job() or self._by_session()
        sudo = self._text("sudo") or self.request.headers.get("sudo")
        if token is None:
            if sudo:
                raise Unauthorized(reason="sudo without a credential")
            return ANONYMOUS
        self._check_alive(token)
        user = self.world.users[token.user_id]
        self._check_access(user)
        if sudo:
            return Caller(self._sudo(user, token, str(sudo)), token, user)
        self._check_scopes(token)
        return Caller(user, token, user)

    def caller_by_password(self) -> Caller:
        """The caller as git names itself, by HTTP Basic: the password is a token of any kind, or the user's own.

        401 for any other; 403 for a token of somebody who is barred. Whether its scopes reach is not looked at.
        """
        sent = basic_of(self.request.headers.get("authorization"))
        if sent is None:
            return ANONYMOUS
        name, password = sent
        token = self._token_of_password(name, password)
        if token is None:
            user = self._by_own_password(name, password)
            return Caller(user, None, user)
        try:
            self._check_alive(token)
        except Unauthorized as dead:
            raise GitUnauthorized(self._realm, reason=dead.why) from None
        user = self.world.users[token.user_id]
        if text := self._barred(user):
            raise GitForbidden(text, reason=f"{user.username} is {user.state}")
        return Caller(user, token, user)

    @property
    def _realm(self) -> str:
        return self.world.instance.product_name

    def _token_of_password(self, name: str, password: str) -> Token | None:
        if name == JOB_NAME and (job := self._job(password)):
            return job
        return self.world.tokens.find("value", ("token", password)) if password else None

    def _by_own_password(self, name: str, password: str) -> User:
        users = self.world.users
        user = users.find("username", name.lower()) or users.find("email", name.lower())
        if user is None or not password or user.password != password:
            raise GitUnauthorized(self._realm, reason=f"neither a token nor the password of a user {name!r}")
        if self._barred(user):
            raise GitUnauthorized(self._realm, reason=f"{user.username} is {user.state}")
        if user.two_factor_enabled:
            raise GitUnauthorized(self._realm, _ONLY_TOKENS, reason=f"{user.username} signs in with two factors")
        return user

    def overlooked(self) -> str:
        """Why what was sent signs nobody in, in words."""
        headers = self.request.headers
        cookie, authorization = _session(headers.get("cookie")), headers.get("authorization", "")
        if cookie:
            token = self.world.tokens.find("value", ("session", cookie))
            if token is None or token.revoked:
                return "the session cookie is of no session of this world"
            return "a session's write asks for its X-CSRF-Token: csrf- and the cookie's value"
        if headers.get("job-token") and not self.route.job_token:
            return "a job token was sent, which this operation does not take"
        if authorization and bearer_of(authorization) is None:
            return f"Authorization: {authorization.partition(' ')[0]} is not understood; Bearer is"
        return "no credential was sent"

    def _text(self, name: str) -> str | None:
        value = self.given.get(name)
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None

    def _by_token(self) -> Token | None:
        headers = self.request.headers
        bearer = bearer_of(headers.get("authorization"))
        if bearer and self.route.job_token and (job := self._job(bearer)):
            return job
        oauth = self._text("access_token")
        if oauth:
            return self._found(oauth, _OAUTH)
        token = self.world.tokens.find("value", ("token", bearer)) if bearer else None
        if token is not None and token.kind in _OAUTH:
            return token
        private = self._text("private_token") or headers.get("private-token") or bearer
        return self._found(private, _PERSONAL) if private else None

    def _found(self, value: str, kinds: frozenset[str]) -> Token:
        token = self.world.tokens.find("value", ("token", value))
        if token is None or token.kind not in kinds:
            known = f"a {token.kind} token, which is not sent this way" if token else "no token of this world"
            raise Unauthorized(reason=f"the credential is {known}")
        return token

    def _by_job(self) -> Token | None:
        if not self.route.job_token:
            return None
        value = self.request.headers.get("job-token")
        if value is None and self.world.instance.has("premium"):
            value = self._text("job_token") or self._text("token")
        if value is None:
            return None
        token = self._job(value)
        if token is None:
            raise Unauthorized(reason="the job token is none of this world's")
        return token

    def _job(self, value: str) -> Token | None:
        return self.world.tokens.find("value", ("job", value))

    def _by_session(self) -> Token | None:
        value = _session(self.request.headers.get("cookie"))
        token = self.world.tokens.find("value", ("session", value)) if value else None
        if token is None or token.revoked:
            return None
        verified = self.request.method in ("GET", "HEAD") or self.request.headers.get("x-csrf-token") == f"csrf-{value}"
        return token if verified else None

    def _check_alive(self, token: Token) -> None:
        if token.kind == "job" and token.revoked:
            raise Unauthorized(reason="the job of the token runs no more")
        if token.expires_at is not None and self._passed(from_iso(token.expires_at)):
            raise InvalidToken(EXPIRED, reason=f"the {token.kind} token expired at {token.expires_at}")
        if token.revoked:
            raise InvalidToken(REVOKED, reason=f"the {token.kind} token was revoked")
        if token.kind == "impersonation" and not self.world.instance.impersonation:
            raise InvalidToken(NO_IMPERSONATION, reason="instance.impersonation is off")

    def _passed(self, when: int) -> bool:
        if self.clock.now() >= when:
            return True
        if self.world.reads is not None:
            self.world.reads.note_until(when)
        return False

    def _check_access(self, user: User) -> None:
        text = self._barred(user)
        if text:
            state = "internal" if user.is_internal else user.state
            raise Forbidden(text, reason=f"{user.username} is {state}")

    def _barred(self, user: User) -> str:
        """What keeps a user out altogether, in the platform's words; empty for whom nothing does."""
        if user.state in ("blocked", "ldap_blocked", "blocked_pending_approval"):
            return "Your account has been blocked."
        if user.state == "deactivated":
            return (
                "Your account has been deactivated by your administrator. Please log back in from a web browser to "
                f"reactivate your account at {self.request.origin}"
            )
        return "This action cannot be performed by internal users" if user.is_internal else ""

    def _check_scopes(self, token: Token) -> None:
        if token.kind in ("session", "job"):
            return
        enough = {"api", *(("read_api", *self.route.scopes) if self.route.reads else ())}
        if not enough.intersection(token.scopes):
            scopes = " ".join((*self.route.scopes, "api", "read_api"))
            has, needs = " ".join(token.scopes) or "none", " or ".join(sorted(enough))
            raise InsufficientScope(scopes, reason=f"the token has the scopes {has}; this asks for {needs}")

    def _sudo(self, user: User, token: Token, target: str) -> User:
        if not user.admin:
            raise Forbidden("Must be admin to use sudo", reason=f"{user.username} is no administrator")
        if token.kind in ("session", "job"):
            text = "Must be authenticated using an OAuth or Personal Access Token to use sudo"
            raise Forbidden(text, reason=f"sudo with a {token.kind} credential")
        if "sudo" not in token.scopes:
            has = " ".join(token.scopes) or "none"
            raise InsufficientScope("sudo", reason=f"the token has the scopes {has}; sudo asks for sudo")
        return self._target(target)

    def _target(self, text: str) -> User:
        number = number_of(text)
        users = self.world.users
        found = users.find("username", text.lower()) if number is None else users.get(number)
        if found is None:
            raise NotFoundWithMessage(
                f"404 User with ID or username '{text}' Not Found",
                reason=f"sudo: no user has the id or username {text!r}",
            )
        return found


def bearer_of(authorization: str | None) -> str | None:
    """What follows the word Bearer in a header, or None."""
    scheme, _, value = (authorization or "").partition(" ")
    return value.strip() or None if scheme.lower() == "bearer" else None


def basic_of(authorization: str | None) -> tuple[str, str] | None:
    """Name and password in a header of HTTP Basic; None where it is none."""
    scheme, _, value = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, colon, password = b64decode(value.strip(), validate=True).decode().partition(":")
    except ValueError:
        return None
    return (name, password) if colon else None


def _session(cookie: str | None) -> str | None:
    if not cookie:
        return None
    try:
        jar = SimpleCookie(cookie)
    except CookieError:
        return None
    found = jar.get(SESSION_COOKIE) or jar.get(vendor_name_of(SESSION_COOKIE) or "")
    return found.value if found else None
