"""Clusters of projects, groups and the instance. Source: docs/platform/clusters.md.

The platform deprecated them in release 14.5; from then on, responses with a cluster say so in a header. Release 15.0
switched them off by default.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final

from fakeplat.api.scopes import get_group, get_project
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.operations.operation import Area, Login, Operation
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Scope, Segment
from fakeplat.core.params.params import NotBlankIfSent, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.clusters import clusters
from fakeplat.domain.purging import purge
from fakeplat.entities.clusters import ClusterView, GroupClusterView, ProjectClusterView
from fakeplat.model.clusters import AuthorizationType, Cluster
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, authorize_admin
from fakeplat.policy.behaviours import (
    CERTIFICATE_CLUSTERS_ARE_DEPRECATED,
    CLUSTER_NAMESPACES_PER_ENVIRONMENT,
    CLUSTERS_ARE_SOUGHT_FIRST,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature


def _require_enabled(ctx: ReadContext, operation: Operation, texts: Mapping[str, str]) -> None:
    """Refuse with 404 where clusters are off, or their project or group is hidden, before parameters are validated."""
    container = operation.scope.segments[0]
    if container.locate is not None and ctx.profile.has(CLUSTERS_ARE_SOUGHT_FIRST):
        container.locate(ctx, texts[container.parameter])


def _require_administrator(ctx: ReadContext, _operation: Operation, _texts: Mapping[str, str]) -> None:
    """Refuse callers who are no administrators, and with 404 where clusters are off, before anything else."""
    authorize_admin(ctx, Ability.ADMIN_INSTANCE_CLUSTERS)
    clusters.check_enabled(ctx.world)


area: Final = Area("Clusters", login=Login.ALWAYS, guard=_require_enabled)
instance: Final = Area("Instance clusters", login=Login.ALWAYS, guard=_require_administrator)


def _get_project(ctx: ReadContext, reference: str) -> Project:
    """Return a project as `get_project` does, or 404 where clusters are off."""
    project = get_project(ctx, reference)
    clusters.check_enabled(ctx.world)
    return project


def _get_group(ctx: ReadContext, reference: str) -> Group:
    """Return a group as `get_group` does, or 404 where clusters are off."""
    group = get_group(ctx, reference)
    clusters.check_enabled(ctx.world)
    return group


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")
GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_get_group, word="group")


def _get_cluster(ctx: ReadContext, owner: Routable, id_: int, *, ability: Ability) -> Cluster:
    """Return the cluster of a project or group, or 404; 403 without the ability."""
    cluster = clusters.get_cluster(ctx.world, owner, id_)
    authorize(ctx, ability, owner)
    return cluster


def _scopes(ability: Ability) -> tuple[Scope, Scope]:
    locate = partial(_get_cluster, ability=ability)
    project, group = (Segment("clusters/:cluster_id", kind="integer", locate=locate, word=word) for word in _WORDS)
    return PROJECT / project, GROUP / group


_WORDS: Final = ("project", "group")
READABLE: Final = _scopes(Ability.READ_CLUSTER)
UPDATABLE: Final = _scopes(Ability.UPDATE_CLUSTER)
DELETABLE: Final = _scopes(Ability.ADMIN_CLUSTER)
INSTANCE: Final = "admin/clusters/:cluster_id"


def _view_of_owner(ctx: ReadContext, _p: object) -> type[GroupClusterView | ProjectClusterView]:
    return GroupClusterView if isinstance(ctx.container, Group) else ProjectClusterView


def _deprecation(ctx: ReadContext, _p: object, _result: object) -> Headers:
    return (("Deprecation", "true"),) if ctx.profile.has(CERTIFICATE_CLUSTERS_ARE_DEPRECATED) else ()


class NewPlatform(Params):
    """How the API of a new cluster is reached."""

    api_url: Annotated[str, NotBlankIfSent]
    token: str
    ca_cert: str | None = None
    namespace: str | None = None
    authorization_type: AuthorizationType = "rbac"


class CreateCluster(Params):
    """A cluster to add."""

    name: str
    enabled: bool = True
    domain: str | None = None
    environment_scope: str = "*"
    namespace_per_environment: Annotated[bool, Lifetime(since="13.6")] = True
    management_project_id: int | None = None
    managed: bool = True
    platform_kubernetes_attributes: NewPlatform


class PlatformChanges(Params):
    """Changes of how the API of a cluster is reached."""

    api_url: str | None = None
    token: str | None = None
    ca_cert: str | None = None
    namespace: str | None = None


class ClusterChanges(Params):
    """Changes of a cluster."""

    name: str | None = None
    domain: str | None = None
    environment_scope: str | None = None
    namespace_per_environment: Annotated[bool, Lifetime(since="13.6")] = True
    management_project_id: int | None = None
    managed: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    platform_kubernetes_attributes: PlatformChanges | None = None


class UpdateCluster(ClusterChanges):
    """Changes of a cluster of a project or group."""

    enabled: Annotated[bool | None, Lifetime(since="13.9")] = None


class UpdateInstanceCluster(ClusterChanges):
    """Changes of a cluster of the instance."""

    enabled: bool | None = None


def _collect_fields(ctx: ReadContext, owner: Routable | None, p: Params) -> dict[str, Any]:
    """Return the sent parameters as fields, without those that the tier does not allow."""
    fields = p.given()
    platform = fields.pop("platform_kubernetes_attributes", None)
    is_paid = Ruling.ENVIRONMENT_SCOPES_ARE_PAID.holds(ctx.world)
    if is_paid and not has_feature(ctx.world, "premium", owner):
        fields.pop("environment_scope", None)
    return {**fields, **({} if platform is None else {"platform_kubernetes": platform.given()})}


def _change(ctx: WriteContext, owner: Routable | None, cluster: Cluster, p: ClusterChanges) -> Cluster:
    fields = _collect_fields(ctx, owner, p)
    # The default of this parameter applies to changes, too: without it, the flag is set.
    if ctx.profile.has(CLUSTER_NAMESPACES_PER_ENVIRONMENT):
        fields["namespace_per_environment"] = p.namespace_per_environment
    return clusters.update(ctx, cluster, **fields)


@area.operation(
    "GET",
    "clusters",
    name="list_{scope}_clusters",
    scope=(PROJECT, GROUP),
    ability=Ability.READ_CLUSTER,
    params=Paged,
    view=ClusterView,
    many=True,
)
def list_clusters(ctx: ReadContext, owner: Routable) -> Sequence[Cluster]:
    """List the clusters of a project or group, without those of the groups above."""
    return clusters.list_clusters(ctx.world, owner)


@area.operation(
    "GET",
    "",
    name="get_{scope}_cluster",
    scope=READABLE,
    view=_view_of_owner,
    refusals=(403, 404),
    headers=_deprecation,
)
def get_cluster(_ctx: ReadContext, _owner: Routable, cluster: Cluster) -> Cluster:
    """Get a cluster of a project or group."""
    return cluster


@area.operation(
    "POST",
    "clusters/user",
    name="create_{scope}_cluster",
    scope=(PROJECT, GROUP),
    ability=Ability.ADD_CLUSTER,
    params=CreateCluster,
    view=_view_of_owner,
    refusals=(400,),
    headers=_deprecation,
)
def create_cluster(ctx: WriteContext, owner: Routable, p: CreateCluster) -> Cluster:
    """Add an existing cluster to a project or group."""
    return clusters.create(ctx, owner, **_collect_fields(ctx, owner, p))


@area.operation(
    "PUT",
    "",
    name="update_{scope}_cluster",
    scope=UPDATABLE,
    params=UpdateCluster,
    view=_view_of_owner,
    refusals=(400, 403, 404),
    headers=_deprecation,
)
def update_cluster(ctx: WriteContext, owner: Routable, cluster: Cluster, p: UpdateCluster) -> Cluster:
    """Update a cluster of a project or group."""
    return _change(ctx, owner, cluster, p)


@area.operation("DELETE", "", name="delete_{scope}_cluster", scope=DELETABLE, refusals=(403, 404, 412))
def delete_cluster(ctx: WriteContext, _owner: Routable, cluster: Cluster) -> None:
    """Remove a cluster from a project or group; what the platform created inside of it is left there."""
    purge(ctx, cluster)


_ADMIN: Final = Ability.ADMIN_INSTANCE_CLUSTERS


def _get_instance_cluster(ctx: ReadContext, id_: int) -> Cluster:
    """Return a cluster of the instance, or 404."""
    return clusters.get_cluster(ctx.world, None, id_)


@instance.operation("GET", "admin/clusters", ability=_ADMIN, params=Paged, view=ClusterView, many=True, refusals=(404,))
def list_instance_clusters(ctx: ReadContext) -> Sequence[Cluster]:
    """List the clusters of the instance."""
    return clusters.list_clusters(ctx.world, None)


@instance.operation(
    "GET",
    INSTANCE,
    ability=_ADMIN,
    view=ClusterView,
    refusals=(404,),
    headers=_deprecation,
)
def get_instance_cluster(ctx: ReadContext, cluster_id: int) -> Cluster:
    """Get a cluster of the instance."""
    return _get_instance_cluster(ctx, cluster_id)


@instance.operation(
    "POST",
    "admin/clusters/add",
    ability=_ADMIN,
    params=CreateCluster,
    view=ClusterView,
    refusals=(400, 404),
    headers=_deprecation,
)
def create_instance_cluster(ctx: WriteContext, p: CreateCluster) -> Cluster:
    """Add an existing cluster to the instance."""
    return clusters.create(ctx, None, **_collect_fields(ctx, None, p))


@instance.operation(
    "PUT",
    INSTANCE,
    ability=_ADMIN,
    params=UpdateInstanceCluster,
    view=ProjectClusterView,
    refusals=(400, 404),
    headers=_deprecation,
)
def update_instance_cluster(ctx: WriteContext, cluster_id: int, p: UpdateInstanceCluster) -> Cluster:
    """Update a cluster of the instance."""
    return _change(ctx, None, _get_instance_cluster(ctx, cluster_id), p)


@instance.operation("DELETE", INSTANCE, ability=_ADMIN, refusals=(404, 412))
def delete_instance_cluster(ctx: WriteContext, cluster_id: int) -> None:
    """Remove a cluster from the instance; what the platform created inside of it is left there."""
    cluster = _get_instance_cluster(ctx, cluster_id)
    ctx.check_unmodified_since(cluster.updated_at)
    purge(ctx, cluster)
