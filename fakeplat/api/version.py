"""Version. Source: docs/platform/version-and-metadata.md."""

from typing import Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.policy.context import ReadContext

area: Final = Area("Instance", login=Login.ALWAYS, scopes=("read_user",))


@area.operation("GET", "version")
def get_version(ctx: ReadContext) -> dict[str, str]:
    """Get the version of the instance."""
    return {"version": ctx.instance.version, "revision": ctx.instance.revision}
