"""The small pages of branches, tags and files, to which their addresses lead. Source: docs/contract.md ('URLs')."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.entities import urls
from fakeplat.entities.branches import BranchView
from fakeplat.entities.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext


@area.operation("GET", "*project/-/tree/*ref", ours=True)
def get_tree_page(ctx: ReadContext, project: str, ref: str) -> RawBody:
    """Show the page of a branch, or of another name of a commit."""
    found = _project(ctx, project)
    sha = repositories.open_repository(ctx.world, found).refs.get(BRANCHES + ref)
    if sha is None:
        return _commit_page(ctx, found, ref)
    fields = BranchView(Branch(found.id, ref, sha), ctx).values()
    return _page(ctx, found, "Branch", fields, f"branches/{quote(ref, safe='')}")


@area.operation("GET", "*project/-/blob/*path", ours=True)
def get_file_page(ctx: ReadContext, project: str, path: str) -> RawBody:
    """Show the page of a file on a branch or tag."""
    found = _project(ctx, project)
    git = repositories.open_repository(ctx.world, found)
    for ref, file in _parted(path):
        known = BRANCHES + ref in git.refs or TAGS + ref in git.refs
        entry = git.entry(ref, file) if known else None
        if entry is not None and entry.kind == "blob":
            fields = {"name": file, "ref": ref, "blob_id": entry.sha, "size": len(git.objects.blob(entry.sha))}
            return _page(ctx, found, "File", fields, f"files/{quote(file, safe='')}?ref={quote(ref, safe='')}")
    raise _nothing(ctx, path)


def _parted(path: str) -> Iterator[tuple[str, str]]:
    """A name of a branch may hold slashes as a path does."""
    parts = path.split("/")
    return (("/".join(parts[:at]), "/".join(parts[at:])) for at in range(1, len(parts)))


def _project(ctx: ReadContext, path: str) -> Project:
    found = namespaces.find_project_by_path(ctx.world, path)
    if found is None or not can(ctx, Ability.DOWNLOAD_CODE, found):
        raise _nothing(ctx, path)
    return found


def _commit_page(ctx: ReadContext, project: Project, revision: str) -> RawBody:
    found = commits.find_commit(ctx.world, project, revision)
    if found is None:
        raise _nothing(ctx, revision)
    return _page(ctx, project, "Commit", CommitBasic(found, ctx).values(), f"commits/{found.commit.sha}")


def _page(ctx: ReadContext, project: Project, kind: str, fields: dict[str, Any], path: str) -> RawBody:
    return html_page(kind, fields, urls.api_url(ctx, f"projects/{project.id}/repository/{path}"))


def _nothing(ctx: ReadContext, what: str) -> RouteNotFound:
    return RouteNotFound(reason=f"{caller_name(ctx)} sees nothing at {what!r}")
