"""Links in pages of wikis: tags as ``[[Page]]``, and addresses that are relative to the page or to the wiki."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote, urljoin

from fakeplat.domain.markup.filters import replace_texts
from fakeplat.domain.markup.relative_links import UPLOADS, list_addresses, split_relative
from fakeplat.domain.markup.trees import Element

_TAG: Final = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_IMAGE: Final = re.compile(r".+\.(?:jpg|png|gif|svg|bmp)", re.IGNORECASE)
_EXCLUDED: Final = ("pre", "code", "tt")
_UNESCAPED: Final = "/~!$&'()*+,;=:@#?%"


class WikiPlace(NamedTuple):
    """The page whose text is rendered: the path of its wiki in URLs, its slug, and which files the wiki has."""

    base: str
    slug: str
    has_file: Callable[[str], bool]


def link_tags(root: Element, place: WikiPlace) -> None:
    """Replace tags by links to pages, and by images."""
    replace_texts(root, _TAG, lambda match: _link_tag(place, match[1]), _EXCLUDED)


def _link_tag(place: WikiPlace, tag: str) -> Element | None:
    first, *others = (part.strip() for part in tag.split("|"))
    if _IMAGE.fullmatch(first) and (_is_url(first) or place.has_file(first)):
        return Element("img", {"data-src": _address(place, first), "class": "gfm"})
    name, page = (first, others[0]) if others else (first, first)
    return Element("a", {"href": _address(place, page), "class": "gfm"}, name) if page else None


def _is_url(name: str) -> bool:
    return name.startswith(("http:", "https:"))


def _address(place: WikiPlace, name: str) -> str:
    return name if _is_url(name) else f"{place.base}/{quote(name.lstrip('/'), _UNESCAPED)}"


def complete_links(root: Element, place: WikiPlace) -> None:
    """Complete relative addresses: those of files and with dots from the page, others from the root of the wiki."""
    for element, name in list(list_addresses(root)):
        element.attributes[name] = _complete(place, element.attributes[name])


def _complete(place: WikiPlace, address: str) -> str:
    parts = split_relative(address)
    if parts is None or parts.path.startswith((UPLOADS, f"{place.base}/")):
        return address
    path = parts.path
    if path.startswith(".") or "." in path.rpartition("/")[2]:
        path = urljoin(f"/{place.slug}", path)
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{place.base}/{path.lstrip('/')}{fragment}"
