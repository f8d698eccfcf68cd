"""Which URLs the platform refuses to call, and how it logs the others.

Source: docs/platform/webhooks.md, docs/platform/clusters.md.

Host names are not resolved, so only names and addresses that are local in themselves are recognized.
"""

import re
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from fakeplat.domain.validation import INVALID_URI, has_line_break
from fakeplat.model.settings import Settings

WEB: Final = ("http", "https")
_LOCALHOST: Final = "Requests to localhost are not allowed"
_LOOPBACK: Final = "Requests to loopback addresses are not allowed"
_LINK_LOCAL: Final = "Requests to the link local network are not allowed"
_BROADCAST: Final = "Requests to the limited broadcast address are not allowed"
_DENIED: Final = "Requests to hosts and IP addresses not on the Allow List are denied"
_LOCAL_NETWORK: Final = "Requests to the local network are not allowed"
_OWN_ADDRESSES: Final = ("127.0.0.1", "0.0.0.0", "::1", "::")  # noqa: S104  # nothing is bound: these URLs are refused
_USER_INFO: Final = re.compile(r"(?<=://)([^/?#@:]*)(:[^/?#@]*)?@")
_MASK: Final = "*****"

Address = IPv4Address | IPv6Address


def explain_blocked_url(
    url: str,
    schemes: Sequence[str] = WEB,
    *,
    allows_local: bool = False,
    allowed_hosts: Collection[str] = (),
    denies_others: bool = False,
) -> str:
    """Return why a URL is blocked; empty if it is not. ``denies_others``: only the allowed hosts are not.

    ``allowed_hosts`` are hosts, addresses and networks that are allowed although they are local, each with or without
    a port.
    """
    if has_line_break(url):
        return INVALID_URI
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return INVALID_URI
    if parts.scheme not in schemes:
        return f"Only allowed schemes are {', '.join(schemes)}"
    if not host:
        return "Host cannot be resolved or invalid"
    if any(_covers(entry, host, port) for entry in allowed_hosts):
        return ""
    if denies_others:
        return _DENIED
    if allows_local:
        return ""
    address = _read_address(host)
    return _explain_blocked_name(host) if address is None else _explain_blocked_address(address)


def explain_blocked_receiver(settings: Settings, url: str, *, is_system: bool = False) -> str:
    """Return why the settings do not allow requests to a receiver of events; empty if they do.

    Receivers are webhooks and integrations; system hooks have a setting of their own.
    """
    return explain_blocked_url(
        url,
        allows_local=(
            settings.allow_local_requests_from_system_hooks
            if is_system
            else settings.allow_local_requests_from_web_hooks_and_services
        ),
        allowed_hosts=settings.outbound_local_requests_whitelist,
        denies_others=settings.deny_all_requests_except_allowed,
    )


def _covers(entry: str, host: str, port: int | None) -> bool:
    """Return whether an entry of the allowed hosts names a host."""
    if entry in (host, f"{host}:{port}", f"[{host}]:{port}"):
        return True
    address = _read_address(host)
    try:
        return address is not None and address in ip_network(entry, strict=False)
    except ValueError:
        return False


def _read_address(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _explain_blocked_name(host: str) -> str:
    return _LOCALHOST if host == "localhost" or host.endswith(".localhost") else ""


def _explain_blocked_address(address: Address) -> str:
    reasons = (
        (str(address) in _OWN_ADDRESSES, _LOCALHOST),
        (address.is_loopback, _LOOPBACK),
        (_is_local(address), _LOCAL_NETWORK),
        (address.is_link_local, _LINK_LOCAL),
        (str(address) == "255.255.255.255", _BROADCAST),
    )
    return next((text for is_blocked, text in reasons if is_blocked), "")


def _is_local(address: Address) -> bool:
    # Documentation networks are private to Python, but not to the platform.
    if isinstance(address, IPv6Address):
        return address.is_private and address.packed[0] in (0xFC, 0xFD)
    first, second = address.packed[:2]
    return first == 10 or (first == 172 and 16 <= second < 32) or (first == 192 and second == 168)


def mask_credentials(url: str) -> str:
    """Replace the user and the password in a URL by stars, as the platform's log does."""
    return _USER_INFO.sub(_mask_user_info, url)


def _mask_user_info(match: re.Match[str]) -> str:
    user, password = match[1], (match[2] or "").removeprefix(":")
    return f"{_MASK if user else ''}{':' + _MASK if password else ''}@"
