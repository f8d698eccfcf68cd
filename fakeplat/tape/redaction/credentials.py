"""The credential of a request: the one secret that says who asks."""

import re
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from fakeplat.core.operations.http_messages import Request
from fakeplat.tape.redaction.registry import parse_basic

SENT: Final = ("private-token", "authorization", "cookie")
"""The headers that a question about the user is asked with."""

_IN_QUERY: Final = re.compile(r"(?:^|[&;])(private_token|access_token)=([^&;]+)")
_SESSION: Final = re.compile(r"(?:^|;)\s*[^=;\s]*_session=([^;]*)")


class Credential(NamedTuple):
    """``kind`` is pat, oauth, cookie, or password: that of Basic, which may be a token as well. ``parameter`` is the
    query that it came with, if it came in one, ``user`` the name that stood beside it.
    """

    kind: str
    value: str
    parameter: str = ""
    user: str = ""


def find_credential(request: Request) -> Credential | None:
    """What a request says who it is from, as far as a token or session says it."""
    found = _IN_QUERY.search(request.query)
    if found is not None:
        return Credential(
            "pat" if found[1] == "private_token" else "oauth", unquote_plus(found[2]), found[0].strip("&;")
        )
    headers = request.headers
    private = headers.get("private-token")
    if private:
        return Credential("pat", private)
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return Credential("oauth", value.strip())
    if scheme.lower() == "basic":
        return _of_basic(value.strip())
    session = _SESSION.search(headers.get("cookie", ""))
    return Credential("cookie", session[1]) if session is not None and session[1] else None


def _of_basic(given: str) -> Credential | None:
    """Of Basic authentication, as it is sent or as it stands on a tape (``ada:<password:1>``)."""
    user, _, password = given.partition(":")
    if not password:
        user, password = parse_basic(given) or ("", "")
    return Credential("password", password, user=user) if password else None
