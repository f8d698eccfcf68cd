"""Which URLs the platform refuses to call. Source: docs/platform/clusters.md.

Host names are not resolved, so only names and addresses that are local in themselves are recognized.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

WEB: Final = ("http", "https")
_LOCALHOST: Final = "Requests to localhost are not allowed"


def find_blocked_reason(url: str, schemes: Sequence[str] = WEB) -> str:
    """Return why a URL is blocked; empty if it is not."""
    try:
        parts = urlsplit(url.strip())
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return "URI is invalid"
    if parts.scheme not in schemes:
        return f"Only allowed schemes are {', '.join(schemes)}"
    if not host:
        return "Host cannot be resolved or invalid"
    address = _read_address(host)
    return _find_name_reason(host) if address is None else _find_address_reason(address)


def _read_address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _find_name_reason(host: str) -> str:
    return _LOCALHOST if host == "localhost" or host.endswith(".localhost") else ""


def _find_address_reason(address: IPv4Address | IPv6Address) -> str:
    if address.is_loopback or address.is_unspecified:
        return _LOCALHOST
    if address.is_link_local:
        return "Requests to the link local network are not allowed"
    # Also documentation networks are private to Python, but not to the platform.
    return "Requests to the local network are not allowed" if _is_local(address) else ""


def _is_local(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        return address.is_private and address.packed[0] in (0xFC, 0xFD)
    first, second = address.packed[:2]
    return first == 10 or (first == 172 and 16 <= second < 32) or (first == 192 and second == 168)
