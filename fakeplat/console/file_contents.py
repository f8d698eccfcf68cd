"""What a page shows of a file: rendered Markdown, an image, numbered lines, or only its size."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from fakeplat.console.cells import page_url
from fakeplat.console.lookup import container_page
from fakeplat.console.texts import Text, render_text
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.markup.relative_links import FilePlace
from fakeplat.domain.repository import commits, readme_and_license, repositories
from fakeplat.domain.snippets import snippet_files
from fakeplat.domain.uploads import is_image
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.workbench.inspection import WorldView

_MARKDOWN: Final = (".md", ".mkd", ".mkdn", ".mdwn", ".markdown")
_MAX_LINES: Final = 5_000
# Git's own test: content with a NUL byte among the first 8,000 is binary.
_SNIFFED_BYTES: Final = 8_000


@frozen
class FileContent:
    """The content of a file: Markdown also as HTML, a text as lines; neither of an image or of other data.

    ``raw`` leads to the file itself.
    """

    name: str
    raw: str
    size: int
    lines: Sequence[str] = ()
    text: Text | None = None
    has_image: bool = False
    is_cut: bool = False


def describe_content(
    view: WorldView, project: Project | None, place: FilePlace | None, name: str, raw: str, content: bytes
) -> FileContent:
    """Return what is shown of a file; links in it are relative to its place in the repository of a project."""
    if is_image(name):
        return FileContent(name, raw, len(content), has_image=True)
    if b"\0" in content[:_SNIFFED_BYTES]:
        return FileContent(name, raw, len(content))
    source = content.decode("utf-8", "replace")
    # Only line feeds end a line; splitlines() would also split at other characters of the file.
    lines = source.removesuffix("\n").split("\n") if source else []
    # The page has a heading above the text.
    is_markdown = name.lower().endswith(_MARKDOWN)
    text = render_text(view, source, project, level=3, file=place) if is_markdown else None
    return FileContent(name, raw, len(content), lines[:_MAX_LINES], text, is_cut=len(lines) > _MAX_LINES)


def describe_snippet(view: WorldView, snippet: Snippet, web_url: str) -> list[FileContent]:
    """Return what is shown of the files of a snippet."""
    world = view.world
    branch = snippet_files.branch_name(world)
    project = world.projects[snippet.project_id] if snippet.project_id is not None else None
    return [
        describe_content(
            view,
            project,
            None,
            path,
            page_url(f"{web_url}/raw/{branch}/{quote(path)}") or "",
            snippet_files.read_file(world, snippet, branch, path),
        )
        for path in snippet_files.list_paths(world, snippet)
    ]


def describe_readme(view: WorldView, project: Project, ref: str | None, folder: str = "") -> list[FileContent]:
    """Return what is shown of the README of a folder at a ref; nothing if there is none."""
    commit = commits.find_commit(view.world, project, ref) if ref else None
    if commit is None or ref is None:
        return []
    git = repositories.open_repository(view.world, project)
    entries = {entry.name: entry for entry in git.tree(commit.commit.sha, folder) if entry.kind == "blob"}
    name = readme_and_license.find_readme(entries)
    if name is None:
        return []
    raw = f"{container_page(view, project)}/-/raw/{quote(f'{ref}/{folder}/{name}'.replace('//', '/'))}"
    content = git.objects.blob(entries[name].sha)
    return [describe_content(view, project, FilePlace(ref, folder), name, raw, content)]
