"""Stars of users for dashboards of metrics. Source: docs/platform/metrics-dashboards.md."""

from typing import Final

from fakeplat.domain.purging import purge
from fakeplat.domain.repository import repositories
from fakeplat.model.people import User
from fakeplat.model.projects import DashboardStar, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_FOLDER: Final = ".gitlab/dashboards"
_PREDEFINED: Final = ("config/prometheus/common_metrics.yml", "config/prometheus/pod_metrics.yml")


def is_dashboard(world: World, project: Project | None, path: str) -> bool:
    """Return whether a path is that of a dashboard: one of every project, or a file of the default branch."""
    return path in _PREDEFINED or (project is not None and path in _list_files(world, project))


def _list_files(world: World, project: Project) -> list[str]:
    git, branch = repositories.open_repository(world, project), project.default_branch or ""
    folder = git.entry(branch, _FOLDER) if git.find_branch(branch) else None
    if folder is None or folder.kind != "tree":
        return []
    files = [entry.name for entry in git.tree(branch, _FOLDER) if entry.kind == "blob"]
    return [f"{_FOLDER}/{name}" for name in files if name.endswith(".yml")]


def find_star(world: World, project: Project, user: User, path: str) -> DashboardStar | None:
    """Return a user's star for a dashboard; None without one."""
    return world.dashboard_stars.find("place", (project.id, user.id, path))


def add_star(ctx: WriteContext, project: Project, user: User, path: str) -> DashboardStar:
    """Star a dashboard that the user has not starred."""
    table = ctx.world.dashboard_stars
    return table.add(DashboardStar(table.next_id(), project.id, user.id, path))


def remove_stars(ctx: WriteContext, project: Project, user: User, path: str | None) -> int:
    """Remove a user's star for a dashboard, or without a path all of the project, and return how many there were."""
    stars = ctx.world.dashboard_stars.where("own", (project.id, user.id))
    removed = [star for star in stars if path in (None, star.dashboard_path)]
    purge(ctx, *removed)
    return len(removed)
