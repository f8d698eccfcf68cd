"""The throttles for all requests: which of them count a request, and for whom.

Source: docs/platform/rate-limits.md.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.limits import Throttle
from fakeplat.core.release import Profile
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.instance import endpoint_limits
from fakeplat.model.people import User
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.behaviours import API_HAS_THROTTLE_FOR_VISITORS

Caller = tuple[str, int | str]
_UNAUTHENTICATED: Final = "throttle_unauthenticated"
_UNAUTHENTICATED_API: Final = "throttle_unauthenticated_api"
_API: Final = "throttle_authenticated_api"
_WEB: Final = "throttle_authenticated_web"
_PROTECTED_PATHS: Final = "throttle_protected_paths"
_PARTS: Final[Mapping[str, re.Pattern[str]]] = {
    "packages_api": re.compile("/api/v[0-9]+/(projects/[^/]+/|groups?/[^/]+/-/)?packages/[A-Za-z]"),
    "files_api": re.compile("/api/v[0-9]+/projects/[^/]+/repository/files/."),
    "deprecated_api": re.compile("/api/v[0-9]+/groups/[^/]+/?$"),
    "git_lfs": re.compile(r"/.+\.git/(info/lfs|gitlab-lfs)/"),
    "git_http": re.compile(r"/.+\.git/(info/refs|git-upload-pack|git-receive-pack)$"),
}
"""Parts of the platform with throttles of their own, which count instead of the others once they are enabled."""
_OF_PARTS: Final = tuple(
    name
    for name in (f"throttle_{who}_{part}" for who in ("unauthenticated", "authenticated") for part in _PARTS)
    if name != "throttle_unauthenticated_git_lfs"
)
_NAMES: Final = (_UNAUTHENTICATED, _UNAUTHENTICATED_API, _API, _WEB, _PROTECTED_PATHS, *_OF_PARTS)
_SWITCHES: Final = tuple(f"{name}_enabled" for name in _NAMES)
_PROTECTED_NAMES: Final = {
    _UNAUTHENTICATED: "throttle_unauthenticated_protected_paths",
    _UNAUTHENTICATED_API: "throttle_unauthenticated_protected_paths",
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
    is_on = any(getattr(settings, switch) for switch in _SWITCHES)
    return world.instance.hosted or is_on or endpoint_limits.are_changed(settings)


def caller_of(request: Request, user: User | None) -> Caller:
    """Return whose requests are counted together."""
    return ("user", user.id) if user else ("ip", request.remote_ip)


def list_counts(world: World, request: Request, user: User | None) -> list[Count]:
    """Return the throttles that count a request, in the order in which they refuse it."""
    if _HEALTH_CHECK.match(request.path):
        return []
    settings, main_name = world.settings, _main_name(world.profile, request, user)
    name = _find_part(settings, request, user) or main_name
    counts = [Count(_throttle(settings, name, name), _is_enabled(settings, name))]
    if _is_enabled(settings, _PROTECTED_PATHS) and _is_protected(settings, request):
        counts.append(Count(_throttle(settings, _PROTECTED_PATHS, _PROTECTED_NAMES[main_name]), enforced=True))
    return counts


def refusal_text(settings: Settings) -> str:
    """Return the body of a refusal."""
    return settings.rate_limiting_response_text or _TEXT


def _find_part(settings: Settings, request: Request, user: User | None) -> str | None:
    who = "authenticated" if user else "unauthenticated"
    names = (f"throttle_{who}_{part}" for part, pattern in _PARTS.items() if pattern.match(request.path))
    return next((name for name in names if name in _OF_PARTS and _is_enabled(settings, name)), None)


def _main_name(profile: Profile, request: Request, user: User | None) -> str:
    is_api = request.path.startswith("/api")
    if user is not None:
        return _API if is_api else _WEB
    return _UNAUTHENTICATED_API if is_api and profile.has(API_HAS_THROTTLE_FOR_VISITORS) else _UNAUTHENTICATED


def _is_protected(settings: Settings, request: Request) -> bool:
    if request.method == "POST":
        return request.path.startswith(tuple(settings.protected_paths))
    return request.method == "GET" and request.path.startswith(tuple(settings.protected_paths_for_get_request))


def _is_enabled(settings: Settings, prefix: str) -> bool:
    return bool(getattr(settings, f"{prefix}_enabled"))


def _throttle(settings: Settings, prefix: str, name: str) -> Throttle:
    limit = getattr(settings, f"{prefix}_requests_per_period")
    period = getattr(settings, f"{prefix}_period_in_seconds")
    return Throttle(name, limit, period * SECOND)
