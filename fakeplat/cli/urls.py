"""URLs that were given on the command line."""

import re
from typing import Final

from fakeplat.cli.options import Unusable

_ORIGIN: Final = re.compile(r"(https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?)/?")
_URL: Final = re.compile(r"https?://", re.IGNORECASE)


def is_url(text: str) -> bool:
    """Whether an argument means a server rather than a file."""
    return _URL.match(text) is not None


def origin(url: str, option: str = "") -> str:
    """The origin of a server; otherwise one line that says what is wrong, with the option's name."""
    found = _ORIGIN.fullmatch(url)
    if found is None:
        said = f"{option} {url}".strip()
        raise Unusable(f"{said}: write the origin of a server, such as https://git.example.test")
    return found[1]
