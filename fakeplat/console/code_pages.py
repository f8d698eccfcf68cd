"""Pages of code: folders and files at a ref, lists of commits, and comparisons."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from fakeplat.api.repository.code_pages import split_comparison
from fakeplat.console import diffs
from fakeplat.console.cells import Cell, Table
from fakeplat.console.file_contents import describe_content, describe_readme
from fakeplat.console.graphs import draw_commits
from fakeplat.console.lists import make_page, make_table
from fakeplat.console.lookup import container_page, find_container, find_record, list_above
from fakeplat.console.pages import ConsoleRequest, Page, PageError, page
from fakeplat.console.record_pages import show_record
from fakeplat.console.rendering import render
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import Response
from fakeplat.domain.markup.relative_links import FilePlace
from fakeplat.domain.repository import commits, comparison, lfs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS

if TYPE_CHECKING:
    from fakeplat.git.records import Entry
    from fakeplat.git.repository import Repository as Git

_MOST_COMMITS: Final = 200
_HEADINGS: Final = ("Name", "Size")
_ORDER: Final = ("tree", "blob", "commit")
"""Folders come first, then files, then submodules."""


class _Place(NamedTuple):
    """A path at a ref of a project's repository."""

    call: ConsoleRequest
    project: Project
    ref: str
    path: str
    commit: ProjectCommit

    @property
    def git(self) -> "Git":
        """The repository."""
        return repositories.open_repository(self.call.view.world, self.project)

    @property
    def name(self) -> str:
        """The last part of the path; the ref at the root."""
        return self.path.rpartition("/")[2] or self.ref

    @property
    def kind_of_ref(self) -> str:
        """What the ref is."""
        refs = self.git.refs
        return "Branch" if BRANCHES + self.ref in refs else "Tag" if TAGS + self.ref in refs else "Commit"

    @property
    def commit_page(self) -> str:
        """The page of the commit."""
        return f"{container_page(self.call.view, self.project)}/-/commit/{self.commit.commit.sha}"

    def url(self, kind: str, path: str) -> str:
        """Return the page of a path at the same ref: of a "tree", "blob" or "raw" file, or of its "commits"."""
        base = container_page(self.call.view, self.project)
        # Git's paths are bytes; those that are not UTF-8 are kept as surrogates.
        place = quote(f"{self.ref}/{path}".removesuffix("/"), errors="surrogateescape")
        return f"{base}/-/{kind}/{place}"

    def list_above(self) -> list[Cell]:
        """Return links to the groups, to the project, and below a ref to the folders that the path is in."""
        folders = self.path.split("/")[:-1]
        paths = ["/".join(folders[:count]) for count in range(len(folders) + 1)] if self.path else []
        return [
            *list_above(self.call.view, self.project),
            *(Cell(path.rpartition("/")[2] or self.ref, "text", self.url("tree", path)) for path in paths),
        ]

    def render(self, template: str, **values: object) -> Response:
        """Render a page about the place."""
        return render(self.call, template, 200, above=self.list_above(), place=self, **values)


def _get_place(call: ConsoleRequest, container: str, place: str) -> _Place:
    project = _get_project(call, container)
    ref, path = commits.split_place(call.view.world, project, place.strip("/"))
    return _Place(call, project, ref, path, _get_commit(call, project, ref))


def _get_project(call: ConsoleRequest, path: str) -> Project:
    project = find_container(call.view.world, path)
    if not isinstance(project, Project):
        raise PageError(404, f"there is no project {path}")
    return project


def _get_commit(call: ConsoleRequest, project: Project, revision: str) -> ProjectCommit:
    commit = commits.find_commit(call.view.world, project, revision)
    if commit is None:
        raise PageError(404, commits.no_commit_reason(call.view.world, project, revision))
    return commit


@page("GET", "/_fakeplat/at/*container/-/tree/*place")
def show_folder(call: ConsoleRequest, container: str, place: str) -> Response:
    """Show the files of a folder at a ref, and its README."""
    at = _get_place(call, container, place)
    entry = at.git.entry(at.commit.commit.sha, at.path) if at.path else None
    if at.path and (entry is None or entry.kind != "tree"):
        raise _no_entry(at, "folder")
    table = _list_entries(at)
    return at.render("folder.html", table=table, documents=describe_readme(call.view, at.project, at.ref, at.path))


def _no_entry(at: _Place, word: str) -> PageError:
    return PageError(404, f"there is no {word} {at.path!r} at {at.ref}")


def _list_entries(at: _Place) -> Table:
    entries = sorted(at.git.tree(at.commit.commit.sha, at.path), key=lambda entry: _ORDER.index(entry.kind))
    rows = [_describe_entry(at, entry) for entry in entries]
    return Table("Files", _HEADINGS, rows, len(rows))


def _describe_entry(at: _Place, entry: "Entry") -> Sequence[Cell]:
    path = f"{at.path}/{entry.name}".lstrip("/")
    if entry.kind == "tree":
        return Cell(f"{entry.name}/", "mono", at.url("tree", path)), Cell("–")
    if entry.kind == "commit":
        return Cell(f"{entry.name} @ {entry.sha[:8]}", "mono"), Cell("submodule")
    return Cell(entry.name, "mono", at.url("blob", path)), Cell(_size(len(at.git.objects.blob(entry.sha))))


def _size(size: int) -> str:
    return f"{size:,} bytes" if size != 1 else "1 byte"


@page("GET", "/_fakeplat/at/*container/-/blob/*place")
def show_file(call: ConsoleRequest, container: str, place: str) -> Response:
    """Show a file at a ref."""
    at = _get_place(call, container, place)
    entry = at.git.entry(at.commit.commit.sha, at.path) if at.path else None
    if entry is None or entry.kind != "blob":
        raise _no_entry(at, "file")
    content = lfs.resolve_pointer(call.view.world, at.project, at.git.objects.blob(entry.sha))
    folder, raw = FilePlace(at.ref, at.path.rpartition("/")[0]), at.url("raw", at.path)
    file = describe_content(call.view, at.project, folder, at.name, raw, content)
    return at.render("file.html", file=file, size=_size(file.size))


@page("GET", "/_fakeplat/at/*container/-/commits/*place")
def show_commits(call: ConsoleRequest, container: str, place: str) -> Response:
    """Show the commits of a ref, or those that changed a path."""
    at = _get_place(call, container, place)
    rows = commits.list_commits(call.view.context, at.project, commits.CommitFilter(at.ref, path=at.path))
    table, paging = make_page(call, f"Commits of {at.name}", rows, CommitBasic, newest_first=True)
    return at.render("list.html", table=table, paging=paging, query=None, filters={}, kept={})


@page("GET", "/_fakeplat/at/*container/-/network/*ref")
def show_network(call: ConsoleRequest, container: str, ref: str) -> Response:
    """Show the graph of the commits of all branches and tags; like the platform's, its address names a ref."""
    from fakeplat.git.walk import Selection, walk_topologically

    project = _get_project(call, container)
    _get_commit(call, project, ref)
    git = repositories.open_repository(call.view.world, project)
    refs: dict[str, list[str]] = {}
    for name in sorted(git.refs):
        if name.startswith((BRANCHES, TAGS)):
            refs.setdefault(git.commit(name).sha, []).append(name.removeprefix(BRANCHES).removeprefix(TAGS))
    walked = list(islice(walk_topologically(git.objects, Selection(tuple(refs)), dated=True), _MOST_COMMITS + 1))
    graph = draw_commits(walked[:_MOST_COMMITS], refs, is_cut=len(walked) > _MOST_COMMITS)
    above, address = list_above(call.view, project), container_page(call.view, project)
    return render(call, "network.html", above=[*above], graph=graph, project_page=address)


@page("GET", "/_fakeplat/at/*container/-/compare/*range")
def show_comparison(call: ConsoleRequest, container: str, range: str) -> Response:
    """Show the commits and changes between two refs."""
    project, (before, straight, after) = _get_project(call, container), split_comparison(range)
    try:
        compared = comparison.compare(call.view.world, project, before, after, straight=straight)
    except NotFound as refusal:
        raise PageError(404, refusal.explain()) from None
    table = make_table(call.view, "Commits", compared.commits[::-1], CommitBasic)
    files, above = diffs.describe_files(compared.diffs), list_above(call.view, project)
    return render(call, "comparison.html", above=above, before=before, after=after, table=table, files=files)


@page("GET", "/_fakeplat/at/*container/commits/*place")
def show_commits_at_older_address(call: ConsoleRequest, container: str, place: str) -> Page:
    """Show commits at their older address, unless that is the path of a record."""
    record = _find_record(call, f"{container}/commits/{place}")
    return record or show_commits(call, container, place)


@page("GET", "/_fakeplat/at/*container/compare/*range")
def show_comparison_at_older_address(call: ConsoleRequest, container: str, range: str) -> Page:
    """Show a comparison at its older address, unless that is the path of a record."""
    record = _find_record(call, f"{container}/compare/{range}")
    return record or show_comparison(call, container, range)


def _find_record(call: ConsoleRequest, path: str) -> Page | None:
    return show_record(call, path) if find_record(call.view.world, path) is not None else None
