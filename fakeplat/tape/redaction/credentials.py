"""The credential of a request: the secret that authenticates the caller."""

import re
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from fakeplat.core.operations.http_messages import Request
from fakeplat.tape.redaction.registry import parse_basic

CREDENTIAL_HEADERS: Final = ("private-token", "authorization", "cookie")
"""The headers that are forwarded when the user of a credential is looked up."""

# ``private_token=…`` or ``access_token=…``, as the first parameter or after a separator.
_IN_QUERY: Final = re.compile(r"(?:^|[&;])(private_token|access_token)=([^&;]+)")
# The cookie's name begins with that of the vendor, so only its end is required.
_SESSION: Final = re.compile(r"(?:^|;)\s*[^=;\s]*_session=([^;]*)")


class Credential(NamedTuple):
    """A credential and how it was sent.

    ``kind`` is pat, oauth, cookie or password (Basic authentication; the password may be a token). ``parameter`` is
    the query parameter with the credential, if it came in the query; ``user`` is the username sent with a password.
    """

    kind: str
    value: str
    parameter: str = ""
    user: str = ""


def find_credential(request: Request) -> Credential | None:
    """Return the token, session or password that a request carries."""
    # A token in the query comes first because the platform prefers it to the header.
    match = _IN_QUERY.search(request.query)
    if match is not None:
        return Credential(
            "pat" if match[1] == "private_token" else "oauth", unquote_plus(match[2]), match[0].strip("&;")
        )
    headers = request.headers
    private = headers.get("private-token")
    if private:
        return Credential("pat", private)
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return Credential("oauth", value.strip())
    if scheme.lower() == "basic":
        return _parse_basic_credential(value.strip())
    session = _SESSION.search(headers.get("cookie", ""))
    return Credential("cookie", session[1]) if session is not None and session[1] else None


def _parse_basic_credential(credentials: str) -> Credential | None:
    """Parse Basic credentials, encoded as sent or in the form of a tape (``ada:<password:1>``)."""
    user, _, password = credentials.partition(":")
    if not password:
        user, password = parse_basic(credentials) or ("", "")
    return Credential("password", password, user=user) if password else None
