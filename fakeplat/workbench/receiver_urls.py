"""URLs of receivers: which of them can be sent to, and whether that stays on this machine."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from fakeplat.core.hosts import host_name, is_loopback

SCHEMES: Final = ("http", "https")
# The characters of RFC 3986; the platform's URI library refuses all others.
_CHARACTERS: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")


@lru_cache(1_000)
def describe_unsendable_url(url: str) -> str:
    """Return the platform's error for a URL that no request can be made of; empty if there is none."""
    if not url.isascii():
        return f'URI must be ascii only "{url}"'
    scheme = _find_scheme(url)
    if scheme is None:
        return f'bad URI(is not URI?): "{url}"'
    if scheme not in SCHEMES:
        return f"URL '{url}' is blocked: Only allowed schemes are {', '.join(SCHEMES)}"
    return ""


def _find_scheme(url: str) -> str | None:
    """Return the scheme of a URL; None if it is not a URL with a host."""
    try:
        parts = urlsplit(url)
        is_valid = _CHARACTERS.fullmatch(url) is not None and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts.scheme if is_valid else None


@lru_cache(1_000)
def is_on_this_machine(url: str) -> bool:
    """Return whether the host is a name or an address of the loopback interface. No name is resolved for that."""
    return is_loopback(host_name(urlsplit(url).netloc.rpartition("@")[2]))
