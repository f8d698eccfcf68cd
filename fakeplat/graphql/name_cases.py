"""Conversion of names on the wire (``webUrl``) to Python names (``web_url``)."""

import re
from functools import lru_cache
from typing import Final

_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")


@lru_cache(4096)
def to_snake_case(name: str) -> str:
    """Convert ``webUrl`` to ``web_url``."""
    return _HUMP.sub(lambda match: f"_{match[1].lower()}", name)
