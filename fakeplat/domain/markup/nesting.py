"""Leaving out elements of HTML that are nested too deeply, as the time of sanitizing grows with the open elements."""

import re
from typing import Final

_DEEPEST: Final = 200
"""The number of open elements. Trees of rendered texts are less deep (`trees`)."""
_TAG: Final = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/(?![a-zA-Z]))[^>]*(?:>|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)(?:=\s*+(?:\"[^\"]*\"|'[^']*'|)|[^>=])*+(?:>|\Z)",
    re.DOTALL,
)
"""A comment, a declaration, or a tag; quotation marks quote after ``=`` only."""
_VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
_FORMATTING: Final = frozenset("b big code em font i s small strike strong tt u".split())
"""Elements that the text after the end of their parent is in, too, until they are closed; the next link closes one."""
_CELLS: Final = frozenset("caption tbody td tfoot th thead tr".split())
_REPEATED: Final = frozenset("dd dt li option p rp rt".split()) | _CELLS
"""Elements that end where another one of their kind begins."""
_CLOSING: Final = frozenset(
    "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header li main nav ol p pre section summary ul".split()
)
"""Elements whose ends close those within them that are still open."""
_BARRIERS: Final = _CELLS | frozenset(
    "applet button iframe marquee math noembed noframes noscript object plaintext script select style svg table "
    "template textarea title xmp".split()
)
"""Elements that the ends of other elements do not close."""


def limit_nesting(html: str) -> str:
    """Return HTML without comments and without the tags of elements that are nested too deeply; their texts stay."""
    return html if html.count("<") <= _DEEPEST else _TAG.sub(_Nesting().filter_tag, html)


class _Nesting:
    """The open elements. They may be fewer for a browser, but never more: what is doubtful stays open."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._unclosed = 0

    def filter_tag(self, match: re.Match[str]) -> str:
        """Return a tag, or nothing instead of one that is left out."""
        if match["name"] is None:
            return " "
        name = match["name"].lower()
        if name in _VOID:
            return match[0]
        is_kept = self._close(name) if match["end"] else self._start(name)
        return match[0] if is_kept else ""

    def _start(self, name: str) -> bool:
        if name in _REPEATED and self._open and self._open[-1] == name:
            self._open.pop()
        self._open.append(name)
        return len(self._open) + (self._unclosed if name in _FORMATTING else 0) <= _DEEPEST

    def _close(self, name: str) -> bool:
        is_kept = len(self._open) <= _DEEPEST
        position = self._find(name)
        if position is not None:
            self._unclosed += sum(inner in _FORMATTING for inner in self._open[position + 1 :])
            del self._open[position:]
        return is_kept

    def _find(self, name: str) -> int | None:
        """Return the position of the element that an end closes."""
        # Not further than the limit, as many ends that close nothing would take as much time as what they are to save.
        end = len(self._open)
        for position in range(end - 1, max(-1, end - 1 - _DEEPEST), -1):
            inner = self._open[position]
            if inner == name:
                return position
            if not _is_closed_by(inner, name):
                break
        return None


def _is_closed_by(inner: str, name: str) -> bool:
    if name == "table" or name in _CELLS:
        return inner in _CELLS or inner not in _BARRIERS
    return name in _CLOSING and inner not in _BARRIERS
