"""When the use of an access token is recorded, and which requests rotate one.

Source: docs/platform/later-releases.md.
"""

import re
from typing import Final

from fakeplat.core.timestamps import MINUTE, from_iso
from fakeplat.model.people import Token
from fakeplat.policy.behaviours import TOKEN_USE_INTERVAL, TOKEN_USE_IS_RECORDED
from fakeplat.policy.context import ReadContext

_RECORDED: Final = frozenset({"personal", "impersonation", "project", "group"})
_ROTATION: Final = re.compile(r"access_tokens/([0-9]+|self)/rotate$")


def find_due_token(ctx: ReadContext) -> Token | None:
    """Return the token of the request if this use of it is to be recorded, which happens from time to time only."""
    token = ctx.token
    if token is None or token.kind not in _RECORDED or not ctx.profile.has(TOKEN_USE_IS_RECORDED):
        return None
    interval = ctx.profile.choose(TOKEN_USE_INTERVAL) * MINUTE
    is_due = token.last_used_at is None or ctx.has_passed(from_iso(token.last_used_at) + interval)
    return token if is_due else None


def is_rotation(path: str) -> bool:
    """Return whether a path is that of an operation which rotates a token."""
    return _ROTATION.search(path) is not None
