"""The small page of a commit, at its `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api import downloads
from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.entities import urls
from fakeplat.entities.commits import CommitBasic
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, can, sees


@area.operation("GET", "*project/-/commit/:sha", also=(302,), ours=True)
def get_commit_page(cx: Context, project: str, sha: str) -> Raw:
    """Show the page of a commit, or its change with ``.patch`` or ``.diff`` behind the hash."""
    hash_, form = downloads.split_form(sha)
    if form:
        return downloads.commit_change(cx, project, hash_, form)
    place = namespaces.project_at(cx.world, project)
    visible = place is not None and sees(cx, place) and can(cx, May.DOWNLOAD_CODE, place)
    found = commits.find(cx.world, place, sha) if place is not None and visible else None
    if found is None:
        raise RouteNotFound(reason=f"{caller(cx)} sees no commit {sha} in {project}")
    api = urls.api(cx, f"projects/{found.project.id}/repository/commits/{found.commit.sha}")
    return html_page("Commit", CommitBasic(found, cx).values(), api)
