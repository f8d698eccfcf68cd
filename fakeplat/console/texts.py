"""Markdown on pages: the platform's HTML, with addresses that stay in the console.

The platform's renderer sanitizes the HTML. What is left here can neither load anything from another host nor style the
page, and its headings follow those of the page.
"""

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from fakeplat.console.cells import page_url
from fakeplat.core.store.frozen import frozen
from fakeplat.model.projects import Project
from fakeplat.workbench.inspection import WorldView

if TYPE_CHECKING:
    from markupsafe import Markup

    from fakeplat.domain.markup.relative_links import FilePlace
    from fakeplat.domain.markup.trees import Element
    from fakeplat.domain.wikis.pages import WikiPage
    from fakeplat.model.projects import Container

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8")
_DEEPEST_HEADING: Final = 6
_KEPT: Final = frozenset(
    "href title alt dir colspan rowspan scope start checked disabled type open id class src width height cite datetime "
    "rel target value".split()
)
"""Attributes that are kept; styles are refused by the policy of the pages, and keys and tab stops are the console's."""
_ANCHOR: Final = "user-content-"
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)
"""The beginnings of addresses that do not depend on the page they are on; what others lead to is not known here."""


@frozen
class Text:
    """A text that somebody wrote: as HTML (None if it is no Markdown), and as its source."""

    source: str
    html: "Markup | None" = None


def render_text(
    view: WorldView, source: str, project: Project | None, *, level: int = 2, file: "FilePlace | None" = None
) -> Text:
    """Render Markdown with references of a project; the highest headings are of a ``level``.

    Relative links of a ``file`` are relative to it.
    """
    from fakeplat.domain.markup import markup  # few pages have Markdown, and its renderer is slow to import

    return Text(source, _adapt(view, markup.render_html(view.context, source, project, file=file), level))


def render_wiki_page(view: WorldView, container: "Container", page: "WikiPage") -> Text:
    """Render a page of a wiki."""
    from fakeplat.domain.wikis import wikis

    return Text(page.content, _adapt(view, wikis.render_page(view.context, container, page).content, 2))


def _adapt(view: WorldView, html: str, level: int) -> "Markup":
    from markupsafe import Markup

    from fakeplat.domain.markup import trees

    root = trees.parse(html)
    _move_headings(root, level)
    root.replace_elements(lambda element: _replace_image(view.context.origin, element))
    anchors = {element.attributes["id"] for element in root.descendants() if "id" in element.attributes}
    for element in root.descendants():
        _adapt_element(view.context.origin, element, anchors)
    return Markup(root.inner_html)  # noqa: S704  # sanitized by the platform's renderer


def _replace_image(origin: str, element: "Element") -> str | None:
    """Return the description of an image of another host, which is not loaded; None keeps any other element."""
    if element.tag != "img" or _local_page(origin, _source_of(element)) is not None:
        return None
    return element.attributes.get("alt") or "image"


def _source_of(image: "Element") -> str:
    # Images are loaded late on the platform, by a script.
    return image.attributes.get("data-src") or image.attributes.get("src", "")


def _local_page(origin: str, address: str) -> str | None:
    """Return the console's page for an address of the world; None for an address of another host, or of the API."""
    try:
        parts = urlsplit(address.removeprefix(origin))
    except ValueError:
        return None
    is_local = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    return page_url(parts.geturl()) if is_local and not parts.path.startswith("/api/") else None


def _move_headings(root: "Element", level: int) -> None:
    """Give headings the levels below the page's, without gaps: one that is deeper is exactly one level deeper."""
    above: list[int] = []
    for heading in root.find_all(*_HEADINGS):
        own = int(heading.tag[1])
        while above and above[-1] >= own:
            above.pop()
        above.append(own)
        heading.tag = f"h{min(level + len(above) - 1, _DEEPEST_HEADING)}"
        # The platform's hidden link beside the text, which is what links to the heading lead to.
        for link in heading.find_all("a"):
            if "anchor" in link.attributes.get("class", "").split():
                heading.children.remove(link)
                heading.attributes["id"] = link.attributes.get("id", "")


def _adapt_element(origin: str, element: "Element", anchors: set[str]) -> None:
    attributes = element.attributes
    if element.tag == "img":
        source = _local_page(origin, _source_of(element)) or ""
        # An image without a description would be a link without a name.
        attributes.update(src=source, alt=attributes.get("alt") or source.rpartition("/")[2])
    href = attributes.get("href", "")
    if href.startswith("#") and _ANCHOR + href[1:] in anchors:
        attributes["href"] = f"#{_ANCHOR}{href[1:]}"
    elif element.tag == "a" and href:
        attributes["href"] = _local_page(origin, href) or (href if _ELSEWHERE.match(href) else "")
    element.attributes = {
        name: value for name, value in attributes.items() if name in _KEPT and (value or name != "href")
    }
    # The numbers of lines are those of one block of code, so they are not unique on a page.
    if element.attributes.get("class") == "line":
        element.attributes.pop("id", None)
    if element.tag == "input":
        element.attributes["aria-label"] = "done" if "checked" in attributes else "to do"
