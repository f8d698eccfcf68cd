"""Host names and addresses in URLs and headers."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_LOCAL: Final = "localhost"


def host_name(host: str) -> str:
    """Return the name in ``name:port`` or ``[address]:port``, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Return whether a host is this machine: 127.0.0.0/8, ::1, localhost and its subdomains."""
    if name == _LOCAL or name.endswith(f".{_LOCAL}"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
