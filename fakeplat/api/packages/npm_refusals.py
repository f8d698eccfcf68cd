"""Refusals in the form that npm shows, which prints ``error`` and ignores ``message``.

Source: docs/platform/packages.md.
"""

import re
from typing import Final

from fakeplat.core.operations.errors import BadRequest, ForbiddenWithMessage, NotFound, Refusal
from fakeplat.core.release import Profile
from fakeplat.policy.behaviours import NPM_REFUSALS_HAVE_ERRORS

_UNKNOWN: Final = re.compile(r"404 (.+) Not Found")
_BAD_REQUEST: Final = "400 Bad request - "


def add_error(profile: Profile, refusal: Refusal) -> None:
    """Put the text for npm under ``error``. Refusals of credentials and abilities, and of parameters, have none."""
    payload = refusal.payload
    message = payload.get("message") if isinstance(payload, dict) else None
    if not isinstance(message, str) or not profile.has(NPM_REFUSALS_HAVE_ERRORS):
        return
    if isinstance(refusal, NotFound):
        unknown = _UNKNOWN.fullmatch(message)
        if unknown is not None:
            resource = unknown[1]
            refusal.payload = {"message": f"404 {resource.title()} Not Found", "error": f"{resource} not found"}
    elif isinstance(refusal, BadRequest | ForbiddenWithMessage):
        refusal.payload = {"message": message, "error": message.removeprefix(_BAD_REQUEST)}
