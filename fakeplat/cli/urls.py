"""URLs in command-line arguments."""

import re
from typing import Final

from fakeplat.cli.options import UsageError
from fakeplat.http.origins import parse_base_url
from fakeplat.workbench.keywords import InvalidOption

_URL: Final = re.compile(r"https?://", re.IGNORECASE)


def is_url(text: str) -> bool:
    """Return whether an argument is a URL rather than a file."""
    return _URL.match(text) is not None


def parse_origin(url: str, option: str = "") -> str:
    """Return the origin of a server; UsageError, with the option's name, if the URL is not an origin."""
    try:
        return parse_base_url(url)
    except InvalidOption:
        argument = f"{option} {url}".strip()
        raise UsageError(f"{argument}: not the origin of a server, such as https://git.example.test") from None
