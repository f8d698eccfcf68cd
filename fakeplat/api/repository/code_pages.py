"""HTML pages of branches, tags and files, at their web URLs. Source: docs/contract.md ('URLs')."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fakeplat.api.pages import area, page_not_found, render_html_page
from fakeplat.api.repository import downloads
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.entities import urls
from fakeplat.entities.repository.branches import BranchView
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext


@area.operation("GET", "*project/-/tree/*ref", ours=True)
def get_tree_page(ctx: ReadContext, project: str, ref: str) -> RawBody:
    """Show the page of a branch, or of another name of a commit."""
    container = _find_project(ctx, project)
    sha = repositories.open_repository(ctx.world, container).refs.get(BRANCHES + ref)
    if sha is None:
        return _render_commit_page(ctx, container, ref)
    fields = BranchView(Branch(container.id, ref, sha), ctx).values()
    return _render_page(ctx, container, "Branch", fields, f"branches/{quote(ref, safe='')}")


@area.operation("GET", "*project/-/blob/*path", ours=True)
def get_file_page(ctx: ReadContext, project: str, path: str) -> RawBody:
    """Show the page of a file on a branch or tag."""
    container = _find_project(ctx, project)
    git = repositories.open_repository(ctx.world, container)
    # The shortest matching ref wins. Git allows no branch ``a`` beside a branch ``a/b``, so other matches are rare.
    for ref, file in _iterate_ref_splits(path):
        is_ref = BRANCHES + ref in git.refs or TAGS + ref in git.refs
        entry = git.entry(ref, file) if is_ref else None
        if entry is not None and entry.kind == "blob":
            fields = {"name": file, "ref": ref, "blob_id": entry.sha, "size": len(git.objects.blob(entry.sha))}
            return _render_page(
                ctx, container, "File", fields, f"files/{quote(file, safe='')}?ref={quote(ref, safe='')}"
            )
    raise _not_found(ctx, path)


def _iterate_ref_splits(path: str) -> Iterator[tuple[str, str]]:
    """Yield each split of a path into a ref and a file: ref names may contain slashes too."""
    parts = path.split("/")
    # Neither part may be empty: ``a/b/c`` is split into ``a`` and ``b/c``, then into ``a/b`` and ``c``.
    return (("/".join(parts[:count]), "/".join(parts[count:])) for count in range(1, len(parts)))


def _find_project(ctx: ReadContext, path: str) -> Project:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can(ctx, Ability.DOWNLOAD_CODE, project):
        raise _not_found(ctx, path)
    return project


def _render_commit_page(ctx: ReadContext, project: Project, revision: str) -> RawBody:
    commit = commits.find_commit(ctx.world, project, revision)
    if commit is None:
        raise _not_found(ctx, revision)
    return _render_page(ctx, project, "Commit", CommitBasic(commit, ctx).values(), f"commits/{commit.commit.sha}")


def _render_page(ctx: ReadContext, project: Project, kind: str, fields: dict[str, Any], path: str) -> RawBody:
    return render_html_page(kind, fields, urls.api_url(ctx, f"projects/{project.id}/repository/{path}"))


def _not_found(ctx: ReadContext, path: str) -> RouteNotFound:
    return page_not_found(ctx, f"{caller_name(ctx)} finds no page at {path!r}")


@area.operation("GET", "*project/-/commit/:sha", also=(302,), ours=True)
def get_commit_page(ctx: ReadContext, project: str, sha: str) -> RawBody:
    """Show the page of a commit, or its change with ``.patch`` or ``.diff`` behind the hash."""
    hash_, suffix = downloads.split_change_suffix(sha)
    if suffix:
        return downloads.download_commit_change(ctx, project, hash_, suffix)
    container = namespaces.find_project_by_path(ctx.world, project)
    visible = container is not None and can_see(ctx, container) and can(ctx, Ability.DOWNLOAD_CODE, container)
    commit = commits.find_commit(ctx.world, container, sha) if container is not None and visible else None
    if commit is None:
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no commit {sha} in {project}")
    api_url = urls.api_url(ctx, f"projects/{commit.project.id}/repository/commits/{commit.commit.sha}")
    return render_html_page("Commit", CommitBasic(commit, ctx).values(), api_url)
