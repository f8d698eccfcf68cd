"""Version. Source: docs/platform/version-and-metadata.md."""

from typing import Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.rng import random_bytes
from fakeplat.policy.context import ReadContext

area: Final = Area("Instance", login=Login.ALWAYS, scopes=("read_user",))


@area.operation("GET", "version")
def get_version(ctx: ReadContext) -> dict[str, str]:
    """Get the version of the instance."""
    version = ctx.instance.version
    # An invented revision that depends on the version only, so it is the same in all worlds.
    return {"version": version, "revision": random_bytes(0, version, 0, 6).hex()[:11]}
