"""Clusters of a group, its subgroups and projects at once. Source: docs/platform/clusters.md."""

from typing import Any, Final

from fakeplat.api.scopes import get_group
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.clusters import clusters
from fakeplat.domain.people import namespaces
from fakeplat.model.clusters import Cluster
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import group_level, project_level

area: Final = Area("Clusters", login=Login.ALWAYS)


class DiscoverClusters(Params):
    """The group below which clusters are looked for."""

    group_id: int


@area.operation("GET", "discover-cert-based-clusters", params=DiscoverClusters, refusals=(400, 404), since="17.9")
def list_discover_cert_based_clusters(ctx: ReadContext, p: DiscoverClusters) -> dict[str, Any]:
    """List the clusters of a group, and of the subgroups and projects in it whose maintainer the caller is."""
    group = get_group(ctx, str(p.group_id))
    user_id = ctx.signed_in_user.id
    subgroups = namespaces.list_descendants(ctx.world, group)
    groups = [group, *(each for each in subgroups if group_level(ctx.world, each, user_id) >= Level.MAINTAINER)]
    below = namespaces.list_projects_within(ctx.world, group)
    projects = [each for each in below if _is_maintainer(ctx, each, user_id)]
    return {
        "groups": _describe({namespaces.full_path(ctx.world, each): _list_own(ctx, each) for each in groups}),
        "projects": _describe({namespaces.project_path(ctx.world, each): _list_own(ctx, each) for each in projects}),
    }


def _is_maintainer(ctx: ReadContext, project: Project, user_id: int) -> bool:
    """Return whether a user maintains a project; administrators see all projects, but not all subgroups."""
    return ctx.admin or project_level(ctx.world, project, user_id) >= Level.MAINTAINER


def _list_own(ctx: ReadContext, owner: Group | Project) -> list[Cluster]:
    return list(clusters.list_clusters(ctx.world, owner))


def _describe(found: dict[str, list[Cluster]]) -> dict[str, list[dict[str, Any]]]:
    """Return the clusters by the paths of their owners; those without clusters are left out."""
    return {path: [{"id": each.id, "name": each.name} for each in own] for path, own in found.items() if own}
