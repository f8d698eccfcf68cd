"""The HTML page of a commit, at its `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api import downloads
from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.entities import urls
from fakeplat.entities.commits import CommitBasic
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext


@area.operation("GET", "*project/-/commit/:sha", also=(302,), ours=True)
def get_commit_page(ctx: ReadContext, project: str, sha: str) -> RawBody:
    """Show the page of a commit, or its change with ``.patch`` or ``.diff`` behind the hash."""
    hash_, suffix = downloads.split_form(sha)
    if suffix:
        return downloads.commit_change(ctx, project, hash_, suffix)
    container = namespaces.find_project_by_path(ctx.world, project)
    visible = container is not None and can_see(ctx, container) and can(ctx, Ability.DOWNLOAD_CODE, container)
    commit = commits.find_commit(ctx.world, container, sha) if container is not None and visible else None
    if commit is None:
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no commit {sha} in {project}")
    api_url = urls.api_url(ctx, f"projects/{commit.project.id}/repository/commits/{commit.commit.sha}")
    return html_page("Commit", CommitBasic(commit, ctx).values(), api_url)
