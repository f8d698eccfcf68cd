"""Images that the dependency proxies of groups keep. Source: docs/platform/graphql.md, docs/platform/registry.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from fakeplat.domain.people import namespaces
from fakeplat.domain.registry import dependency_proxy
from fakeplat.domain.validation import human_size
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type, mutation
from fakeplat.model.people import Group
from fakeplat.model.registry import ProxiedBlob, ProxiedManifest
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=14.3"
_IDS: Final = "<=14.9"
_STATUS: Final = "<=15.0"
_BYTES: Final = "<=16.2"
_TIMES: Final = {
    "createdAt: Time!": "Timestamp of creation.",
    "updatedAt: Time!": "Timestamp of the last update.",
    "fileName: String!": "The name of the file.",
}
Scalar("DependencyProxyManifestID", "The global ID of a record of the type DependencyProxyManifest.", since=_IDS)
Enumeration(
    "DependencyProxyManifestStatus",
    "The status of a kept manifest.",
    {name.upper(): (name, f"The value {name}.") for name in ("default", "pending_destruction", "processing", "error")},
    since=_STATUS,
)
MANIFEST = Type("DependencyProxyManifest", "A manifest that a dependency proxy keeps.", since=_SINCE)
MANIFEST.attributes({**_TIMES, "digest: String!": "The digest of the manifest."})
BLOB = Type("DependencyProxyBlob", "A layer or configuration that a dependency proxy keeps.", since=_SINCE)
BLOB.attributes(_TIMES)


@MANIFEST.field("id: DependencyProxyManifestID!", since=_IDS)
def id_of(ctx: ReadContext, manifest: ProxiedManifest) -> str:
    """The global ID of the manifest."""
    return global_id(ctx, "DependencyProxy::Manifest", manifest.id)


@MANIFEST.field("imageName: String!")
def image_name(_ctx: ReadContext, manifest: ProxiedManifest) -> str:
    """The image and its tag."""
    return manifest.file_name.removesuffix(".json")


@MANIFEST.field("status: DependencyProxyManifestStatus!", since=_STATUS)
def status(_ctx: ReadContext, _manifest: ProxiedManifest) -> str:
    """The status, which is always the same here: what is to be deleted is deleted at once."""
    return "default"


@MANIFEST.field("size: String!")
@BLOB.field("size: String!")
def size(_ctx: ReadContext, kept: ProxiedManifest | ProxiedBlob) -> str:
    """The size for people."""
    return human_size(kept.size)


@GROUP.field("dependencyProxyManifests: DependencyProxyManifestConnection", since=_SINCE)
def manifests_of(ctx: ReadContext, group: Group) -> Sequence[ProxiedManifest]:
    """The manifests that the dependency proxy of the group keeps, newest first; for its members."""
    if not can(ctx, Ability.READ_DEPENDENCY_PROXY, group):
        return ()
    return ctx.world.proxied_manifests.where("group", group.id)[::-1]


@GROUP.field("dependencyProxyBlobs: DependencyProxyBlobConnection", since=_SINCE)
def blobs_of(ctx: ReadContext, group: Group) -> Sequence[ProxiedBlob]:
    """The layers and configurations that the dependency proxy of the group keeps; for its members."""
    if not can(ctx, Ability.READ_DEPENDENCY_PROXY, group):
        return ()
    return ctx.world.proxied_blobs.where("group", group.id)


@GROUP.field("dependencyProxyImageCount: Int!", since=_SINCE)
def count_images(ctx: ReadContext, group: Group) -> int:
    """The number of manifests that the dependency proxy of the group keeps."""
    return len(ctx.world.proxied_manifests.where("group", group.id))


@GROUP.field("dependencyProxyBlobCount: Int!", since=_SINCE)
def count_blobs(ctx: ReadContext, group: Group) -> int:
    """The number of layers and configurations that the dependency proxy of the group keeps."""
    return len(ctx.world.proxied_blobs.where("group", group.id))


@GROUP.field("dependencyProxyTotalSize: String!", since=_SINCE)
def total_size(ctx: ReadContext, group: Group) -> str:
    """The size for people of what the dependency proxy of the group keeps."""
    return human_size(dependency_proxy.total_size(ctx.world, group))


@GROUP.field("dependencyProxyTotalSizeBytes: BigInt!", since=_BYTES)
@GROUP.field("dependencyProxyTotalSizeInBytes: Int!", since=_BYTES)
def total_size_in_bytes(ctx: ReadContext, group: Group) -> int:
    """The number of bytes that the dependency proxy of the group keeps."""
    return dependency_proxy.total_size(ctx.world, group)


@GROUP.field("dependencyProxyImagePrefix: String!", since=_SINCE)
def image_prefix(ctx: ReadContext, group: Group) -> str:
    """What is put before the name of an image to pull it through the dependency proxy of the group."""
    path = namespaces.full_path(ctx.world, group).lower()
    return f"{urlsplit(ctx.origin).netloc}/{path}/dependency_proxy/containers"


# Settings

SETTING = Type("DependencyProxySetting", "Whether a group has a dependency proxy.", since=_SINCE)
POLICY = Type("DependencyProxyImageTtlGroupPolicy", "How long a group keeps images that nobody pulls.", since=_SINCE)


@GROUP.field("dependencyProxySetting: DependencyProxySetting", since=_SINCE)
def setting_of(ctx: ReadContext, group: Group) -> Group | None:
    """Whether the group has a dependency proxy; null for those who do not administer it."""
    return group if can(ctx, Ability.ADMIN_DEPENDENCY_PROXY, group) else None


@SETTING.field("enabled: Boolean!")
def is_enabled(_ctx: ReadContext, group: Group) -> bool:
    """Whether images can be pulled through it."""
    return group.dependency_proxy_enabled


@GROUP.field("dependencyProxyImageTtlPolicy: DependencyProxyImageTtlGroupPolicy", since=_SINCE)
def policy_of(ctx: ReadContext, group: Group) -> Group | None:
    """How long the group keeps images; null for those who do not administer its dependency proxy."""
    return setting_of(ctx, group)


@POLICY.field("enabled: Boolean!")
def is_policy_enabled(_ctx: ReadContext, group: Group) -> bool:
    """Whether images that nobody pulls are to be deleted, which takes no effect here."""
    return group.image_ttl_enabled


@POLICY.field("ttl: Int")
def ttl(_ctx: ReadContext, group: Group) -> int:
    """The number of days after which they are."""
    return group.image_ttl


@POLICY.field("createdAt: Time")
@POLICY.field("updatedAt: Time")
def policy_time(_ctx: ReadContext, group: Group) -> str | None:
    """Timestamp of the last decision."""
    return group.image_ttl_changed_at


@mutation(
    "updateDependencyProxySettings",
    input_fields='''
"""The full path of the group."""
groupPath: ID!
"""Whether images can be pulled through its dependency proxy."""
enabled: Boolean
''',
    payload_fields='"""The settings after the change."""\ndependencyProxySetting: DependencyProxySetting',
    since=_IDS,
)
def update_settings(ctx: WriteContext, group_path: str, enabled: bool | None = None) -> Mapping[str, Any]:
    """Enable or disable the dependency proxy of a group."""
    group = find_namespace(ctx, group_path)
    if not isinstance(group, Group) or not can(ctx, Ability.ADMIN_DEPENDENCY_PROXY, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not administer the dependency proxy")
    if enabled is not None:
        group = cast(Group, ctx.world.namespaces.change(group, dependency_proxy_enabled=enabled))
    return {"dependency_proxy_setting": group}


@mutation(
    "updateDependencyProxyImageTtlGroupPolicy",
    input_fields='''
"""The full path of the group."""
groupPath: ID!
"""Whether images that nobody pulls are to be deleted."""
enabled: Boolean
"""The number of days after which they are."""
ttl: Int
''',
    payload_fields='''
"""The policy after the change."""
dependencyProxyImageTtlPolicy: DependencyProxyImageTtlGroupPolicy
''',
    since=_SINCE,
)
def update_image_ttl_policy(
    ctx: WriteContext, group_path: str, enabled: bool | None = None, ttl: int | None = None
) -> Mapping[str, Any]:
    """Change how long a group keeps images that nobody pulls."""
    group = find_namespace(ctx, group_path)
    if not isinstance(group, Group) or not can(ctx, Ability.ADMIN_DEPENDENCY_PROXY, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not administer the dependency proxy")
    if ttl is not None and ttl <= 0:
        return {"dependency_proxy_image_ttl_policy": None, "errors": ["Ttl must be greater than 0"]}
    given = {"image_ttl_enabled": enabled, "image_ttl": ttl}
    changes = {name: value for name, value in given.items() if value is not None}
    changed = ctx.world.namespaces.change(group, image_ttl_changed_at=ctx.now_iso, **changes)
    return {"dependency_proxy_image_ttl_policy": changed}
