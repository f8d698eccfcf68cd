"""Write the names of the emoji that the platform knows: `python tools/emoji.py`, after `make docs`.

The platform of release 13.5 has the names of EmojiOne 2.2.7, which are in a library of the documentation, too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from pymdownx import emoji1_db

FILE = Path(__file__).parents[1] / "fakeplat/domain/emoji.json"
_JOINS = {"200d", "20e3"}


def build_table() -> dict[str, dict[str, str]]:
    """Return the character of each name, and the name of each alias."""
    characters = {_strip(name): _to_character(emoji) for name, emoji in emoji1_db.emoji.items()}
    aliases = {_strip(alias): _strip(name) for alias, name in emoji1_db.aliases.items()}
    # The platform keeps the older name of this one.
    characters["gay_pride_flag"] = characters.pop("rainbow_flag")
    aliases["rainbow_flag"] = "gay_pride_flag"
    del aliases["gay_pride_flag"]
    return {"characters": dict(sorted(characters.items())), "aliases": dict(sorted(aliases.items()))}


def _strip(name: str) -> str:
    return name.strip(":")


def _to_character(emoji: Mapping[str, Any]) -> str:
    # Of the second form the platform has the joiners and keycaps, and single characters without a variation selector.
    second = emoji.get("unicode_alt", "").split("-")
    code_points = second if _JOINS.intersection(second) else emoji["unicode"].split("-")
    return "".join(chr(int(point, 16)) for point in code_points)


if __name__ == "__main__":
    FILE.write_bytes(orjson.dumps(build_table(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
