"""Anchors of headings, and the table of contents that links them, where a text has ``[[_TOC_]]``."""

import re
from typing import Final

from fakeplat.domain.markup.trees import Element

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_PUNCTUATION: Final = re.compile(r"[^\w\- ]")
_DASHES: Final = re.compile(r"-{2,}")
CONTENTS: Final = "section-nav"


class _Section:
    """A heading with those below it; the document is a section of level 0."""

    def __init__(self, level: int = 0, anchor: str = "", title: str = "") -> None:
        self.level = level
        self.anchor = anchor
        self.title = title
        self.sections: list[_Section] = []


def add_anchors(root: Element) -> None:
    """Make headings the targets of links, and replace tags by the table of contents."""
    document = _Section()
    open_sections, seen = [document], dict[str, int]()
    for heading in root.find_all(*HEADINGS):
        if heading.children:
            section = _Section(int(heading.tag[1]), _make_unique(make_anchor(heading.text), seen), heading.text)
            _add_anchor(heading, section.anchor)
            _add_section(open_sections, section)
    root.replace_elements(lambda element: _list_sections(document) if _is_tag(element) else None)


def _make_unique(slug: str, seen: dict[str, int]) -> str:
    count = seen[slug] = seen.get(slug, -1) + 1
    return f"{slug}-{count}" if count else slug


def make_anchor(text: str) -> str:
    """Return the name of a heading in links."""
    anchor = _DASHES.sub("-", _PUNCTUATION.sub("", text.strip().lower()).replace(" ", "-"))
    # Digits alone would be taken for the number of an issue.
    return f"anchor-{anchor}" if anchor.isdigit() else anchor


def _add_anchor(heading: Element, anchor: str) -> None:
    attributes = {"id": f"user-content-{anchor}", "class": "anchor", "href": f"#{anchor}", "aria-hidden": "true"}
    # The line break is one of the library that writes HTML for the platform.
    heading.children[:0] = ["\n", Element("a", attributes)]


def _add_section(open_sections: list[_Section], section: _Section) -> None:
    while open_sections[-1].level >= section.level:
        open_sections.pop()
    open_sections[-1].sections.append(section)
    open_sections.append(section)


def _is_tag(element: Element) -> bool:
    """Return whether a paragraph is nothing but the tag, in which Markdown found an emphasis."""
    emphases = [child for child in element.children if isinstance(child, Element) and child.tag == "em"]
    return element.tag == "p" and element.text == "[[TOC]]" and [em.text for em in emphases] == ["TOC"]


def _list_sections(document: _Section) -> Element | str:
    if not document.sections:
        return ""
    contents = _build_list(document)
    contents.add_class(CONTENTS)
    return contents


def _build_list(parent: _Section) -> Element:
    items = []
    for section in parent.sections:
        item = Element("li", None, Element("a", {"href": f"#{section.anchor}"}, section.title))
        if section.sections:
            item.children.append(_build_list(section))
        items.append(item)
    return Element("ul", None, *items)
