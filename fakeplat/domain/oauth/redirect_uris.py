"""Addresses to which users are sent back: what applications may register, and what matches it.

Source: docs/platform/oauth.md. See RFC 6749 (3.1.2), RFC 8252 (7.3).
"""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

OUT_OF_BAND: Final = ("urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto")
_FORBIDDEN_SCHEMES: Final = ("data", "vbscript", "javascript")
# Printable ASCII without what a URI must escape.
_URI: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")


def parse(uri: str) -> SplitResult | None:
    """Return the parts of a URI, None if it is not valid."""
    if not _URI.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return parts


def find_error(uri: str) -> str | None:
    """Return why an application may not register an address."""
    if uri in OUT_OF_BAND:
        return None
    parts = parse(uri)
    if parts is None:
        return "must be a valid URI."
    if parts.scheme in _FORBIDDEN_SCHEMES:
        return "is forbidden by the server."
    if "#" in uri:
        return "cannot contain a fragment."
    return None if parts.scheme else "must be an absolute URI."


def matches(uri: str, registered: str) -> bool:
    """Return whether an address is one of those registered, which are separated by whitespace."""
    if uri in OUT_OF_BAND:
        return uri in registered.split()
    parts = parse(uri)
    if parts is None or not parts.scheme or "#" in uri:
        return False
    return any(_is_same(parts, other) for text in registered.split() if (other := parse(text)) is not None)


def _is_same(parts: SplitResult, registered: SplitResult) -> bool:
    # The query counts only if one was registered.
    if registered.query and sorted(parse_qsl(parts.query)) != sorted(parse_qsl(registered.query)):
        return False
    return _without_query(parts) == _without_query(registered)


def _without_query(parts: SplitResult) -> tuple[str, ...]:
    # A program on the user's machine listens on any free port.
    host = parts.hostname or ""
    return (parts.scheme, host if _is_loopback(host) else parts.netloc.lower(), parts.path)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def with_query(uri: str, values: dict[str, str]) -> str:
    """Return an address with more parameters; empty ones are left out."""
    parts = urlsplit(uri)
    added = urlencode({name: value for name, value in values.items() if value})
    return urlunsplit(parts._replace(query="&".join(text for text in (parts.query, added) if text)))


def with_fragment(uri: str, values: dict[str, str]) -> str:
    """Return an address with parameters in the fragment; empty ones are left out."""
    return f"{uri}#{urlencode({name: value for name, value in values.items() if value})}"
