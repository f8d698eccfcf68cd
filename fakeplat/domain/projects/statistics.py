"""How much projects and groups hold. Source: docs/platform/specification.md ('Group', 'Project')."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain.repository import lfs, repositories
from fakeplat.domain.snippets import snippet_files
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World

_PARTS: Final = ("repository", "wiki", "lfs_objects", "job_artifacts", "packages", "snippets")


def project_statistics(world: World, project: Project) -> dict[str, int]:
    """The commits of the default branch, and sizes in bytes: the whole, then its parts."""
    commits, size = repositories.measure_size(world, project)
    snippets = snippet_files.total_size(world, project)
    return {
        "commit_count": commits,
        **_sizes({"repository": size, "lfs_objects": lfs.total_size(world, project), "snippets": snippets}),
    }


def group_statistics(world: World, group: Namespace) -> dict[str, int]:
    """What the group's own projects hold together, without those of groups below it."""
    found = [project_statistics(world, project) for project in world.projects.where("namespace", group.id)]
    return _sizes({part: sum(one[f"{part}_size"] for one in found) for part in _PARTS})


def _sizes(parts: Mapping[str, int]) -> dict[str, int]:
    each = {f"{part}_size": parts.get(part, 0) for part in _PARTS}
    return {"storage_size": sum(each.values()), **each}
