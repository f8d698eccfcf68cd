"""Trees of HTML elements: parsed from sanitized HTML, changed by filters, and written as the platform writes them."""

from collections.abc import Callable, Iterator
from html import escape
from html.parser import HTMLParser
from typing import Final

_VOID: Final = frozenset("area base br col embed hr img input link meta source track wbr".split())
_MINIMIZED: Final = frozenset(("checked", "compact", "disabled", "ismap", "multiple", "nohref", "readonly", "selected"))
"""Attributes that are written without their value."""
_DEEPEST: Final = 100
"""Elements below so many others are left out, and only their texts stay: filters descend into trees recursively."""


class Element:
    """An element. Texts among its children are not escaped."""

    __slots__ = ("attributes", "children", "tag")

    def __init__(self, tag: str, attributes: dict[str, str] | None = None, *children: "Element | str") -> None:
        self.tag = tag
        self.attributes: dict[str, str] = {} if attributes is None else attributes
        self.children: list[Element | str] = list(children)

    @property
    def text(self) -> str:
        """The text in the element and in those within it."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def inner_html(self) -> str:
        """The children as HTML."""
        return "".join(escape(child, quote=False) if isinstance(child, str) else child.html for child in self.children)

    @property
    def html(self) -> str:
        """The element as HTML."""
        attributes = "".join(
            f" {name}" if name in _MINIMIZED else f' {name}="{escape(value, quote=False).replace(chr(34), "&quot;")}"'
            for name, value in self.attributes.items()
        )
        start = f"<{self.tag}{attributes}>"
        return start if self.tag in _VOID else f"{start}{self.inner_html}</{self.tag}>"

    @property
    def inner_xhtml(self) -> str:
        """The children as XML."""
        return "".join(escape(child, quote=False) if isinstance(child, str) else child.xhtml for child in self.children)

    @property
    def xhtml(self) -> str:
        """The element as XML: all attributes have values, and elements without an end are closed."""
        values = {name: value or name if name in _MINIMIZED else value for name, value in self.attributes.items()}
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in values.items())
        start = f"<{self.tag}{attributes}"
        return f"{start} />" if self.tag in _VOID else f"{start}>{self.inner_xhtml}</{self.tag}>"

    def add_class(self, name: str) -> None:
        """Add a CSS class."""
        self.attributes["class"] = f"{self.attributes.get('class', '')} {name}".lstrip()

    def find_all(self, *tags: str) -> list["Element"]:
        """Return the elements with one of some tags, in the order of the document."""
        return [element for element in self.descendants() if element.tag in tags]

    def replace_elements(self, replace: "Replace") -> None:
        """Replace elements within this one; None keeps an element, with the elements in it that are replaced."""
        for place, child in enumerate(self.children):
            if isinstance(child, str):
                continue
            replacement = replace(child)
            if replacement is None:
                child.replace_elements(replace)
            else:
                self.children[place] = replacement

    def descendants(self) -> Iterator["Element"]:
        """Return the element and those within it, in the order of the document."""
        # Not recursively: each element would pass through the generators of all its ancestors.
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += [child for child in reversed(element.children) if not isinstance(child, str)]


Replace = Callable[[Element], Element | str | None]


class _Parser(HTMLParser):
    """Builds the tree. Sanitized HTML is well-formed, so each end belongs to the innermost open element."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]
        self._left_out = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID and len(self._open) > _DEEPEST:
            self._left_out += 1
            return
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, _tag: str) -> None:
        if self._left_out:
            self._left_out -= 1
        elif len(self._open) > 1:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parse(html: str) -> Element:
    """Return the tree of a fragment; its root has no tag."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    return parser.root
