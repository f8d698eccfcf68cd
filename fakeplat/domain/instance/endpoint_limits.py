"""Limits of single endpoints that administrators set. Source: docs/platform/settings.md ('Later releases').

The platform's limits count by default, too. Here they count once an administrator has changed them, because tests send
more requests to a clock that stands still than users do.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.timestamps import MINUTE
from fakeplat.model.people import User
from fakeplat.model.settings import Settings

_API: Final = "/api/v[0-9]+/"
_TEN_MINUTES: Final = 10 * MINUTE


class EndpointLimit(NamedTuple):
    """A limit of requests with a method to some paths, and the setting with their number in a period (ms).

    ``signed_in``: whether it is only for users or only for visitors; ``exempt``: the setting with users whom it spares;
    ``spares_administrators``: whoever reads everything is not counted.
    """

    setting: str
    pattern: re.Pattern[str]
    period: int = MINUTE
    method: str = "GET"
    signed_in: bool | None = None
    exempt: str = ""
    spares_administrators: bool = False


def _limit(setting: str, path: str, **more: int | str | bool) -> EndpointLimit:
    return EndpointLimit(setting, re.compile(f"{_API}{path}$"), **more)  # type: ignore[arg-type]  # checked by the tests


_SEARCH: Final = "((groups|projects)/[^/]+/(-/)?)?search"
_MEMBER: Final = "(groups|projects)/[^/]+/members/[^/]+"
LIMITS: Final = (
    _limit("search_rate_limit", _SEARCH, signed_in=True, exempt="search_rate_limit_allowlist"),
    _limit("search_rate_limit_unauthenticated", _SEARCH, signed_in=False),
    _limit("projects_api_rate_limit_unauthenticated", "projects", signed_in=False, period=_TEN_MINUTES),
    _limit("projects_api_limit", "projects", signed_in=True, period=_TEN_MINUTES),
    _limit("project_api_limit", "projects/[^/]+"),
    _limit("project_jobs_api_rate_limit", "projects/[^/]+/jobs", signed_in=True),
    _limit("project_invited_groups_api_limit", "projects/[^/]+/invited_groups"),
    _limit("project_members_api_limit", "projects/[^/]+/members/all"),
    _limit("groups_api_limit", "groups"),
    _limit("group_api_limit", "groups/[^/]+"),
    _limit("group_projects_api_limit", "groups/[^/]+/projects"),
    _limit("group_shared_groups_api_limit", "groups/[^/]+/groups/shared"),
    _limit("group_invited_groups_api_limit", "groups/[^/]+/invited_groups"),
    _limit("group_archive_unarchive_api_limit", "groups/[^/]+/(un)?archive", method="POST"),
    _limit("user_projects_api_limit", "users/[^/]+/projects"),
    _limit("user_contributed_projects_api_limit", "users/[^/]+/contributed_projects"),
    _limit("user_starred_projects_api_limit", "users/[^/]+/starred_projects"),
    _limit("users_api_limit_followers", "users/[^/]+/followers", spares_administrators=True),
    _limit("users_api_limit_following", "users/[^/]+/following", spares_administrators=True),
    _limit("users_api_limit_status", "users/[^/]+/status"),
    _limit("users_api_limit_ssh_keys", "users/[^/]+/keys"),
    _limit("users_api_limit_ssh_key", "users/[^/]+/keys/[^/]+"),
    _limit("users_api_limit_gpg_keys", "users/[^/]+/gpg_keys"),
    _limit("users_api_limit_gpg_key", "users/[^/]+/gpg_keys/[^/]+"),
    _limit(
        "users_get_by_id_limit",
        "users/[0-9]+",
        signed_in=True,
        period=_TEN_MINUTES,
        exempt="users_get_by_id_limit_allowlist",
        spares_administrators=True,
    ),
    _limit("members_delete_limit", _MEMBER, method="DELETE"),
)
_SETTINGS: Final = frozenset(limit.setting for limit in LIMITS)


def are_changed(settings: Settings) -> bool:
    """Return whether an administrator has set any of these limits."""
    return not _SETTINGS.isdisjoint(settings.changed)


def list_limits(settings: Settings, request: Request, user: User | None) -> Iterator[EndpointLimit]:
    """Yield the limits that count a request."""
    if not are_changed(settings):
        return
    for limit in LIMITS:
        if (
            limit.setting in settings.changed
            and limit.method == request.method
            and limit.signed_in in (None, user is not None)
            and limit.pattern.match(request.path)
            and not (limit.spares_administrators and user and (user.admin or user.auditor))
            and not (limit.exempt and user and user.username.lower() in getattr(settings, limit.exempt))
        ):
            yield limit
