"""Version. Source: docs/platform/version-and-metadata.md."""

from typing import Final

from fakeplat.core.chance import draw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.policy.context import Context

area: Final = Area("Instance", login=Login.ALWAYS, scopes=("read_user",))


@area.operation("GET", "version")
def get_version(cx: Context) -> dict[str, str]:
    """Get the version of the instance."""
    version = cx.instance.version
    return {"version": version, "revision": draw(0, version, 0, 6).hex()[:11]}
