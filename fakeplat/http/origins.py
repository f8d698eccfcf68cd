"""Allowed Host headers, and the origin (scheme, host and port) of a request.

Source: docs/contract.md ('URLs').
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.hosts import host_name, is_loopback
from fakeplat.workbench.keywords import InvalidOption

# Clients choose the Host header, so the cache must be bounded.
_CACHE_SIZE: Final = 1_000
_BASE_URL: Final = re.compile(r"(https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?)/?", re.ASCII)
# A name, an IPv4 address or an IPv6 address in brackets, with an optional port. A DNS name has at most 255 characters.
_AUTHORITY: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,255})(:\d{1,5})?")


def parse_base_url(url: object) -> str:
    """Return a base URL without a trailing slash; InvalidOption if it is not an origin."""
    match = _BASE_URL.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        raise InvalidOption(f"base_url: {url!r} is not an origin, such as https://git.example.test")
    return match[1]


class ForeignHost(ValueError):
    """The Host header does not name an allowed host."""


class Origins:
    """The allowed hosts of one listening socket. In origins, ``base_url`` overrides the Host header."""

    def __init__(
        self, *, allowed: Iterable[str] = (), base_url: str | None = None, allows_any_host: bool = False
    ) -> None:
        self._allowed = {host.lower() for host in allowed}
        self._allows_any_host = allows_any_host
        self._base = base_url
        if self._base:
            self._allowed.add((urlsplit(self._base).hostname or "").lower())
        self._cache: BoundedCache[tuple[str, str], str] = BoundedCache(_CACHE_SIZE)

    def origin(self, host: str, scheme: str = "http") -> str:
        """Return the origin for a Host header, ``name[:port]``; ForeignHost if the host is not allowed."""
        key = (host, scheme)
        origin = self._cache.get(key)
        if origin is None:
            if not (_AUTHORITY.fullmatch(host) and self._is_allowed(host)):
                raise ForeignHost(host)
            origin = self._base or f"{scheme}://{host}"
            self._cache.put(key, origin)
        return origin

    def _is_allowed(self, host: str) -> bool:
        name = host_name(host)
        return self._allows_any_host or is_loopback(name) or name in self._allowed


def split_absolute_target(target: str, host: str) -> tuple[str, str]:
    """Split an absolute request target into authority and path; other forms (``*``) give the Host header and ``/``."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return host, "/"
    if not parts.netloc:
        return host, "/"
    path = parts.path or "/"
    # The user and password in a URL are not part of the host.
    return parts.netloc.rpartition("@")[2], f"{path}?{parts.query}" if parts.query else path
