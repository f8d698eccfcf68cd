"""HTML pages of branches, tags, folders, files, commits and comparisons, at their web URLs.

Source: docs/contract.md ('URLs').
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fakeplat.api.feeds.access import is_feed_requested
from fakeplat.api.feeds.code_feeds import ENDING, get_commits_feed, is_commits_feed
from fakeplat.api.pages import area, get_page, page_not_found, redirect_to, render_html_page
from fakeplat.api.repository import downloads
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories, tags
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities import urls
from fakeplat.entities.repository.branches import BranchView
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.entities.repository.tags import TagView
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext


@area.operation("GET", "*project/-/tree/*place", ours=True)
def get_tree_page(ctx: ReadContext, project: str, place: str) -> RawBody:
    """Show the page of a branch, of another name of a commit, or of a folder."""
    container = _get_project(ctx, project)
    ref, path = commits.split_place(ctx.world, container, place.rstrip("/"))
    if path:
        return _render_entry_page(ctx, container, ref, path, "tree")
    sha = repositories.open_repository(ctx.world, container).refs.get(BRANCHES + ref)
    if sha is None:
        return _render_commit_page(ctx, container, ref)
    fields = BranchView(Branch(container.id, ref, sha), ctx).values()
    return _render_page(ctx, container, "Branch", fields, f"branches/{quote(ref, safe='')}")


@area.operation("GET", "*project/-/blob/*place", ours=True)
def get_file_page(ctx: ReadContext, project: str, place: str) -> RawBody:
    """Show the page of a file on a branch or tag, or of a commit."""
    container = _get_project(ctx, project)
    ref, path = commits.split_place(ctx.world, container, place)
    return _render_entry_page(ctx, container, ref, path, "blob")


def _render_entry_page(ctx: ReadContext, project: Project, ref: str, path: str, kind: str) -> RawBody:
    """Return the page of a file ("blob") or folder ("tree")."""
    commit = _get_commit(ctx, project, ref)
    git = repositories.open_repository(ctx.world, project)
    entry = git.entry(commit.commit.sha, path) if path else None
    if entry is None or entry.kind != kind:
        raise _not_found(ctx, path)
    url = f"{urls.project_url(ctx, project)}/-/{kind}/{quote(ref)}/{quote(path)}"
    fields: dict[str, object] = {"name": path, "ref": ref, "id": entry.sha, "web_url": url}
    if kind == "tree":
        return _render_page(ctx, project, "Folder", fields, f"tree?{urlencode({'path': path, 'ref': ref})}")
    fields["size"] = len(git.objects.blob(entry.sha))
    return _render_page(ctx, project, "File", fields, f"files/{quote(path, safe='')}?{urlencode({'ref': ref})}")


@area.operation("GET", "*project/-/tags/*name", ours=True)
def get_tag_page(ctx: ReadContext, project: str, name: str) -> RawBody:
    """Show the page of a tag."""
    container = _get_project(ctx, project)
    if TAGS + name not in repositories.open_repository(ctx.world, container).refs:
        raise _not_found(ctx, name)
    fields = TagView(tags.get_tag(ctx.world, container, name), ctx).values()
    fields["web_url"] = f"{urls.project_url(ctx, container)}/-/tags/{quote(name)}"
    return _render_page(ctx, container, "Tag", fields, f"tags/{quote(name, safe='')}")


@area.operation("GET", "*project/-/commits/*place", ours=True)
def get_commits_page(ctx: ReadContext, project: str, place: str) -> RawBody:
    """Show the page of the commits of a branch, tag or commit, or of those that changed a path, or their feed."""
    if is_feed_requested(ctx) or is_commits_feed(ctx, project, place):
        return get_commits_feed(ctx, project, place if is_feed_requested(ctx) else place.removesuffix(ENDING))
    container = _get_project(ctx, project)
    ref, path = commits.split_place(ctx.world, container, place)
    commit = _get_commit(ctx, container, ref)
    url = f"{urls.project_url(ctx, container)}/-/commits/{quote(place)}"
    fields = {"name": place, "id": commit.commit.sha, "web_url": url}
    query = urlencode({"ref_name": ref, "path": path} if path else {"ref_name": ref})
    return _render_page(ctx, container, "Commits", fields, f"commits?{query}")


@area.operation("GET", "*project/-/compare/*range", ours=True)
def get_comparison_page(ctx: ReadContext, project: str, range: str) -> RawBody:
    """Show the page of a comparison: ``v1.0...master``, or with two dots to compare the files directly."""
    container = _get_project(ctx, project)
    before, straight, after = split_comparison(range)
    fields: Mapping[str, Any] = {
        "name": range,
        "from": _get_commit(ctx, container, before).commit.sha,
        "to": _get_commit(ctx, container, after).commit.sha,
        "web_url": f"{urls.project_url(ctx, container)}/-/compare/{quote(range)}",
    }
    query = urlencode({"from": before, "to": after, "straight": str(straight).lower()})
    return _render_page(ctx, container, "Comparison", dict(fields), f"compare?{query}")


def split_comparison(text: str) -> tuple[str, bool, str]:
    """Split ``a...b`` and ``a..b`` into the older name, whether the two are compared directly, and the newer name."""
    dots = "..." if "..." in text else ".."
    before, _, after = text.partition(dots)
    return before, dots == "..", after


# The platform reserves the name: no group or project is called ``commits``.
@area.operation("GET", "*project/commits/*place", also=(302,), ours=True)
def get_commits_page_at_older_address(ctx: ReadContext, project: str, place: str) -> RawBody:
    """Get redirected to the page of commits from its older address."""
    return _redirect_older_address(ctx, project, "commits", place)


# Only one segment: the rest may be the address of a repository in a group named ``compare``.
@area.operation("GET", "*project/compare/:range", also=(302,), ours=True)
def get_comparison_page_at_older_address(ctx: ReadContext, project: str, range: str) -> RawBody:
    """Get redirected to the page of a comparison from its older address."""
    return _redirect_older_address(ctx, project, "compare", range)


def _redirect_older_address(ctx: ReadContext, project: str, page: str, rest: str) -> RawBody:
    # The path may also belong to a project in a group named as the page.
    if namespaces.find_project_by_path(ctx.world, project) is None:
        return get_page(ctx, f"{project}/{page}/{rest}")
    # A client may send bytes that are no UTF-8.
    return redirect_to(f"{ctx.origin}/{quote(project)}/-/{page}/{quote(rest, errors='surrogateescape')}")


def _get_project(ctx: ReadContext, path: str) -> Project:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can(ctx, Ability.DOWNLOAD_CODE, project):
        raise _not_found(ctx, path)
    return project


def _get_commit(ctx: ReadContext, project: Project, revision: str) -> ProjectCommit:
    commit = commits.find_commit(ctx.world, project, revision)
    if commit is None:
        raise _not_found(ctx, revision)
    return commit


def _render_commit_page(ctx: ReadContext, project: Project, revision: str) -> RawBody:
    commit = _get_commit(ctx, project, revision)
    return _render_page(ctx, project, "Commit", CommitBasic(commit, ctx).values(), f"commits/{commit.commit.sha}")


def _render_page(ctx: ReadContext, project: Project, kind: str, fields: Mapping[str, object], path: str) -> RawBody:
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
