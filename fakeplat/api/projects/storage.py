"""What is known of a project's storage: fetches, snapshots, and where it is.

Source: docs/platform/projects.md.
"""

from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.content_disposition import plain_content_disposition
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import fetch_counts, repositories
from fakeplat.domain.wikis import wikis
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("Projects", login=Login.ALWAYS)


@area.operation("GET", "statistics", scope=PROJECT, ability=Ability.READ_DAILY_STATISTICS)
def get_project_statistics(ctx: ReadContext, project: Project) -> dict[str, Any]:
    """Get the numbers of fetches of the last 30 days."""
    counts = fetch_counts.list_recent(ctx, project)
    days = [{"count": counted.count, "date": counted.date} for counted in counts]
    return {"fetches": {"total": sum(counted.count for counted in counts), "days": days}}


class TakeSnapshot(Params):
    """Whether the repository is that of the wiki."""

    wiki: bool = False


@area.operation("GET", "snapshot", scope=PROJECT, ability=Ability.READ_SNAPSHOT, params=TakeSnapshot)
def download_project_snapshot(ctx: ReadContext, project: Project, p: TakeSnapshot) -> RawBody:
    """Download a project's repository as a tar archive of its folder. Administrators only."""
    from fakeplat.git.snapshot import write_snapshot

    git = wikis.open_repository(ctx.world, project) if p.wiki else repositories.open_repository(ctx.world, project)
    headers = (("Content-Disposition", plain_content_disposition("attachment", "snapshot.tar")),)
    return RawBody(write_snapshot(git.objects, git.refs, git.head or ""), "application/x-tar", headers)


@area.operation("GET", "storage", scope=PROJECT, ability=Ability.READ_STORAGE, since="<=14.9")
def get_project_storage(_ctx: ReadContext, project: Project) -> dict[str, Any]:
    """Get where a project's repository is stored. Administrators only."""
    return {
        "project_id": project.id,
        "disk_path": repositories.disk_path(project),
        "created_at": project.created_at,
        "repository_storage": project.repository_storage,
    }


@area.operation("POST", "repository_size", scope=PROJECT, ability=Ability.ADMIN_PROJECT, since="15.0", reads=True)
def create_repository_size(_ctx: ReadContext, _project: Project) -> None:
    """Update the stored size of a repository, which is always up to date here."""
