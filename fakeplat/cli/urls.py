"""URLs that were given on the command line."""

import re
from typing import Final

from fakeplat.cli.options import UsageError
from fakeplat.http.origins import parse_base_url
from fakeplat.workbench.keywords import InvalidOption

_URL: Final = re.compile(r"https?://", re.IGNORECASE)


def is_url(text: str) -> bool:
    """Whether an argument means a server rather than a file."""
    return _URL.match(text) is not None


def origin(url: str, option: str = "") -> str:
    """The origin of a server; otherwise one line that says what is wrong, with the option's name."""
    try:
        return parse_base_url(url)
    except InvalidOption:
        given = f"{option} {url}".strip()
        raise UsageError(f"{given}: write the origin of a server, such as https://git.example.test") from None
