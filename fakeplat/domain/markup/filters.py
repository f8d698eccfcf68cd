"""What the platform adds to rendered Markdown, apart from references: links, images, task lists, emoji."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from fakeplat.domain import emoji
from fakeplat.domain.markup.table_of_contents import CONTENTS, HEADINGS
from fakeplat.domain.markup.trees import Element

Replacements = Iterator[Element | str]
Replace = Callable[[re.Match[str]], Element | None]

# Elements at the top of a document whose texts may be written from right to left.
_DIRECTED: Final = (*HEADINGS, "p", "ol", "ul", "blockquote", "table")
_VERBATIM: Final = ("pre", "code", "tt")
_NOT_LINKED: Final = ("pre", "code", "tt", "kbd", "a", "style", "script")
_PLACEHOLDER: Final = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
_EXTERNAL: Final = "nofollow noreferrer noopener"
_URL: Final = re.compile(r"\b(?:https?|ftp|smb|irc|ssh|git)://[^\s<>]+[^\s<>.,;:!?'\"()\]]", re.IGNORECASE)
_EMOJI: Final = re.compile(r":([a-z0-9_+-]+):")
_CUSTOM_EMOJI: Final = re.compile(r"(?<![a-zA-Z0-9:]):([a-z0-9_-]+):(?![a-zA-Z0-9:])")
_TASK: Final = re.compile(r"\s*\[([ xX])\]\s")
_INLINE_DIFF: Final = re.compile(
    r"\{(?P<open>[+-])(?P<braced>.{0,1000}?)(?P=open)\}|\[(?P<mark>[+-])(?P<boxed>.{0,1000}?)(?P=mark)\]"
)
_COLOR: Final = re.compile(r"#[0-9a-f]{3,4}|#(?:[0-9a-f]{2}){3,4}|(?:rgb|hsl)a?\([0-9., %]+\)", re.IGNORECASE)


def link_urls(root: Element, origin: str) -> None:
    """Make links of URLs in texts, and mark those that lead elsewhere."""
    replace_texts(root, _URL, _link_url, _NOT_LINKED)
    _mark_external_links(root, origin)


def apply_last_filters(root: Element) -> None:
    """Change a tree after its references are links."""
    show_emoji(root)
    _show_tasks(root)
    replace_texts(root, _INLINE_DIFF, _show_inline_diff, _VERBATIM)
    for child in root.children:
        if isinstance(child, Element) and child.tag in _DIRECTED and child.attributes.get("class") != CONTENTS:
            child.attributes["dir"] = "auto"


def show_emoji(root: Element) -> None:
    """Replace the names of emoji in texts."""
    replace_texts(root, _EMOJI, _show_emoji, _VERBATIM)


def show_custom_emoji(root: Element, find_url: Callable[[str], str | None]) -> None:
    """Replace the names of emoji that users added, which a function finds the images of."""

    def show(match: re.Match[str]) -> Element | None:
        name, url = match[1], find_url(match[1])
        if url is None:
            return None
        data = {"data-name": name, "data-fallback-src": url, "data-unicode-version": "custom"}
        return Element("gl-emoji", {"title": name, **data}, "")

    replace_texts(root, _CUSTOM_EMOJI, show, _VERBATIM)


def replace_texts(element: Element, pattern: re.Pattern[str], replace: Replace, excluded: Collection[str]) -> None:
    """Replace what matches a pattern in texts by elements, except in some elements; None keeps the text."""
    children: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str):
            # Most texts have no match.
            if pattern.search(child):
                children.extend(_replace_in_text(child, pattern, replace))
            elif child:
                children.append(child)
            continue
        children.append(child)
        if child.tag not in excluded:
            replace_texts(child, pattern, replace, excluded)
    element.children = children


def _replace_in_text(text: str, pattern: re.Pattern[str], replace: Replace) -> Replacements:
    end = 0
    for match in pattern.finditer(text):
        element = replace(match)
        if element is not None:
            yield from filter(None, [text[end : match.start()]])
            yield element
            end = match.end()
    yield from filter(None, [text[end:]])


def highlight_code(root: Element) -> None:
    """Number the lines of code blocks; without colours, as nothing is known of languages here."""
    for block in root.find_all("pre"):
        code = next((child for child in block.children if isinstance(child, Element) and child.tag == "code"), None)
        if code is None:
            continue
        language, _, parameters = block.attributes.get("lang", "").partition(":")
        language = language or "plaintext"
        block.attributes = {
            "class": f"code highlight js-syntax-highlight {language}",
            "lang": language,
            **({"data-lang-params": parameters} if parameters else {}),
            "v-pre": "true",
        }
        lines = enumerate(code.text.removesuffix("\n").split("\n"), 1)
        spans = [Element("span", {"id": f"LC{at}", "class": "line", "lang": language}, line) for at, line in lines]
        block.children = [Element("code", None, *_join_lines(spans))]


def _join_lines(elements: list[Element]) -> Replacements:
    for place, element in enumerate(elements):
        if place:
            yield "\n"
        yield element


def show_colors(root: Element) -> None:
    """Show a chip of the colour beside code that is the name of one."""
    for code in root.find_all("code"):
        color = code.text
        if len(code.children) == 1 and isinstance(code.children[0], str) and _COLOR.fullmatch(color):
            chip = Element("span", {"style": f"background-color: {color};"})
            code.children.append(Element("span", {"class": "gfm-color_chip"}, chip))


def load_images_lazily(element: Element, *, in_link: bool = False) -> None:
    """Let images load when they are scrolled to, and link them."""
    for place, child in enumerate(element.children):
        if not isinstance(child, Element):
            continue
        if child.tag == "img":
            source = child.attributes.get("src", "")
            lazy = {**child.attributes, "src": _PLACEHOLDER, "class": "lazy", "data-src": source}
            image = Element("img", lazy)
            link = {"class": "no-attachment-icon", "href": source, "target": "_blank", "rel": "noopener noreferrer"}
            element.children[place] = image if in_link else Element("a", link, image)
        else:
            load_images_lazily(child, in_link=in_link or child.tag == "a")


def _link_url(match: re.Match[str]) -> Element:
    return Element("a", {"href": match[0]}, match[0])


def _mark_external_links(root: Element, origin: str) -> None:
    host = urlsplit(origin).hostname
    for link in root.find_all("a"):
        try:
            parts = urlsplit(link.attributes.get("href", ""))
            is_external = parts.scheme in ("http", "https", "") and parts.hostname not in (None, host)
        except ValueError:
            is_external = True
        if is_external:
            link.attributes = {**link.attributes, "rel": _EXTERNAL, "target": "_blank"}


def _show_emoji(match: re.Match[str]) -> Element | None:
    name = emoji.canonical_name(match[1])
    character = emoji.find_character(match[1]) if name else None
    if name is None or character is None:
        return None
    title = unicodedata.name(character[0], name).lower()
    version = _unicode_version(character[0])
    return Element("gl-emoji", {"title": title, "data-name": name, "data-unicode-version": version}, character)


def _unicode_version(character: str) -> str:
    """Return roughly since which version of Unicode a character exists."""
    if unicodedata.ucd_3_2_0.category(character) != "Cn":
        return "1.1"
    return "8.0" if character >= "\U0001f900" else "6.0"


def _show_tasks(root: Element) -> None:
    for items in root.find_all("ul", "ol"):
        tasks = [item for item in items.children if isinstance(item, Element) and item.tag == "li" and _show_task(item)]
        if tasks:
            items.attributes = {**items.attributes, "class": "task-list"}


def _show_task(item: Element) -> bool:
    """Replace the brackets at the start of an item by a checkbox; return whether there are any."""
    holder = _first_holder(item)
    first = holder.children[0] if holder.children else None
    match = _TASK.match(first) if isinstance(first, str) else None
    if match is None or not isinstance(first, str):
        return False
    is_done = match[1] != " "
    state: Mapping[str, str] = {"checked": ""} if is_done else {}
    box = Element("input", {"type": "checkbox", "class": "task-list-item-checkbox", **state, "disabled": ""})
    holder.children[0:1] = [box, f" {first[match.end() :]}"]
    item.attributes = {**item.attributes, "class": "task-list-item"}
    if holder is item:
        item.children.insert(0, "\n")
    return True


def _first_holder(item: Element) -> Element:
    """Return the paragraph at the start of an item of a loose list, or the item."""
    paragraphs = [child for child in item.children if not (isinstance(child, str) and not child.strip())]
    first = paragraphs[0] if paragraphs else None
    return first if isinstance(first, Element) and first.tag == "p" else item


def _show_inline_diff(match: re.Match[str]) -> Element:
    kind = "addition" if (match["open"] or match["mark"]) == "+" else "deletion"
    return Element("span", {"class": f"idiff left right {kind}"}, match["braced"] or match["boxed"] or "")
