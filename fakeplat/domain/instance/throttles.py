"""The throttles for all requests: which of them count a request, and for whom.

Source: docs/platform/rate-limits.md.
"""

import re
from typing import Final, NamedTuple

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.limits import Throttle
from fakeplat.core.timestamps import SECOND
from fakeplat.model.people import User
from fakeplat.model.settings import Settings
from fakeplat.model.world import World

Caller = tuple[str, int | str]
_UNAUTHENTICATED: Final = "throttle_unauthenticated"
_API: Final = "throttle_authenticated_api"
_WEB: Final = "throttle_authenticated_web"
_PROTECTED_PATHS: Final = "throttle_protected_paths"
_NAMES: Final = (_UNAUTHENTICATED, _API, _WEB, _PROTECTED_PATHS)
_SWITCHES: Final = tuple(f"{name}_enabled" for name in _NAMES)
_PROTECTED_NAMES: Final = {
    _UNAUTHENTICATED: "throttle_unauthenticated_protected_paths",
    _API: "throttle_authenticated_protected_paths_api",
    _WEB: "throttle_authenticated_protected_paths_web",
}
"""The names of the throttles for protected paths, which share their settings, by that for other paths."""
_HEALTH_CHECK: Final = re.compile("/-/(health|liveness|readiness|metrics)")
_TEXT: Final = "Retry later"


class Count(NamedTuple):
    """A throttle that counts a request; one that is not enforced only reports what it counted."""

    throttle: Throttle
    enforced: bool


def are_on(world: World) -> bool:
    """Return whether any throttle counts requests; the hosted offering also counts those that it lets pass."""
    settings = world.settings
    return world.instance.hosted or any(getattr(settings, switch) for switch in _SWITCHES)


def caller_of(request: Request, user: User | None) -> Caller:
    """Return whose requests are counted together."""
    return ("user", user.id) if user else ("ip", request.remote_ip)


def list_counts(settings: Settings, request: Request, user: User | None) -> list[Count]:
    """Return the throttles that count a request, in the order in which they refuse it."""
    if _HEALTH_CHECK.match(request.path):
        return []
    name = _main_name(request, user)
    counts = [Count(_throttle(settings, name, name), _is_enabled(settings, name))]
    if request.method == "POST" and _is_enabled(settings, _PROTECTED_PATHS) and _is_protected(settings, request.path):
        counts.append(Count(_throttle(settings, _PROTECTED_PATHS, _PROTECTED_NAMES[name]), enforced=True))
    return counts


def refusal_text(settings: Settings) -> str:
    """Return the body of a refusal."""
    return settings.rate_limiting_response_text or _TEXT


def _main_name(request: Request, user: User | None) -> str:
    if user is None:
        return _UNAUTHENTICATED
    return _API if request.path.startswith("/api") else _WEB


def _is_protected(settings: Settings, path: str) -> bool:
    return path.startswith(tuple(settings.protected_paths))


def _is_enabled(settings: Settings, prefix: str) -> bool:
    return bool(getattr(settings, f"{prefix}_enabled"))


def _throttle(settings: Settings, prefix: str, name: str) -> Throttle:
    limit = getattr(settings, f"{prefix}_requests_per_period")
    period = getattr(settings, f"{prefix}_period_in_seconds")
    return Throttle(name, limit, period * SECOND)
