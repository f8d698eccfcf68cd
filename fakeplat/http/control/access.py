"""Who may use the control routes: local requests, or those with the server's key, and no pages of other origins.

A program sends the key in a header. A browser cannot, so the console exchanges it for a cookie, which no other site can
make the browser send, and which does not contain the key.
"""

from hashlib import sha256
from hmac import compare_digest, new
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qsl

from fakeplat.core.extras import is_installed
from fakeplat.core.hosts import host_name, is_loopback
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.http.control.declaration import CONTROL_PREFIX, ControlError

KEY_HEADER: Final = "x-fakeplat-key"
_KEY_FORM: Final = f"{CONTROL_PREFIX}console/key"
_COOKIE: Final = "fakeplat_control"


def check_origin(request: Request) -> None:
    """Refuse the pages of other origins: a web page that the user visits must not control a fake on their machine."""
    origin = request.headers.get("origin")
    if origin is not None and origin != request.origin:
        raise ControlError(403, f"web pages of {origin} may not use the control routes")


def check_access(request: Request, key: str | None) -> None:
    """Refuse requests without the key of the server; if it has none, requests of other machines."""
    if key is not None:
        if not _has_key(request, key):
            raise ControlError(403, "the control routes require the key in the header X-Fakeplat-Key")
    # The Host must be local too: with DNS rebinding a foreign page gets a loopback peer.
    elif not (_is_local(request.peer) and is_loopback(host_name(request.headers.get("host", "")))):
        raise ControlError(403, "control routes accept only local requests; --control-key-file allows others")


def _has_key(request: Request, key: str) -> bool:
    cookies = dict(part.strip().partition("=")[::2] for part in request.headers.get("cookie", "").split(";"))
    has_header = _are_equal(request.headers.get(KEY_HEADER, ""), key)
    return has_header or _are_equal(cookies.get(_COOKIE, ""), _cookie_value(key))


def _are_equal(sent: str, expected: str) -> bool:
    # The comparison takes the same time for every wrong key; it accepts only ASCII text, hence the bytes.
    return compare_digest(sent.encode("utf-8", "surrogateescape"), expected.encode())


def _cookie_value(key: str) -> str:
    return new(key.encode(), b"console", sha256).hexdigest()


def answer_browser(request: Request, key: str | None) -> Response | None:
    """Ask the user of a browser for the key, or exchange it for a cookie; None for all other requests."""
    # Without the console there is nothing that a cookie would open, and no template of a form.
    if key is None or "text/html" not in request.headers.get("accept", "") or not is_installed("console"):
        return None
    from fakeplat.console.pages import HOME, see_other

    if (request.method, request.path) != ("POST", _KEY_FORM):
        return None if _has_key(request, key) else _key_form("")
    sent = dict(parse_qsl(request.body.decode("utf-8", "replace"))).get("key", "")
    if not _are_equal(sent.strip(), key):
        return _key_form("This is not the key of the server.")
    cookie = f"{_COOKIE}={_cookie_value(key)}; Path={CONTROL_PREFIX}; HttpOnly; SameSite=Strict"
    response = see_other(HOME)
    return Response(response.status, (*response.headers, ("Set-Cookie", cookie)))


def _key_form(error: str) -> Response:
    from fakeplat.console.pages import html
    from fakeplat.console.rendering import render_part

    return html(render_part("key.html", error=error, action=_KEY_FORM), 403)


def _is_local(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False
