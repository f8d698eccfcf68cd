"""Markdown rendering as on the platform; raw HTML is escaped."""

from functools import cache, lru_cache
from typing import Any


@lru_cache(1024)
def render_html(text: str) -> str:
    """Render a text as HTML paragraphs; empty for a blank text."""
    return str(_renderer().render(text)).strip() if text.strip() else ""


def parse_code_blocks(text: str) -> list[tuple[str, str]]:
    """Return the info string and the content of each fenced code block, without the end of its last line."""
    blocks = (token for token in _renderer().parse(text) if token.type == "fence")
    return [(token.info.strip(), token.content.removesuffix("\n")) for token in blocks]


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt  # imported late: slow, and most tests render nothing

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
