"""The dependency proxy of groups, which keeps the images that were pulled from a registry outside of the instance.

Here, that registry is the project that ``instance.upstreams`` names for images: its image repositories play those of
the public hub. Source: docs/platform/registry.md.
"""

from collections.abc import Callable, Sequence
from typing import Final

from fakeplat.core import json_web_tokens
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, SECOND
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import image_blobs, image_manifests, registry_tokens
from fakeplat.domain.registry.refusals import ManifestUnknown, ProxyAccessForbidden, Unauthorized, UpstreamUnreachable
from fakeplat.model.people import Group, User
from fakeplat.model.projects import DeployToken
from fakeplat.model.registry import ContainerRepository, ImageBlob, ImageManifest, ProxiedBlob, ProxiedManifest
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import Caller, ReadContext, WriteContext
from fakeplat.policy.levels import covers_namespace

SERVICE: Final = "dependency_proxy"
_OFFICIAL: Final = "library/"
"""What the hub puts before the names of its own images, which clients leave out."""
_SUFFICIENT_SCOPES: Final = (
    frozenset({"api"}),
    frozenset({"read_registry", "write_registry"}),
    frozenset({"read_virtual_registry", "write_virtual_registry"}),
)
_BY_DIGEST: Final = "sha256:"


@frozen
class ProxiedImage:
    """An image of the registry outside, as the proxy of a group knows it."""

    group: Group
    name: str


# Tokens


def issue_token(ctx: ReadContext, caller: Caller) -> str:
    """Return a signed token for the proxies of all groups, or refuse with 403 who may have none."""
    if not _may_have_token(caller):
        raise ProxyAccessForbidden(reason="a token needs the scope api, or those to read and write a registry")
    now, seed = ctx.moving_now(), ctx.world.setup.seed
    subject = {"user_id": caller.user.id} if caller.user else {}
    if caller.deploy_token is not None:
        subject = {"deploy_token": caller.deploy_token.id}
    claims = {
        **subject,
        "jti": random_bytes(seed, f"dependency proxy token of {subject}", now).hex(),
        "iat": now // SECOND,
        "nbf": now // SECOND - 5,
        "exp": (now + ctx.world.settings.container_registry_token_expire_delay * MINUTE) // SECOND,
    }
    return json_web_tokens.encode(claims, _key_of(ctx.world))


def _may_have_token(caller: Caller) -> bool:
    if caller.deploy_token is not None:
        return _is_for_proxy(caller.deploy_token)
    if caller.user is None:
        return False
    token = caller.token
    return token is None or token.kind == "job" or _suffice(token.scopes)


def _is_for_proxy(token: DeployToken) -> bool:
    return token.source[0] == "group" and _suffice(token.scopes)


def _suffice(scopes: Sequence[str]) -> bool:
    return any(sufficient.issubset(scopes) for sufficient in _SUFFICIENT_SCOPES)


def find_caller(ctx: ReadContext, token: str) -> User | DeployToken | None:
    """Return whom a token was issued to, if it is valid.

    The registry's own tokens are accepted, too: as both have one host here, docker asks for those.
    """
    claims = json_web_tokens.find_claims(token, _key_of(ctx.world))
    if claims is None:
        return registry_tokens.find_subject(ctx, token)
    if ctx.has_passed(claims["exp"] * SECOND):
        return None
    if "deploy_token" in claims:
        return registry_tokens.find_active_deploy_token(ctx, ctx.world.deploy_tokens.get(claims["deploy_token"]))
    return ctx.world.users.get(claims["user_id"])


def _key_of(world: World) -> bytes:
    return random_bytes(world.setup.seed, "dependency proxy key", 0, 32)


def may_read(ctx: ReadContext, caller: User | DeployToken | None, group: Group) -> bool:
    """Return whether somebody may pull images through the proxy of a group."""
    if isinstance(caller, User):
        return can(ctx.as_user(caller), Ability.READ_DEPENDENCY_PROXY, group)
    return caller is not None and _is_for_proxy(caller) and covers_namespace(ctx.world, caller, group.id)


# The registry outside


def _find_upstream(world: World, name: str) -> ContainerRepository | None:
    """Return the image repository outside with a name."""
    path = world.instance.upstreams.get("images", "")
    project = namespaces.find_project_by_path(world, path) if path else None
    names = {name, name.removeprefix(_OFFICIAL), f"{_OFFICIAL}{name}"} if project else set()
    found = (world.container_repositories.find("name", (project.id, each)) for each in sorted(names) if project)
    return next((repository for repository in found if repository is not None), None)


def _require_upstream(ctx: ReadContext, image: ProxiedImage) -> ContainerRepository:
    if "images" not in ctx.instance.upstreams:
        raise UpstreamUnreachable(reason="instance.upstreams names no project for images")
    repository = _find_upstream(ctx.world, image.name)
    if repository is None:
        reason = f"{ctx.instance.upstreams['images']}, the registry outside, has no image repository {image.name}"
        name = image.name if "/" in image.name else f"{_OFFICIAL}{image.name}"
        detail = [{"Type": "repository", "Class": "", "Name": name, "Action": "pull"}]
        raise Unauthorized(reason=reason, detail=detail)
    return repository


# What is kept


def get_manifest(ctx: ReadContext, image: ProxiedImage, reference: str) -> ProxiedManifest | ImageManifest:
    """Return a manifest: that of the registry outside, or the kept one if that registry does not have it any more."""
    try:
        return image_manifests.get_manifest(ctx.world, _require_upstream(ctx, image), reference)
    except (UpstreamUnreachable, Unauthorized, ManifestUnknown):
        kept = _find_kept_manifest(ctx.world, image, reference)
        if kept is None:
            raise
        return kept


def _find_kept_manifest(world: World, image: ProxiedImage, reference: str) -> ProxiedManifest | None:
    named = world.proxied_manifests.find("name", (image.group.id, _file_name(image, reference)))
    rows = world.proxied_manifests.where("group", image.group.id)
    return named or next((manifest for manifest in rows if manifest.digest == reference), None)


def _file_name(image: ProxiedImage, reference: str) -> str:
    return f"{image.name}:{reference}.json"


def plan_manifest(ctx: ReadContext, image: ProxiedImage, reference: str) -> Callable[[WriteContext], object] | None:
    """Return what keeps a manifest that is pulled for the first time, or has changed outside."""
    found = _try(lambda: get_manifest(ctx, image, reference))
    kept = _find_kept_manifest(ctx.world, image, reference)
    if not isinstance(found, ImageManifest) or (kept is not None and kept.digest == found.digest):
        return None
    return lambda write_ctx: _keep_manifest(write_ctx, image, reference, found)


def _try(find: Callable[[], ProxiedManifest | ImageManifest | bytes]) -> ProxiedManifest | ImageManifest | bytes | None:
    """Return what is found. What is refused has nothing to keep; the operation answers the refusal."""
    try:
        return find()
    except Refusal:
        return None


def _keep_manifest(ctx: WriteContext, image: ProxiedImage, reference: str, found: ImageManifest) -> None:
    table, name = ctx.world.proxied_manifests, _file_name(image, reference)
    content = (found.digest, found.media_type, found.content)
    existing, now = table.find("name", (image.group.id, name)), ctx.now_iso
    if existing is None:
        table.add(ProxiedManifest(table.next_id(), image.group.id, name, *content, now, now))
    else:
        table.change(
            existing, digest=found.digest, content_type=found.media_type, content=found.content, updated_at=now
        )


def get_blob(ctx: ReadContext, image: ProxiedImage, digest: str) -> bytes:
    """Return the content of a blob that is kept, or that of the registry outside."""
    kept = ctx.world.proxied_blobs.find("name", (image.group.id, _blob_name(digest)))
    if kept is not None:
        return kept.content
    blob: ImageBlob = image_blobs.get_blob(ctx.world, _require_upstream(ctx, image), digest)
    return blob.content


def _blob_name(digest: str) -> str:
    return f"{digest.removeprefix(_BY_DIGEST)}.gz"


def plan_blob(ctx: ReadContext, image: ProxiedImage, digest: str) -> Callable[[WriteContext], object] | None:
    """Return what keeps a blob that is pulled for the first time."""
    name = _blob_name(digest)
    content = _try(lambda: get_blob(ctx, image, digest))
    if not isinstance(content, bytes) or ctx.world.proxied_blobs.find("name", (image.group.id, name)) is not None:
        return None

    def keep(write_ctx: WriteContext) -> None:
        table, now = write_ctx.world.proxied_blobs, write_ctx.now_iso
        table.add(ProxiedBlob(table.next_id(), image.group.id, name, content, now, now))

    return keep


def delete_cache(ctx: WriteContext, group: Group) -> None:
    """Delete what the proxy of a group keeps."""
    world = ctx.world
    purge(ctx, *world.proxied_manifests.where("group", group.id), *world.proxied_blobs.where("group", group.id))


def total_size(world: World, group: Group) -> int:
    """Return the number of bytes that the proxy of a group keeps."""
    manifests = world.proxied_manifests.where("group", group.id)
    blobs = world.proxied_blobs.where("group", group.id)
    return sum(row.size for row in manifests) + sum(row.size for row in blobs)
