"""Links to uploaded files and to files of the repository, which texts name by relative addresses."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from fakeplat.domain.markup.trees import Element
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.domain.uploads import is_image
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

UPLOADS: Final = "/uploads/"
_UNESCAPED: Final = "/~!$&'()*+,;=:@"
_SLASHES: Final = re.compile("/{2,}")
_PLAYED: Final = ("mp4", "m4v", "mov", "webm", "ogv", "mp3", "oga", "ogg", "spx", "wav")


def link_uploads(ctx: ReadContext, root: Element, project: Project | None) -> None:
    """Make links to uploaded files complete; without a project, they are at the root."""
    prefix = f"/{namespaces.project_path(ctx.world, project)}" if project else ""
    for element, name in list(list_addresses(root)):
        address = element.attributes[name]
        if address.startswith(UPLOADS):
            path = quote(unquote(address, errors="replace").replace("\0", ""), _UNESCAPED)
            element.attributes[name] = f"{ctx.origin}{prefix}{path}"
            if name == "href":
                element.attributes["data-link"] = "true"
            element.add_class("gfm")


def list_addresses(root: Element) -> Iterator[tuple[Element, str]]:
    """Return the links and images that no other filter completed, with the attribute that has the address."""
    for element in root.find_all("a", "img"):
        if "gfm" not in element.attributes.get("class", "").split():
            yield from ((element, name) for name in ("href", "src", "data-src") if element.attributes.get(name))


class FilePlace(NamedTuple):
    """Where a file stands whose text is rendered: a ref, and a folder of the repository."""

    ref: str
    folder: str


def link_files(ctx: ReadContext, root: Element, project: Project, place: FilePlace | None = None) -> None:
    """Link files of the repository, if the caller may download the code.

    Addresses are relative to the file that is rendered, else to the root of the default branch.
    """
    addresses = [
        (element, name, parts)
        for element, name in list_addresses(root)
        if (parts := split_relative(element.attributes[name])) is not None
    ]
    if not addresses or not can(ctx, Ability.DOWNLOAD_CODE, project):
        return
    git = repositories.open_repository(ctx.world, project)
    place = place or FilePlace(project.default_branch or "", "")
    if git.is_empty or not place.ref:
        return
    base = f"/{namespaces.project_path(ctx.world, project)}/-"
    for element, name, parts in addresses:
        path = _resolve(place.folder, parts.path)
        address = quote(f"{_page_of(git, place.ref, path)}/{place.ref}/{path}", _UNESCAPED).removesuffix("/")
        element.attributes[name] = parts._replace(path=f"{base}/{address}").geturl()


def _resolve(folder: str, address: str) -> str:
    """Return the path from the root of the repository for an address that is relative to a folder."""
    path = _SLASHES.sub("/", unquote(address, errors="replace").replace("\0", ""))
    return path.strip("/") if not folder or path.startswith("/") else urljoin(f"/{folder}/", path).strip("/")


def split_relative(address: str) -> SplitResult | None:
    """Return the parts of an address that is relative and has a path."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    is_relative = not parts.scheme and not parts.netloc and not address.startswith("//")
    return parts if is_relative and parts.path else None


def _page_of(git: "Git", ref: str, path: str) -> str:
    """Return the kind of page that shows what is at a path."""
    entry = git.entry(ref, path) if path else None
    if not path or (entry is not None and entry.kind == "tree"):
        return "tree"
    is_raw = entry is not None and (is_image(path) or path.rpartition(".")[2].lower() in _PLAYED)
    return "raw" if is_raw else "blob"
