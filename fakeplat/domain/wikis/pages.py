"""Pages of a wiki: the files of its repository, by their titles, slugs and formats. Source: docs/platform/wikis.md.

A page with the title ``Folder/My page`` is the file ``Folder/My-page.md``, and ``Folder/My-page`` is its slug.
"""

import re
from typing import TYPE_CHECKING, Final, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

Format = Literal["markdown", "rdoc", "asciidoc", "org"]
MARKDOWN: Final = "markdown"
_EXTENSION_OF_MARKDOWN: Final = "md"
# Pages can be pushed in more formats than those that the API writes.
_FORMATS: Final = {
    **dict.fromkeys(("md", "mkd", "mkdn", "mdown", "markdown"), MARKDOWN),
    "rdoc": "rdoc",
    **dict.fromkeys(("adoc", "asciidoc"), "asciidoc"),
    "org": "org",
    "textile": "textile",
    "creole": "creole",
    **dict.fromkeys(("rst", "rest"), "rest"),
    "pod": "pod",
    **dict.fromkeys(("wiki", "mediawiki"), "mediawiki"),
}
_UNSAFE: Final = re.compile(r"[\s<>+]")


@frozen
class WikiPage:
    """A page at a revision of a wiki. ``meta_id`` is the id of the record that stands for it, where that is known."""

    path: str
    sha: str
    git: "Git" = field(eq=False, repr=False)
    meta_id: int | None = field(default=None, kw_only=True, eq=False)

    @property
    def folder(self) -> str:
        """The folder of the page; empty at the root."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The name of the file without its extension."""
        return split_extension(self.path.rpartition("/")[2])[0]

    @property
    def title(self) -> str:
        """The title, which does not show the folder."""
        return self.name.replace("-", " ")

    @property
    def slug(self) -> str:
        """The path in URLs."""
        return join_path(self.folder, canonical_name(self.title))

    @property
    def format(self) -> str:
        """The markup language."""
        return _FORMATS[split_extension(self.path)[1].lower()]

    @property
    def text(self) -> str:
        """The text as it is stored."""
        return self.git.objects.blob(self.sha).decode(errors="replace")

    @property
    def content(self) -> str:
        """The text."""
        return self.text

    @property
    def message(self) -> str:
        """The message of the last commit that changed the page."""
        commit = self.git.last_commit("HEAD", self.path)
        return "" if commit is None else commit.message

    @property
    def last_sha(self) -> str | None:
        """The last commit that changed the page."""
        commit = self.git.last_commit("HEAD", self.path)
        return None if commit is None else commit.sha

    def has_file(self, path: str) -> bool:
        """Return whether the wiki has a file, at its newest revision."""
        return self.git.entry("HEAD", path) is not None


@frozen
class RenderedPage(WikiPage):
    """A page that is shown as HTML."""

    html: str

    @property
    def content(self) -> str:
        """The HTML."""
        return self.html


def join_path(folder: str, name: str) -> str:
    """Return the path of a file in a folder, which is empty for the root."""
    return f"{folder}/{name}" if folder else name


def canonical_name(title: str) -> str:
    """Return a title with white space and angle brackets replaced, as in names of files and in slugs."""
    return _UNSAFE.sub("-", title)


def split_extension(name: str) -> tuple[str, str]:
    """Return the name of a file without its extension, and the extension without its dot."""
    stem, dot, extension = name.rpartition(".")
    return (stem, extension) if dot else (name, "")


def path_of(title: str, markup: str) -> str:
    """Return the path of a new page from its title with folders."""
    extension = _EXTENSION_OF_MARKDOWN if markup == MARKDOWN else markup
    return f"{canonical_name(title.strip('/'))}.{extension}"


def is_page(path: str) -> bool:
    """Return whether a file is a page: by its extension."""
    return split_extension(path)[1].lower() in _FORMATS


def list_pages(git: "Git") -> list[WikiPage]:
    """Return the pages in the order of their paths, without those for parts of the layout, as ``_sidebar``."""
    return [page for page in _all_pages(git) if not page.name.startswith("_")]


def _all_pages(git: "Git", revision: str = "HEAD") -> list[WikiPage]:
    if git.is_empty:
        return []
    entries = git.tree(revision, recursive=True)
    return [WikiPage(entry.path, entry.sha, git) for entry in entries if entry.kind == "blob" and is_page(entry.path)]


def find_page(git: "Git", name: str, revision: str = "HEAD") -> WikiPage | None:
    """Return the page with a slug or a title with folders, in any case; None for an unknown revision, too."""
    from fakeplat.git.errors import UnknownRevision

    wanted = canonical_name(name.strip("/")).lower()
    try:
        pages = _all_pages(git, revision)
    except UnknownRevision:
        return None
    return next((page for page in pages if canonical_name(split_extension(page.path)[0]).lower() == wanted), None)


def find_duplicate(git: "Git", path: str) -> str | None:
    """Return the file beside a new page that has its name in any case, with any extension."""
    if git.is_empty:
        return None
    folder, _, name = path.rpartition("/")
    wanted = split_extension(name)[0].lower()
    beside = (entry.path.rpartition("/") for entry in git.tree("HEAD", recursive=True) if entry.kind == "blob")
    return next(
        (other for there, _, other in beside if there == folder and split_extension(other)[0].lower() == wanted), None
    )


def squish_title(title: str) -> str:
    """Return a title without superfluous white space around and within its parts."""
    return "/".join(" ".join(part.split()) for part in title.split("/"))
