"""What all messages of chats are made of: the message, links in two syntaxes, and times.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from fakeplat.core.store.frozen import frozen

Data = Mapping[str, Any]
_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]]*?)\]\(((?:https?://|mailto:)[^)\s]*)\)")
_RELATIVE_IMAGE: Final = re.compile(r"!\[[^\]]*\]\((/uploads/[^)]*)\)")


@frozen
class ChatMessage:
    """A message. ``text`` is Markdown; ``pretext`` is what stands above the attachments: nothing for pipelines.

    ``details`` is the text of the attachments in Markdown, for chats that have no attachments. ``activity`` are the
    title, the subtitle, the text and the image of a card.
    """

    project_name: str
    text: str
    pretext: str
    user_name: str
    user_avatar: str | None
    attachments: tuple[Data, ...]
    details: str
    activity: Data


def build_link(text: str, url: object) -> str:
    """Return a link in Markdown."""
    return f"[{text}]({url or ''})"


def format_links(text: str) -> str:
    """Turn Markdown links into Slack's: ``<https://x.test|text>``."""
    return _MARKDOWN_LINK.sub(lambda link: f"<{link[2]}|{link[1]}>" if link[1] else f"<{link[2]}>", text)


def format_text(text: str, project_url: str) -> str:
    """Format links, and turn images of the project's uploads into their addresses."""
    return format_links(_RELATIVE_IMAGE.sub(lambda image: f"{project_url}{image[1]}", text))


def parse_time(text: str) -> datetime:
    """Parse ``2020-11-20 09:00:00 UTC``, or an ISO time."""
    time = datetime.fromisoformat(text.removesuffix(" UTC"))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
