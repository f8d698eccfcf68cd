"""Version and metadata of the instance. Source: docs/platform/version-and-metadata.md."""

from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.policy.behaviours import METADATA_HAS_EDITION, METADATA_HAS_PROXY, VERSION_IS_METADATA
from fakeplat.policy.context import ReadContext

area: Final = Area("Instance", login=Login.ALWAYS, scopes=("read_user",))


@area.operation("GET", "version")
def get_version(ctx: ReadContext) -> dict[str, Any]:
    """Get the version of the instance; since 15.5 its metadata."""
    return _metadata(ctx) if ctx.profile.has(VERSION_IS_METADATA) else _version(ctx)


@area.operation("GET", "metadata", since="15.2")
def get_metadata(ctx: ReadContext) -> dict[str, Any]:
    """Get the version, the agent server and the edition of the instance."""
    return _metadata(ctx)


def _version(ctx: ReadContext) -> dict[str, Any]:
    return {"version": ctx.instance.version, "revision": ctx.instance.revision}


def _metadata(ctx: ReadContext) -> dict[str, Any]:
    proxy = {"externalK8sProxyUrl": None} if ctx.profile.has(METADATA_HAS_PROXY) else {}
    kas = {"enabled": False, "externalUrl": None, **proxy, "version": None}
    edition = {"enterprise": ctx.instance.has("premium")} if ctx.profile.has(METADATA_HAS_EDITION) else {}
    return {**_version(ctx), "kas": kas, **edition}
