"""Storage statistics of projects and groups. Source: docs/platform/groups.md, docs/platform/projects.md."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain.ci import job_artifacts
from fakeplat.domain.packages import packages
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import lfs, repositories
from fakeplat.domain.snippets import snippet_files
from fakeplat.domain.wikis import wikis
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import STATISTICS_HAVE_MORE_PARTS
from fakeplat.policy.context import ReadContext

_PARTS: Final = ("repository", "wiki", "lfs_objects", "job_artifacts", "packages", "snippets")


def project_statistics(ctx: ReadContext, project: Project) -> dict[str, int]:
    """Return the commit count of the default branch, and the total and partial storage sizes in bytes."""
    world = ctx.world
    commits, size = repositories.measure_size(world, project)
    parts = {
        "repository": size,
        "wiki": wikis.size_of(world, project),
        "lfs_objects": lfs.total_size(world, project),
        "job_artifacts": job_artifacts.total_size(ctx, project),
        "packages": packages.total_size(world, project),
        "snippets": snippet_files.total_size(world, project),
    }
    return {"commit_count": commits, **_with_total(parts)}


def with_later_parts(ctx: ReadContext, sizes: Mapping[str, int], *names: str) -> dict[str, int]:
    """Return sizes with the parts that later releases list, in their order; there is nothing that these count."""
    if not ctx.profile.has(STATISTICS_HAVE_MORE_PARTS):
        return dict(sizes)
    parts = list(sizes.items())
    place = list(sizes).index("job_artifacts_size") + 1
    return dict([*parts[:place], ("pipeline_artifacts_size", 0), *parts[place:], *((name, 0) for name in names)])


def group_statistics(ctx: ReadContext, group: Namespace) -> dict[str, int]:
    """Return the summed sizes of a group's own projects, without those of subgroups."""
    statistics = [project_statistics(ctx, project) for project in ctx.world.projects.where("namespace", group.id)]
    return _with_total({part: sum(sizes[f"{part}_size"] for sizes in statistics) for part in _PARTS})


def root_statistics(ctx: ReadContext, root: Namespace) -> dict[str, int | bool]:
    """Return the summed sizes of all projects of a top-level namespace, by the names that these figures have there."""
    rows = [project_statistics(ctx, project) for project in namespaces.list_projects_within(ctx.world, root)]
    sums = {part: sum(row[f"{part}_size"] for row in rows) for part in _PARTS}
    return {
        "build_artifacts_size": sums["job_artifacts"],
        "container_registry_size": 0,
        "container_registry_size_is_estimated": False,
        "dependency_proxy_size": 0,
        "lfs_objects_size": sums["lfs_objects"],
        "packages_size": sums["packages"],
        "pipeline_artifacts_size": 0,
        "repository_size": sums["repository"],
        "snippets_size": sums["snippets"],
        "storage_size": sum(sums.values()),
        "uploads_size": 0,
        "wiki_size": sums["wiki"],
    }


def _with_total(parts: Mapping[str, int]) -> dict[str, int]:
    sizes = {f"{part}_size": parts.get(part, 0) for part in _PARTS}
    return {"storage_size": sum(sizes.values()), **sizes}
