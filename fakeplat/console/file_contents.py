"""What a page shows of a file: rendered Markdown, an image, numbered lines, or only its size."""

from collections.abc import Sequence
from typing import Final

from fakeplat.console.texts import Text, render_text
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.markup.relative_links import FilePlace
from fakeplat.domain.projects.files import is_image
from fakeplat.domain.repository import commits, readme_and_license, repositories
from fakeplat.model.projects import Project
from fakeplat.workbench.inspection import WorldView

_MARKDOWN: Final = (".md", ".mkd", ".mkdn", ".mdwn", ".markdown")
_MAX_LINES: Final = 5_000
# Git's own test: content with a NUL byte among the first 8,000 is binary.
_SNIFFED_BYTES: Final = 8_000


@frozen
class FileContent:
    """The content of a file: Markdown also as HTML, a text as lines; neither of an image or of other data."""

    name: str
    size: int
    lines: Sequence[str] = ()
    text: Text | None = None
    has_image: bool = False
    is_cut: bool = False


def describe_content(view: WorldView, project: Project, ref: str, path: str, content: bytes) -> FileContent:
    """Return what is shown of a file at a ref of a project's repository."""
    folder, _, name = path.rpartition("/")
    if is_image(name):
        return FileContent(name, len(content), has_image=True)
    if b"\0" in content[:_SNIFFED_BYTES]:
        return FileContent(name, len(content))
    source = content.decode("utf-8", "replace")
    # Only line feeds end a line; splitlines() would also split at other characters of the file.
    lines = source.removesuffix("\n").split("\n") if source else []
    place = FilePlace(ref, folder)
    # The page of a README, or of a file, has a heading above the text.
    text = render_text(view, source, project, level=3, file=place) if name.lower().endswith(_MARKDOWN) else None
    return FileContent(name, len(content), lines[:_MAX_LINES], text, is_cut=len(lines) > _MAX_LINES)


def render_readme(view: WorldView, project: Project, ref: str | None, folder: str = "") -> FileContent | None:
    """Return the README of a folder at a ref, None if there is none."""
    commit = commits.find_commit(view.world, project, ref) if ref else None
    if commit is None:
        return None
    git = repositories.open_repository(view.world, project)
    entries = {entry.name: entry for entry in git.tree(commit.commit.sha, folder) if entry.kind == "blob"}
    name = readme_and_license.find_readme(entries)
    if name is None:
        return None
    path = f"{folder}/{name}".lstrip("/")
    return describe_content(view, project, ref or "", path, git.objects.blob(entries[name].sha))
