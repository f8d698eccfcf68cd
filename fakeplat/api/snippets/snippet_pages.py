"""HTML pages and raw files of snippets, at their web URLs. Source: docs/contract.md ('URLs')."""

from fakeplat.api.pages import area, get_page, page_not_found, render_html_page
from fakeplat.api.snippets import snippets as operations
from fakeplat.core.operations.errors import NotFound, RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces
from fakeplat.domain.snippets import snippet_access, snippet_files
from fakeplat.entities import urls
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.snippets import Snippet
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext


def _get_snippet(ctx: ReadContext, project: str, id_: str) -> Snippet:
    """Return a snippet of a project (a personal one if empty) that the caller sees, or 404."""
    snippet = ctx.world.snippets.get(parse_number(id_) or 0)
    container = namespaces.find_project_by_path(ctx.world, project) if project else None
    # The project id of personal snippets is None. An unknown project must not find them.
    is_there = (
        snippet is not None
        and snippet.project_id == (container.id if container else None)
        and bool(container) == bool(project)
    )
    if snippet is None or not is_there or not snippet_access.is_visible(ctx, snippet):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no snippet {id_}" + (f" in {project}" if project else ""))
    return snippet


def _render_page(ctx: ReadContext, snippet: Snippet) -> RawBody:
    prefix = "" if snippet.project_id is None else f"projects/{snippet.project_id}/"
    api_url = urls.api_url(ctx, f"{prefix}snippets/{snippet.id}")
    return render_html_page("Snippet", SnippetView(snippet, ctx).values(), api_url)


def _render_raw(ctx: ReadContext, snippet: Snippet, ref: str, path: str) -> RawBody:
    try:
        return operations.render_snippet_file(path, snippet_files.read_file(ctx.world, snippet, ref, path))
    except NotFound as refusal:
        raise RouteNotFound(reason=refusal.why) from None


@area.operation("GET", "-/snippets/:id", ours=True)
def get_snippet_page(ctx: ReadContext, id: str) -> RawBody:
    """Show the page of a personal snippet."""
    return _render_page(ctx, _get_snippet(ctx, "", id))


@area.operation("GET", "*project/-/snippets/:id", ours=True)
def get_project_snippet_page(ctx: ReadContext, project: str, id: str) -> RawBody:
    """Show the page of a project snippet."""
    return _render_page(ctx, _get_snippet(ctx, project, id))


@area.operation("GET", "snippets/:id", ours=True)
def get_snippet_repository_page(ctx: ReadContext, id: str) -> RawBody:
    """Show the page of a personal snippet at its clone address and its older address."""
    return _render_page(ctx, _get_snippet(ctx, "", id.removesuffix(".git")))


@area.operation("GET", "*project/snippets/:id", ours=True)
def get_project_snippet_repository_page(ctx: ReadContext, project: str, id: str) -> RawBody:
    """Show the page of a project snippet at its clone address."""
    # The path may also belong to a project in a group named ``snippets``; its page has a catch-all route.
    if namespaces.find_project_by_path(ctx.world, project) is None:
        return get_page(ctx, f"{project}/snippets/{id}")
    return _render_page(ctx, _get_snippet(ctx, project, id.removesuffix(".git")))


@area.operation("GET", "-/snippets/:id/raw", ours=True, produces="text/plain")
def get_snippet_raw_page(ctx: ReadContext, id: str) -> RawBody:
    """Download the first file of a personal snippet."""
    return operations.render_snippet_file(*snippet_files.first_path(ctx.world, _get_snippet(ctx, "", id)))


@area.operation("GET", "*project/-/snippets/:id/raw", ours=True, produces="text/plain")
def get_project_snippet_raw_page(ctx: ReadContext, project: str, id: str) -> RawBody:
    """Download the first file of a project snippet."""
    return operations.render_snippet_file(*snippet_files.first_path(ctx.world, _get_snippet(ctx, project, id)))


@area.operation("GET", "-/snippets/:id/raw/:ref/*path", ours=True, produces="text/plain")
def get_snippet_file_page(ctx: ReadContext, id: str, ref: str, path: str) -> RawBody:
    """Download a file of a personal snippet."""
    return _render_raw(ctx, _get_snippet(ctx, "", id), ref, path)


@area.operation("GET", "*project/-/snippets/:id/raw/:ref/*path", ours=True, produces="text/plain")
def get_project_snippet_file_page(ctx: ReadContext, project: str, id: str, ref: str, path: str) -> RawBody:
    """Download a file of a project snippet."""
    return _render_raw(ctx, _get_snippet(ctx, project, id), ref, path)
