"""The links to merge requests that a push prints. Source: docs/platform/git-over-http.md ('Merge request links')."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from fakeplat.domain.people.namespaces import project_path
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import ReadContext

_NEW: Final = "To create a merge request for {branch}, visit:"
_EXISTING: Final = "View merge request for {branch}:"


def list_links(ctx: ReadContext, project: Project, refs: Iterable[str]) -> list[str]:
    """Return a message for each pushed branch but the default one, with its merge request or how to create one."""
    if not project.printing_merge_request_link_enabled or project.merge_requests_access_level == "disabled":
        return []
    branches = (ref.removeprefix(BRANCHES) for ref in refs if ref.startswith(BRANCHES))
    links = [link for branch in branches if branch != project.default_branch for link in _link(ctx, project, branch)]
    # An empty line precedes the first message and follows each of them.
    return ["", *links] if links else []


def _link(ctx: ReadContext, project: Project, branch: str) -> Iterator[str]:
    world = ctx.world
    opened = list(world.merge_requests.where("open_from", (project.id, branch)))
    if opened:
        target = world.projects[opened[-1].project_id]
        yield _EXISTING.format(branch=branch)
        page = f"merge_requests/{opened[-1].iid}"
    else:
        target = project
        yield _NEW.format(branch=branch)
        page = f"merge_requests/new?{quote('merge_request[source_branch]')}={quote(branch, safe='')}"
    yield f"  {ctx.origin}/{project_path(world, target)}/-/{page}"
    yield ""
