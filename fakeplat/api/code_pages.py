"""The small pages of branches, tags and files, to which their addresses lead. Source: docs/contract.md ('URLs')."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.entities import urls
from fakeplat.entities.branches import BranchView
from fakeplat.entities.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, can


@area.operation("GET", "*project/-/tree/*ref", ours=True)
def get_tree_page(cx: Context, project: str, ref: str) -> Raw:
    """Show the page of a branch, or of another name of a commit."""
    found = _project(cx, project)
    sha = repositories.opened(cx.world, found).refs.get(BRANCHES + ref)
    if sha is None:
        return _commit_page(cx, found, ref)
    fields = BranchView(Branch(found.id, ref, sha), cx).values()
    return _page(cx, found, "Branch", fields, f"branches/{quote(ref, safe='')}")


@area.operation("GET", "*project/-/blob/*path", ours=True)
def get_file_page(cx: Context, project: str, path: str) -> Raw:
    """Show the page of a file on a branch or tag."""
    found = _project(cx, project)
    git = repositories.opened(cx.world, found)
    for ref, file in _parted(path):
        known = BRANCHES + ref in git.refs or TAGS + ref in git.refs
        entry = git.entry(ref, file) if known else None
        if entry is not None and entry.kind == "blob":
            fields = {"name": file, "ref": ref, "blob_id": entry.sha, "size": len(git.objects.blob(entry.sha))}
            return _page(cx, found, "File", fields, f"files/{quote(file, safe='')}?ref={quote(ref, safe='')}")
    raise _nothing(cx, path)


def _parted(path: str) -> Iterator[tuple[str, str]]:
    """A name of a branch may hold slashes as a path does."""
    parts = path.split("/")
    return (("/".join(parts[:at]), "/".join(parts[at:])) for at in range(1, len(parts)))


def _project(cx: Context, path: str) -> Project:
    found = namespaces.project_at(cx.world, path)
    if found is None or not can(cx, May.DOWNLOAD_CODE, found):
        raise _nothing(cx, path)
    return found


def _commit_page(cx: Context, project: Project, revision: str) -> Raw:
    found = commits.find(cx.world, project, revision)
    if found is None:
        raise _nothing(cx, revision)
    return _page(cx, project, "Commit", CommitBasic(found, cx).values(), f"commits/{found.commit.sha}")


def _page(cx: Context, project: Project, kind: str, fields: dict[str, Any], path: str) -> Raw:
    return html_page(kind, fields, urls.api(cx, f"projects/{project.id}/repository/{path}"))


def _nothing(cx: Context, what: str) -> RouteNotFound:
    return RouteNotFound(reason=f"{caller(cx)} sees nothing at {what!r}")
