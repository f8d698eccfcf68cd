"""Views of clusters. Source: docs/platform/clusters.md."""

from typing import cast

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant, nested
from fakeplat.domain.clusters import clusters
from fakeplat.entities.people.namespaces import GroupBasic
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectIdentity, ProjectSimple
from fakeplat.model.clusters import Cluster, KubernetesPlatform
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


class KubernetesPlatformView(Entity[KubernetesPlatform]):
    """How the API of a cluster is reached, without the token."""

    cached_by_id = False

    api_url = attr()
    namespace = attr()
    authorization_type = attr()
    ca_cert = attr()


class GcpProviderView(Entity[Cluster]):
    """The provider of a cluster."""

    cluster_id = attr("id")
    status_name = nested("provider_gcp.status_name", str)
    gcp_project_id = nested("provider_gcp.gcp_project_id", str)
    zone = nested("provider_gcp.zone", str)
    machine_type = nested("provider_gcp.machine_type", str)
    num_nodes = nested("provider_gcp.num_nodes", int)
    endpoint = nested("provider_gcp.endpoint", str | None)


def _has_provider(view: Entity[Cluster]) -> bool:
    return view.record.provider_gcp is not None


class ClusterView(Entity[Cluster]):
    """A cluster in lists."""

    ctx: ReadContext

    id = attr()
    name = attr()
    created_at = attr()
    domain = attr()
    enabled = attr(since="13.6")
    managed = attr(since="13.6")
    provider_type = attr()
    platform_type = constant("kubernetes", str)
    environment_scope = attr()

    @computed
    def cluster_type(self) -> str:
        return self.record.cluster_type

    namespace_per_environment = attr(since="13.6")

    @computed
    def user(self) -> UserBasic | None:
        user_id = self.record.user_id
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(user_id or 0))
        return user

    @computed
    def platform_kubernetes(self) -> KubernetesPlatformView:
        platform: KubernetesPlatformView = self.ctx.render(KubernetesPlatformView, self.record.platform_kubernetes)
        return platform

    @computed_if(when=_has_provider)
    def provider_gcp(self) -> GcpProviderView:
        provider: GcpProviderView = self.ctx.render(GcpProviderView, self.record)
        return provider

    @computed
    def management_project(self) -> ProjectIdentity | None:
        project = self.ctx.world.projects.get(self.record.management_project_id or 0)
        rendered: ProjectIdentity | None = self.ctx.render(ProjectIdentity, project)
        return rendered


class ProjectClusterView(ClusterView):
    """A single cluster with its project; null if it has none."""

    @computed
    def project(self) -> ProjectSimple | None:
        owner = clusters.owner_of(self.ctx.world, self.record) if self.record.cluster_type == "project_type" else None
        project: ProjectSimple | None = self.ctx.render(ProjectSimple, cast(Project | None, owner))
        return project


class GroupClusterView(ClusterView):
    """A single cluster with its group."""

    @computed
    def group(self) -> GroupBasic | None:
        group: GroupBasic | None = self.ctx.render(
            GroupBasic, cast(Group | None, clusters.owner_of(self.ctx.world, self.record))
        )
        return group
