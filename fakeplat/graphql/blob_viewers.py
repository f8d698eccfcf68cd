"""How pages show files of repositories and snippets. Source: docs/platform/graphql.md."""

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.repository_files import FILE, RepositoryFile
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.graphql.snippets import FILE as SNIPPET_FILE
from fakeplat.graphql.snippets import SnippetFile
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.0"
F = TypeVar("F")
_MIB: Final = 1 << 20
_MARKUP: Final = "mdown mkd mkdn md markdown rmd adoc ad asciidoc textile rdoc org creole wiki mediawiki rst".split()

# File types

_FILE_TYPES: Final = {
    "readme": rf"(?i:(readme|index)(\.(txt|{'|'.join(_MARKUP)}))?)",
    "changelog": r"(?i:(changelog|history|changes|news)[^/]*)",
    "license": r"(?i:((un)?licen[sc]e|copying)(\.[^/]+)?)",
    "contributing": r"(?i:contributing[^/]*)",
    "version": r"(?i:version)",
    "avatar": r"logo\.(png|jpg|gif)",
    "issue_template": r"\.gitlab/issue_templates/[^/]+\.md",
    "merge_request_template": r"\.gitlab/merge_request_templates/[^/]+\.md",
    "metrics_dashboard": r"\.gitlab/dashboards/[^/]+\.yml",
    "xcode_config": r"[^/]*\.(xcodeproj|xcworkspace)(/.+)?",
    "gitignore": r"(?i:\.gitignore)",
    "gitlab_ci": r"(?i:\.gitlab-ci\.yml)",
    "route_map": r"(?i:\.gitlab/route-map\.yml)",
    "cargo_toml": r"(?i:Cargo\.toml)",
    "cartfile": r"Cartfile[^/]*",
    "composer_json": r"(?i:composer\.json)",
    "gemfile": r"(Gemfile|gems\.rb)",
    "gemfile_lock": r"(?i:Gemfile\.lock)",
    "gemspec": r"[^/]*\.gemspec",
    "godeps_json": r"(?i:Godeps\.json)",
    "package_json": r"(?i:package\.json)",
    "podfile": r"(?i:Podfile)",
    "podspec_json": r"[^/]*\.podspec\.json",
    "podspec": r"[^/]*\.podspec",
    "requirements_txt": r"[^/]*requirements\.txt",
    "yarn_lock": r"(?i:yarn\.lock)",
    "openapi": r"(?is:.*(openapi|swagger)[^/]*\.(yaml|yml|json))",
}
_PATTERNS: Final = {name: re.compile(pattern) for name, pattern in _FILE_TYPES.items()}


def find_file_type(path: str) -> str | None:
    """Return what a file is by its path, or None: ``readme``, ``license``, ``gemfile``."""
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(path)), None)


@FILE.field("fileType: String")
def file_type_of(_ctx: ReadContext, file: RepositoryFile) -> str | None:
    """What the file is by its path, or else by its name."""
    return find_file_type(file.path) or find_file_type(file.entry.name)


# Viewers


@frozen
class Viewer:
    """How files of some extensions, or of a type, are shown. Above the limits they are not."""

    name: str
    extensions: tuple[str, ...] = ()
    file_type: str = ""
    is_binary: bool = False
    is_rich: bool = True
    on_server: bool = False
    collapse_limit: int | None = 10 * _MIB
    size_limit: int | None = 50 * _MIB

    @property
    def is_static(self) -> bool:
        """Whether it shows nothing of the content."""
        return self.size_limit is None


def _server_side(name: str, *extensions: str, file_type: str = "") -> Viewer:
    limits = (2 * _MIB, 5 * _MIB)
    return Viewer(name, extensions, file_type, on_server=True, collapse_limit=limits[0], size_limit=limits[1])


_RICH: Final = (
    Viewer("image", ("png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "webp"), is_binary=True),
    Viewer("sketch", ("sketch",), is_binary=True),
    Viewer("pdf", ("pdf",), is_binary=True),
    Viewer("stl", ("stl",), is_binary=True),
    Viewer("video", ("mp4", "m4v", "mov", "webm", "ogv"), is_binary=True),
    Viewer("audio", ("mp3", "oga", "ogg", "spx", "wav"), is_binary=True),
    Viewer("csv", ("csv",)),
    _server_side("markup", *_MARKUP, file_type="readme"),
    Viewer("notebook", ("ipynb",)),
    _server_side("svg", "svg"),
    Viewer("openapi", file_type="openapi"),
    Viewer("geo_json", ("geojson",)),
    Viewer("stl", ("stl",)),
)
_TEXT: Final = Viewer("text", is_rich=False, on_server=True, collapse_limit=_MIB, size_limit=10 * _MIB)
_DOWNLOAD: Final = Viewer("download", is_binary=True, is_rich=False, collapse_limit=None, size_limit=None)
_EMPTY: Final = Viewer("empty", is_rich=False, collapse_limit=None, size_limit=None)


@frozen
class ShownFile:
    """What a viewer must know of a file."""

    path: str
    size: int
    is_binary: bool
    stored_externally: bool = False


@frozen
class FileViewer:
    """How a file is shown."""

    viewer: Viewer
    file: ShownFile

    def exceeds(self, limit: int | None) -> bool:
        """Return whether the file is larger than a limit."""
        return limit is not None and self.file.size > limit


def find_rich_viewer(file: ShownFile) -> FileViewer | None:
    """Return how a file is rendered, or None."""
    if not file.size:
        return None
    return next((FileViewer(viewer, file) for viewer in _list_matching(file)), None)


def _list_matching(file: ShownFile) -> Iterable[Viewer]:
    name = file.path.rpartition("/")[2]
    extension = name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""
    for viewer in _RICH:
        # What is stored elsewhere is taken for what its extension says.
        is_kind = file.stored_externally or viewer.is_binary == file.is_binary
        is_type = bool(viewer.file_type) and find_file_type(file.path) == viewer.file_type
        if is_kind and (extension in viewer.extensions or is_type):
            yield viewer


def get_simple_viewer(file: ShownFile) -> FileViewer:
    """Return how a file is shown as it is."""
    if not file.size:
        return FileViewer(_EMPTY, file)
    rich = find_rich_viewer(file) if file.stored_externally else None
    is_binary = rich.viewer.is_binary if rich is not None else file.is_binary or file.stored_externally
    return FileViewer(_DOWNLOAD if is_binary else _TEXT, file)


Enumeration(
    "BlobViewersType",
    "How a file is shown.",
    {name: (name, f"It is {name}.") for name in ("rich", "simple", "auxiliary")},
    since=_SINCE,
)
VIEWER: Final = Type("BlobViewer", "How a file is shown.", since=_SINCE)


@VIEWER.field("type: BlobViewersType!")
def type_of(_ctx: ReadContext, shown: FileViewer) -> str:
    """Whether it is rendered, or shown as it is."""
    return "rich" if shown.viewer.is_rich else "simple"


@VIEWER.field("fileType: String!")
def partial_name(_ctx: ReadContext, shown: FileViewer) -> str:
    """The name of the viewer."""
    return shown.viewer.name


@VIEWER.field("loadAsync: Boolean!")
def loads_later(_ctx: ReadContext, shown: FileViewer) -> bool:
    """Whether the content is loaded after the page."""
    return shown.viewer.on_server


@VIEWER.field("loadingPartialName: String!")
def loading_partial_name(_ctx: ReadContext, _shown: FileViewer) -> str:
    """The name of what is shown until then."""
    return "loading"


@VIEWER.field("collapsed: Boolean!")
def is_collapsed(_ctx: ReadContext, shown: FileViewer) -> bool:
    """Whether it is only shown on demand, because it is large."""
    return shown.exceeds(shown.viewer.collapse_limit)


@VIEWER.field("tooLarge: Boolean!")
def is_too_large(_ctx: ReadContext, shown: FileViewer) -> bool:
    """Whether it is too large to be shown."""
    return shown.exceeds(shown.viewer.size_limit)


@VIEWER.field("renderError: String")
def render_error(ctx: ReadContext, shown: FileViewer) -> str | None:
    """Why it is not shown."""
    if shown.viewer.on_server and shown.file.stored_externally:
        return "server_side_but_stored_externally"
    if is_too_large(ctx, shown):
        return "too_large"
    return "collapsed" if is_collapsed(ctx, shown) else None


def _show_file(file: RepositoryFile) -> ShownFile:
    return ShownFile(file.path, file.raw_size, b"\0" in file.content, file.stored_externally)


def _show_snippet_file(file: SnippetFile) -> ShownFile:
    return ShownFile(file.path, len(file.content), b"\0" in file.content)


def _declare_viewers(type_: Type, show: Callable[[F], ShownFile], since: str = "") -> None:
    @type_.field("simpleViewer: BlobViewer!", since=since)
    def simple_viewer(_ctx: ReadContext, file: F) -> FileViewer:
        """How the file is shown as it is."""
        return get_simple_viewer(show(file))

    @type_.field("richViewer: BlobViewer", since=since)
    def rich_viewer(_ctx: ReadContext, file: F) -> FileViewer | None:
        """How the file is rendered, if it is."""
        return find_rich_viewer(show(file))


_declare_viewers(FILE, _show_file)
_declare_viewers(SNIPPET_FILE, _show_snippet_file, _SINCE)
