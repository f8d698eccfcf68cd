"""Images that are pulled through the dependency proxy of a group. Source: docs/platform/registry.md."""

import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote

from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.domain.people import namespaces
from fakeplat.domain.registry import dependency_proxy
from fakeplat.domain.registry.dependency_proxy import SERVICE, ProxiedImage
from fakeplat.domain.registry.refusals import ProxyNotFound, ProxyUnauthorized
from fakeplat.model.people import Group
from fakeplat.model.registry import ImageManifest, ProxiedManifest
from fakeplat.policy.behaviours import DEPENDENCY_PROXY_IS_FREE, DEPENDENCY_PROXY_NEEDS_TOKEN
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_bearer
from fakeplat.policy.features import has_feature

area: Final = Area("Dependency proxy of images", login=Login.NEVER, prefix="", basic=True)
_PROXY: Final = "v2/*group_path/dependency_proxy/containers/*image"
_PATH: Final = re.compile(
    r"/v2/(?P<group>.+?)/dependency_proxy/containers/(?P<image>.+?)/(manifests|blobs)/(?P<reference>[^/]+)"
)
_ATTACHMENT: Final = ("Content-Disposition", "attachment")


def _get_group(ctx: ReadContext, path: str) -> Group:
    """Return the group whose proxy the caller may use: 401 without a token, else 404."""
    needs_token = ctx.profile.has(DEPENDENCY_PROXY_NEEDS_TOKEN)
    token = parse_bearer(ctx.request.headers.get("authorization")) if ctx.request else None
    caller = dependency_proxy.find_caller(ctx, token) if token else None
    if needs_token and caller is None:
        challenge = f'Bearer realm="{ctx.origin}/jwt/auth",service="{SERVICE}"'
        raise ProxyUnauthorized(reason="no valid token was sent", headers=(("WWW-Authenticate", challenge),))
    group = namespaces.find_group(ctx.world, path)
    if group is None:
        raise ProxyNotFound(reason=f"there is no group {path}")
    if not group.dependency_proxy_enabled:
        raise ProxyNotFound(reason=f"the dependency proxy of {path} is disabled")
    if not ctx.profile.has(DEPENDENCY_PROXY_IS_FREE) and not has_feature(ctx.world, "premium", group):
        raise ProxyNotFound(reason="before 13.6, the dependency proxy requires the tier premium")
    allowed = dependency_proxy.may_read(ctx, caller, group) if needs_token else group.visibility == "public"
    if not allowed:
        raise ProxyNotFound(reason=f"the caller may not use the dependency proxy of {path}")
    return group


def _plan(
    find_plan: Callable[[ReadContext, ProxiedImage, str], Callable[[WriteContext], object] | None],
) -> Callable[[ReadContext, Sequence[object], object], Callable[[WriteContext], object] | None]:
    """Return the effect of a read, which keeps what is pulled."""

    def plan(ctx: ReadContext, _records: Sequence[object], _p: object) -> Callable[[WriteContext], object] | None:
        # The effect of a read gets no path parameters, so they are taken from the request.
        match = _PATH.fullmatch(unquote(ctx.request.path)) if ctx.request else None
        if match is None:
            return None
        group = _get_group(ctx, match["group"])
        return find_plan(ctx, ProxiedImage(group, match["image"]), match["reference"])

    return plan


@area.operation(
    "GET",
    f"{_PROXY}/manifests/:reference",
    refusals=(401, 404, 503),
    reading=Reading(effect=_plan(dependency_proxy.plan_manifest)),
    ours=True,
)
def get_proxied_image_manifest(ctx: ReadContext, group_path: str, image: str, reference: str) -> RawBody:
    """Get a manifest by its tag or digest through the dependency proxy of a group, which keeps it."""
    group = _get_group(ctx, group_path)
    manifest = dependency_proxy.get_manifest(ctx, ProxiedImage(group, image), reference)
    headers = (
        ("Docker-Content-Digest", manifest.digest),
        ("Content-Length", str(len(manifest.content))),
        ("Docker-Distribution-Api-Version", "registry/2.0"),
        ("ETag", f'"{manifest.digest}"'),
        _ATTACHMENT,
    )
    return RawBody(manifest.content, _type_of(manifest), headers)


def _type_of(manifest: ProxiedManifest | ImageManifest) -> str:
    return manifest.content_type if isinstance(manifest, ProxiedManifest) else manifest.media_type


@area.operation(
    "GET",
    f"{_PROXY}/blobs/:digest",
    refusals=(401, 404, 503),
    reading=Reading(effect=_plan(dependency_proxy.plan_blob)),
    ours=True,
)
def get_proxied_image_blob(ctx: ReadContext, group_path: str, image: str, digest: str) -> RawBody:
    """Get a layer or configuration through the dependency proxy of a group, which keeps it."""
    group = _get_group(ctx, group_path)
    content = dependency_proxy.get_blob(ctx, ProxiedImage(group, image), digest)
    return RawBody(content, "application/octet-stream", (_ATTACHMENT,))
