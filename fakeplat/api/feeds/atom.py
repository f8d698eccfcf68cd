"""Atom documents (RFC 4287), written as the templates of the platform write them. Source: docs/platform/feeds.md."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Final

from fakeplat.core.operations.http_messages import RawBody, revalidate
from fakeplat.core.timestamps import cut_milliseconds

_TYPE: Final = "application/atom+xml; charset=utf-8"
_START: Final = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
"""
_INVALID: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can have."""


class Feed:
    """A feed that is being written: elements with their texts, indented by two spaces."""

    def __init__(self, title: str, *, address: str, page: str, updated: str | None = None) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self.add("title", title)
        self.add("link", href=address, rel="self", type="application/atom+xml")
        self.add("link", href=page, rel="alternate", type="text/html")
        self.add("id", page)
        if updated is not None:
            self.add("updated", cut_milliseconds(updated))

    def add(self, tag: str, text: str | None = None, **attributes: str) -> None:
        """Add an element; without a text it has no end tag."""
        start = f"{'  ' * self._depth}<{tag}{_join(attributes)}"
        self._lines.append(f"{start}/>" if text is None else f"{start}>{_escape(text)}</{tag}>")

    def add_thumbnail(self, url: str | None) -> None:
        """Add the avatar of an author."""
        self.add("media:thumbnail", width="40", height="40", url=url or "")

    def add_markup(self, tag: str, markup: str, **attributes: str) -> None:
        """Add an element with elements that are written already, one in a line."""
        with self.element(tag, **attributes):
            if markup:
                self._lines.append(markup.rstrip("\n"))

    @contextmanager
    def element(self, tag: str, **attributes: str) -> Iterator[None]:
        """Add an element around those that are added meanwhile."""
        indent = "  " * self._depth
        self._lines.append(f"{indent}<{tag}{_join(attributes)}>")
        self._depth += 1
        yield
        self._depth -= 1
        self._lines.append(f"{indent}</{tag}>")

    def build_answer(self) -> RawBody:
        """Return the document, which clients keep and ask for again with its entity tag."""
        body = "".join(f"{line}\n" for line in self._lines)
        return revalidate(f"{_START}{_INVALID.sub('*', body)}</feed>\n".encode("utf-8", "replace"), _TYPE)


def _join(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{_escape(value).replace(chr(34), "&quot;")}"' for name, value in attributes.items())


def _escape(text: str) -> str:
    return escape(text, quote=False)


def shorten(text: str, length: int) -> str:
    """Return a title of at most so many characters, with the entities of HTML that the platform leaves in it."""
    # The helper of its templates escapes for pages, and the writer of XML does so once more.
    return escape(cut(text, length)).replace("&#x27;", "&#39;")


def cut(text: str, length: int) -> str:
    """Return a text of at most so many characters, with dots in place of the end."""
    return text if len(text) <= length else f"{text[: length - 3]}..."
