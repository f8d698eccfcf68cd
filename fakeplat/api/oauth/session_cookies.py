"""The session cookie of pages, under both of its names, and the authenticity token of their forms.

Before anybody signs in, the cookie only has the path to return to, and who has given their password but not yet their
one-time code. Source: docs/platform/vendor-names.md.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from fakeplat.api.oauth.html import ForgedRequest
from fakeplat.api.pages import redirect_to
from fakeplat.core.operations.http_messages import Headers, RawBody
from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.model.people import Token, User
from fakeplat.policy.context import ReadContext
from fakeplat.policy.credentials import SESSION_COOKIE, csrf_token, session_cookie

_RETURN: Final = "return-"
_FIRST_FACTOR: Final = "otp-"
PATH: Final = "/users/sign_in"
NEW_PASSWORD_PATH: Final = "/profile/password/new"


def authenticity_token(ctx: ReadContext) -> str:
    """Return the token that forms must send: that of the session, or of everybody who is not signed in."""
    if ctx.token is not None:
        return csrf_token(ctx.token.value)
    return csrf_token(random_bytes(ctx.world.setup.seed, "sign-in form", 0).hex())


def check_authenticity(ctx: ReadContext, sent: str | None) -> None:
    """Refuse a form (422) that was not made for the caller."""
    header = ctx.request.headers.get("x-csrf-token") if ctx.request else None
    if authenticity_token(ctx) not in (sent, header):
        raise ForgedRequest


def redirect_to_sign_in(ctx: ReadContext) -> RawBody:
    """Redirect to the sign-in page, from which users return to the page that they asked for."""
    request = ctx.request
    query = f"?{request.query}" if request and request.query else ""
    path = f"{request.path}{query}" if request else "/"
    value = _RETURN + urlsafe_b64encode(path.encode("utf-8", "replace")).decode().rstrip("=")
    return redirect(ctx, PATH, _cookies(value))


def redirect(ctx: ReadContext, path: str, headers: Headers = ()) -> RawBody:
    """Redirect to a path of this instance."""
    page = redirect_to(ctx.origin + path)
    return RawBody(page.body, page.content_type, (*page.headers, *headers), page.status)


def cookies_of_first_factor(ctx: ReadContext, user: User) -> Headers:
    """Return the headers that store who has given their password, until the one-time code follows."""
    return _cookies(f"{_FIRST_FACTOR}{user.id}.{_proof(ctx, user)}.{_encoded_return_path(ctx)}")


def find_first_factor(ctx: ReadContext) -> User | None:
    """Return the user who has given their password, but not yet their one-time code."""
    prefix, _, value = (_cookie_of(ctx) or "").partition(_FIRST_FACTOR)
    id_, _, rest = value.partition(".")
    user = ctx.world.users.get(parse_number(id_) or 0) if not prefix else None
    return user if user is not None and rest.partition(".")[0] == _proof(ctx, user) else None


def _proof(ctx: ReadContext, user: User) -> str:
    """Return what only the server knows: nobody can skip the password by making up a cookie."""
    return random_bytes(ctx.world.setup.seed, f"password of user {user.id}: {user.password}", 0).hex()


def _cookie_of(ctx: ReadContext) -> str | None:
    return session_cookie(ctx.request.headers.get("cookie")) if ctx.request else None


def _encoded_return_path(ctx: ReadContext) -> str:
    value = _cookie_of(ctx) or ""
    return value.rpartition(".")[2] if value.startswith(_FIRST_FACTOR) else value.partition(_RETURN)[2]


def get_return_path(ctx: ReadContext) -> str:
    """Return the path that the caller asked for before signing in; the home page by default."""
    encoded = _encoded_return_path(ctx)
    if not encoded:
        return "/"
    try:
        path = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except ValueError:
        return "/"
    return path if is_own_path(path) else "/"


def is_own_path(path: str) -> bool:
    """Return whether a path leads to a page of this instance."""
    # Never to another host, which a path with two slashes would name, nor into another header.
    is_own = path.startswith("/") and not path.startswith("//") and path.isprintable() and "\\" not in path
    return is_own and path.isascii()


def cookies_of_session(session: Token) -> Headers:
    """Return the headers that store a session, until it expires."""
    if session.expires_at is None:
        return _cookies(session.value)
    # No date: browsers would compare the world's time with their own.
    lifetime = (from_iso(session.expires_at) - from_iso(session.created_at)) // SECOND
    return _cookies(session.value, f"; max-age={lifetime}")


def cookies_of_sign_out() -> Headers:
    """Return the headers that delete the session cookie."""
    return _cookies("", "; max-age=0; expires=Thu, 01 Jan 1970 00:00:00 GMT")


def _cookies(value: str, attributes: str = "") -> Headers:
    names = (SESSION_COOKIE, vendor_name_of(SESSION_COOKIE))
    return tuple(("Set-Cookie", f"{name}={value}; path=/{attributes}; HttpOnly") for name in names if name)
