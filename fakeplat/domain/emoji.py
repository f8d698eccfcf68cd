"""Names of the emoji that the platform knows, from `emoji.json`, which tools/emoji.py writes."""

from functools import cache
from pathlib import Path
from typing import Final

import orjson

from fakeplat.core.store.frozen import frozen

_FILE: Final = Path(__file__).with_name("emoji.json")
_FREQUENT: Final = frozenset("thumbsup thumbsdown smile heart tada rocket eyes thinking".split())
"""Names that are common enough to avoid reading the file."""


@frozen
class _Emoji:
    """The characters of all emoji by name, and their names by alias."""

    characters: dict[str, str]
    aliases: dict[str, str]


@cache
def _read_emoji() -> _Emoji:
    return _Emoji(**orjson.loads(_FILE.read_bytes()))


def canonical_name(name: str) -> str | None:
    """Return the name under which an emoji is stored (``thumbsup`` for ``+1``); None for an unknown one."""
    normalized = name.strip().strip(":").lower()
    if normalized in _FREQUENT:
        return normalized
    emoji = _read_emoji()
    normalized = emoji.aliases.get(normalized, normalized)
    return normalized if normalized in emoji.characters else None


def find_character(name: str) -> str | None:
    """Return the character of an emoji; None for an unknown one."""
    canonical = canonical_name(name)
    return None if canonical is None else _read_emoji().characters[canonical]
