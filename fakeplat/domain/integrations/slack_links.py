"""Links in the syntax of Slack, which several chats share. Source: docs/platform/integrations.md."""

import re
from typing import Final

_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]]*?)\]\(((?:https?://|mailto:)[^)\s]*)\)")
_RELATIVE_IMAGE: Final = re.compile(r"!\[[^\]]*\]\((/uploads/[^)]*)\)")


def format_links(text: str) -> str:
    """Turn Markdown links into Slack's: ``<https://x.test|text>``."""
    return _MARKDOWN_LINK.sub(lambda link: f"<{link[2]}|{link[1]}>" if link[1] else f"<{link[2]}>", text)


def format_text(text: str, project_url: str) -> str:
    """Format links, and turn images of the project's uploads into their addresses."""
    return format_links(_RELATIVE_IMAGE.sub(lambda image: f"{project_url}{image[1]}", text))
