"""The names of emoji that the platform knows."""

import re
from typing import Final

_ALIASES: Final = {"+1": "thumbsup", "-1": "thumbsdown", "thumbs_up": "thumbsup", "thumbs_down": "thumbsdown"}
_FREQUENT: Final = frozenset(
    "thumbsup thumbsdown smile heart tada rocket eyes thinking champagne slight_smile slight_frown upside_down "
    "rolling_eyes hugging nerd robot unicorn popcorn zipper_mouth head_bandage vulcan gay_pride_flag".split()
)
"""Names of which the list of the library has none, or that are given so often that it need not be loaded."""
_TONE: Final = re.compile(r"_tone[1-5]$")
_FLAG: Final = re.compile(r"flag_[a-z]{2}")


def canonical_name(name: str) -> str | None:
    """The name under which an emoji is kept (``thumbsup`` for ``+1``), None for what is none."""
    plain = name.strip().strip(":").lower()
    plain = _ALIASES.get(plain, plain)
    base = _TONE.sub("", plain)
    return plain if base in _FREQUENT or _FLAG.fullmatch(base) or _is_in_list(base) else None


def _is_in_list(name: str) -> bool:
    from rich.emoji import Emoji, NoEmoji  # costs too much for a start that awards nothing

    try:
        Emoji(name)
    except NoEmoji:
        return False
    return True
