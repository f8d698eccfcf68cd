"""The settings of clients as the pages about them show them, for the server of a test."""

import re
import shlex

from fakeplat.harness.fake import Fakeplat
from tests.docs.pages import list_blocks

_ORIGIN = "http://127.0.0.1:8080"
"""The server in the examples: `fakeplat serve`."""


def settings(fake: Fakeplat, page: str, title: str, **others: str) -> str:
    """Return the block of a page with a title, for this server; ``others`` are texts that replace those of the page."""
    (block,) = [block for block in list_blocks(f"docs/clients/{page}.md") if block.title == title]
    url = fake.url.rstrip("/")
    replacements = {_ORIGIN: url, _ORIGIN.partition("://")[2]: url.partition("://")[2], **others}
    # The longest first: the host is a part of the origin.
    return re.sub(
        "|".join(map(re.escape, sorted(replacements, key=len, reverse=True))),
        lambda match: replacements[match[0]],
        block.code,
    )


def environment(fake: Fakeplat, page: str, title: str, **others: str) -> dict[str, str]:
    """Return the variables that a block with lines such as ``export NAME=VALUE`` sets."""
    words = shlex.split(settings(fake, page, title, **others))
    return dict(word.split("=", 1) for word in words if word != "export")
