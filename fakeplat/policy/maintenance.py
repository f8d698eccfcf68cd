"""Maintenance mode: only some writes are let through. Source: docs/platform/settings.md."""

import re
from typing import Final

from fakeplat.core.operations.errors import ForbiddenWithMessage, Refusal
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MAINTENANCE_MODE

READ_ONLY: Final = "You cannot perform write operations on a read-only instance"
_WRITES: Final = ("POST", "PATCH", "PUT", "DELETE")
_JSON_TYPES: Final = ("application/json", "application/vnd.git-lfs+json")
_ALWAYS_WRITABLE: Final = re.compile(
    # Git is refused when it asks for the refs; mutations of GraphQL are refused by its endpoint.
    r".*\.git/(git-upload-pack|git-receive-pack|info/lfs/objects/batch)"
    r"|/api/graphql"
    r"|/api/v4/application/settings"
    r"|/users/sign_(in|out)|/oauth/token"
    # The container registry is a server of its own.
    r"|/v2/.*"
)


class _ReadOnlyPage(Refusal):
    """301: a form of a page leads back, where the message is shown."""

    status = 301

    def __init__(self, location: str) -> None:
        super().__init__(None, reason=f"maintenance_mode: {READ_ONLY}")
        self._location = location

    def response(self) -> Response:
        """Return a redirect."""
        return Response(301, (("Location", self._location), ("Cache-Control", "no-cache")))


def is_on(world: World) -> bool:
    """Return whether the instance is in maintenance mode."""
    instance = world.instance
    # The settings come last: every write asks.
    return instance.profile.has(MAINTENANCE_MODE) and instance.has("premium") and world.settings.maintenance_mode


def check_writable(world: World, request: Request) -> None:
    """Refuse a write in maintenance mode: 403 if it sends JSON, else a redirect to where it came from."""
    if request.method not in _WRITES or not is_on(world) or _ALWAYS_WRITABLE.fullmatch(request.path):
        return
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() in _JSON_TYPES:
        raise ForbiddenWithMessage(READ_ONLY, reason="maintenance_mode is on")
    raise _ReadOnlyPage(request.headers.get("referer") or f"{request.origin}/")
