"""Clusters: add, edit and find them. Source: docs/platform/clusters.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import InvalidRecord, RecordNotFound
from fakeplat.domain.clusters.cluster_validation import list_errors
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import CERTIFICATE_CLUSTERS
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.model.clusters import AuthorizationType, Cluster, GcpProvider, KubernetesPlatform
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import INSTANCE, World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import ancestors_of

_NULLABLE: Final = ("domain", "management_project_id", "user_id", "provider_gcp")
_NOT_YOURS: Final = "Project does not exist or you don't have permission to perform this action"


def list_clusters(world: World, owner: Routable | None) -> Sequence[Cluster]:
    """Return the clusters of a project, of a group, or (None) of the instance; none of those above them."""
    return world.clusters.where("source", _source_of(owner) or INSTANCE)


def check_enabled(world: World) -> None:
    """Refuse with 404 where clusters with certificates are off."""
    features.check_enabled(world, CERTIFICATE_CLUSTERS)


def has_active_cluster(world: World, project: Project) -> bool:
    """Return whether a cluster that is for all environments serves a project: its own, a group's or the instance's."""
    owners: tuple[Routable | None, ...] = (project, *ancestors_of(world, project), None)
    listed = (cluster for owner in owners for cluster in list_clusters(world, owner))
    return any(cluster.enabled and cluster.environment_scope == "*" for cluster in listed)


def _source_of(owner: Routable | None) -> tuple[str, int] | None:
    return None if owner is None else source_of(owner)


def get_cluster(world: World, owner: Routable | None, id_: int) -> Cluster:
    """Return the cluster of an owner with an id, or refuse with 404."""
    cluster = world.clusters.get(id_)
    if cluster is None or cluster.source != _source_of(owner):
        place = "the instance" if owner is None else describe(world, owner)
        raise RecordNotFound(reason=f"{place} has no cluster {id_}")
    return cluster


class PlatformFields(TypedDict, total=False):
    """Attributes of a Kubernetes platform."""

    api_url: str | None
    token: str | None
    namespace: str | None
    authorization_type: AuthorizationType
    ca_cert: str | None


class ClusterFields(TypedDict, total=False):
    """Further fields of a cluster; nulls for those that cannot be null are ignored."""

    created_at: str
    updated_at: str
    user_id: int | None
    domain: str | None
    enabled: bool | None
    managed: bool | None
    namespace_per_environment: bool | None
    provider_type: Literal["user", "gcp", "aws"]
    provider_gcp: GcpProvider | None
    environment_scope: str | None
    management_project_id: int | None


def create(
    ctx: WriteContext,
    owner: Routable | None,
    *,
    name: str,
    platform_kubernetes: PlatformFields,
    **fields: Unpack[ClusterFields],
) -> Cluster:
    """Add a cluster."""
    table, now = ctx.world.clusters, ctx.now_iso
    defaults: dict[str, Any] = {"created_at": now, "updated_at": now, "user_id": ctx.user.id if ctx.user else None}
    cluster = Cluster(
        id=table.next_id(),
        source=_source_of(owner),
        name=name,
        platform_kubernetes=KubernetesPlatform(**_normalize(platform_kubernetes)),
        **{**defaults, **_without_nulls(fields)},
    )
    _check_management_project(ctx, owner, fields.get("management_project_id"))
    list_errors(ctx.world, cluster, before=None).refuse()
    return table.add(cluster)


class ClusterChanges(ClusterFields, total=False):
    """Changes of a cluster."""

    name: str | None


def update(
    ctx: WriteContext,
    cluster: Cluster,
    *,
    platform_kubernetes: PlatformFields | None = None,
    **fields: Unpack[ClusterChanges],
) -> Cluster:
    """Edit a cluster."""
    platform = evolve(cluster.platform_kubernetes, **_normalize(platform_kubernetes or {}))
    changed = evolve(cluster, platform_kubernetes=platform, **_without_nulls(fields))
    if changed == cluster:
        return cluster
    if fields.get("management_project_id") is not None:
        _check_management_project(ctx, owner_of(ctx.world, cluster), fields["management_project_id"])
    list_errors(ctx.world, changed, before=cluster).refuse()
    return ctx.world.clusters.replace(cluster, evolve(changed, updated_at=ctx.now_iso))


def owner_of(world: World, cluster: Cluster) -> Routable | None:
    """Return the project or group of a cluster; None for those of the instance."""
    if cluster.source is None:
        return None
    kind, id_ = cluster.source
    return world.projects[id_] if kind == "project" else world.namespaces[id_]


def _normalize(platform: PlatformFields) -> dict[str, Any]:
    """Return the attributes of a Kubernetes platform as the platform stores them."""
    values: dict[str, Any] = {**platform}
    if "namespace" in values:
        values["namespace"] = (values["namespace"] or "").strip().lower() or None
    if "ca_cert" in values:
        values["ca_cert"] = values["ca_cert"] and values["ca_cert"].strip()
    # A null is as blank as an empty text, and refused.
    values.update((name, (values[name] or "").strip()) for name in ("api_url", "token") if name in values)
    return values


def _without_nulls(fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields without nulls for those that cannot be null; a name becomes empty, which is refused."""
    values = {name: value for name, value in fields.items() if value is not None or name in _NULLABLE}
    return {**values, "name": ""} if "name" in fields and fields["name"] is None else values


def _check_management_project(ctx: ReadContext, owner: Routable | None, project_id: int | None) -> None:
    """Refuse a project that the caller does not maintain, or that is not near the owner of the cluster."""
    # Clusters of a scenario have no acting user.
    if project_id is None or ctx.viewer is None:
        return
    project = ctx.world.projects.get(project_id)
    if project is None or not _is_near(ctx.world, owner, project) or not can(ctx, Ability.ADMIN_PIPELINE, project):
        raise InvalidRecord({"management_project_id": [_NOT_YOURS]}, reason=lambda: _explain(ctx, owner, project_id))


def _is_near(world: World, owner: Routable | None, project: Project) -> bool:
    """Return whether a project is beside the project of a cluster, or in its group or a subgroup."""
    if owner is None:
        return True
    if isinstance(owner, Project):
        return project.namespace_id == owner.namespace_id
    return project.namespace_id in {owner.id, *(group.id for group in namespaces.list_descendants(world, owner))}


def _explain(ctx: ReadContext, owner: Routable | None, project_id: int) -> str:
    project = ctx.world.projects.get(project_id)
    if project is None:
        return f"there is no project {project_id}"
    if not _is_near(ctx.world, owner, project):
        return f"{describe(ctx.world, project)} is not in the namespace of the cluster"
    return f"the caller is no Maintainer of {describe(ctx.world, project)}"
