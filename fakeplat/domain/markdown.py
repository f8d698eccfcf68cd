"""Markdown as the platform shows it: HTML without raw HTML in it."""

from functools import cache, lru_cache
from typing import Any


@lru_cache(1024)
def html(text: str) -> str:
    """A text as HTML, in paragraphs; nothing for a blank one."""
    return str(_renderer().render(text)).strip() if text.strip() else ""


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt  # costs too much for a start that renders nothing

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
