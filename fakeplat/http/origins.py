"""By which name a client may reach the server, and the origin that follows from it.

Source: docs/contract.md ('URLs').
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.workbench.keywords import InvalidOption

_LOCAL: Final = "localhost"
_MOST_KNOWN: Final = 1_000
_BASE_URL: Final = re.compile(r"(https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?)/?", re.ASCII)
_AUTHORITY: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,255})(:\d{1,5})?")


def parse_base_url(url: object) -> str:
    """Return the origin that a base URL names, without a trailing slash; UnusableOption for anything else."""
    match = _BASE_URL.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        raise InvalidOption(f"base_url: {url!r} is not an origin, such as https://git.example.test")
    return match[1]


class ForeignHost(ValueError):
    """The Host header names no host that is served."""


class Origins:
    """The allowed hosts of one listening socket. ``base_url`` beats what the client says."""

    def __init__(self, *, allowed: Iterable[str] = (), base_url: str | None = None) -> None:
        self._allowed = {host.lower() for host in allowed}
        self._base = base_url
        if self._base:
            self._allowed.add((urlsplit(self._base).hostname or "").lower())
        self._known: BoundedCache[str, str] = BoundedCache(_MOST_KNOWN)

    def origin(self, host: str) -> str:
        """The origin for a Host header, ``name[:port]``; ForeignHost for a name that is not served."""
        found = self._known.get(host)
        if found is None:
            if not (_AUTHORITY.fullmatch(host) and self._serves(host)):
                raise ForeignHost(host)
            found = self._base or f"http://{host}"
            self._known.put(host, found)
        return found

    def _serves(self, host: str) -> bool:
        name = host_name(host)
        return is_loopback(name) or name in self._allowed


def absolute(target: str, host: str) -> tuple[str, str]:
    """The authority and the rest of an absolute request target; ``*`` and the like keep the Host header."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return host, "/"
    if not parts.netloc:
        return host, "/"
    rest = parts.path or "/"
    return parts.netloc.rpartition("@")[2], f"{rest}?{parts.query}" if parts.query else rest


def host_name(host: str) -> str:
    """The name in ``name:port`` or ``[address]:port``, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Whether a host name or address is this machine's own: 127.0.0.0/8, ::1, localhost and below it."""
    if name == _LOCAL or name.endswith(f".{_LOCAL}"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
