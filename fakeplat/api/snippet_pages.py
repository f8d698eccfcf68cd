"""The small pages and raw files of snippets, to which their addresses lead. Source: docs/contract.md ('URLs')."""

from fakeplat.api import snippets as operations
from fakeplat.api.pages import area, get_page, html_page
from fakeplat.core.operations.errors import NotFound, RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.store.ids import number_of
from fakeplat.domain.people import namespaces
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.entities import urls
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller


def _at(cx: Context, project: str, id_: str) -> Snippet:
    """The snippet of a project (empty: a personal one) that the caller sees."""
    found = cx.world.snippets.get(number_of(id_) or 0)
    place = namespaces.project_at(cx.world, project) if project else None
    there = found is not None and found.project_id == (place.id if place else None) and bool(place) == bool(project)
    if found is None or not there or not snippets.sees(cx, found):
        raise RouteNotFound(reason=f"{caller(cx)} sees no snippet {id_}" + (f" in {project}" if project else ""))
    return found


def _page(cx: Context, snippet: Snippet) -> Raw:
    below = "" if snippet.project_id is None else f"projects/{snippet.project_id}/"
    api = urls.api(cx, f"{below}snippets/{snippet.id}")
    return html_page("Snippet", SnippetView(snippet, cx).values(), api)


def _raw(cx: Context, snippet: Snippet, ref: str, path: str) -> Raw:
    try:
        return operations.file(path, snippet_files.at(cx.world, snippet, ref, path))
    except NotFound as missing:
        raise RouteNotFound(reason=missing.why) from None


@area.operation("GET", "-/snippets/:id", ours=True)
def get_snippet_page(cx: Context, id: str) -> Raw:
    """Show the page of a personal snippet."""
    return _page(cx, _at(cx, "", id))


@area.operation("GET", "*project/-/snippets/:id", ours=True)
def get_project_snippet_page(cx: Context, project: str, id: str) -> Raw:
    """Show the page of a project snippet."""
    return _page(cx, _at(cx, project, id))


@area.operation("GET", "snippets/:id", ours=True)
def get_snippet_repository_page(cx: Context, id: str) -> Raw:
    """Show the page of a personal snippet at its clone address and its older address."""
    return _page(cx, _at(cx, "", id.removesuffix(".git")))


@area.operation("GET", "*project/snippets/:id", ours=True)
def get_project_snippet_repository_page(cx: Context, project: str, id: str) -> Raw:
    """Show the page of a project snippet at its clone address."""
    if namespaces.project_at(cx.world, project) is None:
        return get_page(cx, f"{project}/snippets/{id}")
    return _page(cx, _at(cx, project, id.removesuffix(".git")))


@area.operation("GET", "-/snippets/:id/raw", ours=True)
def get_snippet_raw_page(cx: Context, id: str) -> Raw:
    """Download the first file of a personal snippet."""
    return operations.file(*snippet_files.first(cx.world, _at(cx, "", id)))


@area.operation("GET", "*project/-/snippets/:id/raw", ours=True)
def get_project_snippet_raw_page(cx: Context, project: str, id: str) -> Raw:
    """Download the first file of a project snippet."""
    return operations.file(*snippet_files.first(cx.world, _at(cx, project, id)))


@area.operation("GET", "-/snippets/:id/raw/:ref/*path", ours=True)
def get_snippet_file_page(cx: Context, id: str, ref: str, path: str) -> Raw:
    """Download a file of a personal snippet."""
    return _raw(cx, _at(cx, "", id), ref, path)


@area.operation("GET", "*project/-/snippets/:id/raw/:ref/*path", ours=True)
def get_project_snippet_file_page(cx: Context, project: str, id: str, ref: str, path: str) -> Raw:
    """Download a file of a project snippet."""
    return _raw(cx, _at(cx, project, id), ref, path)
