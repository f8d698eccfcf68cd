"""The two ways in which names are written: ``webUrl`` on the wire, ``web_url`` inside."""

import re
from functools import lru_cache
from typing import Final

_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")


@lru_cache(4096)
def to_snake_case(name: str) -> str:
    """``web_url`` of ``webUrl``."""
    return _HUMP.sub(lambda found: f"_{found[1].lower()}", name)
