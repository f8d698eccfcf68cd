"""Footnotes, as the platform's Markdown library and its filter write them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final
from zlib import crc32

from fakeplat.domain.markup.trees import Element

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_IDS: Final = {"a": re.compile("fnref[0-9]+"), "li": re.compile("fn[0-9]+")}
_BACK: Final = "\N{LEFTWARDS ARROW WITH HOOK}"
_EMOJI: Final = {
    "title": "leftwards arrow with hook",
    "data-name": "leftwards_arrow_with_hook",
    "data-unicode-version": "1.1",
}
_SUFFIXES: Final = 10_000


def enable_footnotes(renderer: "MarkdownIt") -> None:
    """Let a renderer of Markdown understand footnotes."""
    from mdit_py_plugins.footnote import footnote_plugin

    footnote_plugin(renderer, inline=False)
    for name, rule in _RULES.items():
        renderer.add_render_rule(name, rule)


def _number(tokens: Sequence["Token"], index: int) -> int:
    return int(tokens[index].meta["id"]) + 1


def _render_link(_self: object, tokens: Sequence["Token"], index: int, *_rest: object) -> str:
    number = _number(tokens, index)
    return f'<sup class="footnote-ref"><a href="#fn{number}" id="fnref{number}">{number}</a></sup>'


def _open_section(_self: object, *_rest: object) -> str:
    return '<section class="footnotes">\n<ol>\n'


def _close_section(_self: object, *_rest: object) -> str:
    return "</ol>\n</section>\n"


def _open_footnote(_self: object, tokens: Sequence["Token"], index: int, *_rest: object) -> str:
    return f'<li id="fn{_number(tokens, index)}">\n'


def _close_footnote(_self: object, *_rest: object) -> str:
    return "</li>\n"


def _render_way_back(_self: object, tokens: Sequence["Token"], index: int, *_rest: object) -> str:
    """Link the first place that refers to the footnote."""
    if tokens[index].meta["subId"]:
        return ""
    return f' <a href="#fnref{_number(tokens, index)}" class="footnote-backref">{_BACK}</a>'


_RULES: Final[Mapping[str, Callable[..., str]]] = {
    "footnote_ref": _render_link,
    "footnote_block_open": _open_section,
    "footnote_block_close": _close_section,
    "footnote_open": _open_footnote,
    "footnote_close": _close_footnote,
    "footnote_anchor": _render_way_back,
}


def is_footnote_id(tag: str, value: str) -> bool:
    """Return whether sanitized HTML keeps the id of an element."""
    return tag in _IDS and _IDS[tag].fullmatch(value) is not None


def make_footnotes_unique(root: Element, text: str) -> None:
    """Give the footnotes of a text ids of their own, and back the section and the classes that sanitizing removed."""
    notes = {note.attributes["id"].removeprefix("fn"): note for note in root.find_all("li") if "id" in note.attributes}
    if "1" not in notes:
        return
    root.replace_elements(lambda element: _wrap(element) if notes["1"] in element.children else None)
    suffix = f"-{crc32(text.encode()) % _SUFFIXES}"
    for sup in root.find_all("sup"):
        for link in sup.find_all("a"):
            if link.attributes.get("id", "").removeprefix("fnref") in notes:
                _append(link, suffix, "href", "id")
                sup.attributes["class"] = "footnote-ref"
    for number, note in notes.items():
        _append(note, suffix, "id")
        for link in note.find_all("a"):
            if link.attributes.get("href") == f"#fnref{number}":
                _append(link, suffix, "href")
                link.add_class("footnote-backref")
                link.children = [Element("gl-emoji", dict(_EMOJI), _BACK)]


def _wrap(footnotes: Element) -> Element:
    return Element("section", {"class": "footnotes"}, footnotes)


def _append(element: Element, suffix: str, *names: str) -> None:
    for name in names:
        element.attributes[name] = f"{element.attributes.get(name, '')}{suffix}"
