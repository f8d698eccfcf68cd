"""Commits of the web editor, which the instance signs."""

from typing import Any, Final

from fakeplat.core.operations.errors import NotFoundWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.policy.context import ReadContext

area: Final = Area("Web commits", login=Login.WRITES)


@area.operation("GET", "web_commits/public_key", since="17.4", refusals=(404,))
def get_web_commit_public_key(ctx: ReadContext) -> dict[str, Any]:
    """Get the public key that verifies the signatures of web commits."""
    key = ctx.instance.web_commits_public_key
    if not key:
        raise NotFoundWithMessage("Public key not found.", reason="instance.web_commits_public_key is empty")
    return {"public_key": key}
