"""Names of the emoji that the platform knows."""

import re
from typing import Final

_ALIASES: Final = {"+1": "thumbsup", "-1": "thumbsdown", "thumbs_up": "thumbsup", "thumbs_down": "thumbsdown"}
_FREQUENT: Final = frozenset(
    "thumbsup thumbsdown smile heart tada rocket eyes thinking champagne slight_smile slight_frown upside_down "
    "rolling_eyes hugging nerd robot unicorn popcorn zipper_mouth head_bandage vulcan gay_pride_flag".split()
)
"""Names that the library does not list, or that are common enough to avoid loading it."""
# skin tones, as in thumbsup_tone3
_TONE: Final = re.compile(r"_tone[1-5]$")
# national flags, as flag_de
_FLAG: Final = re.compile(r"flag_[a-z]{2}")


def canonical_name(name: str) -> str | None:
    """Return the name under which an emoji is stored (``thumbsup`` for ``+1``); None for an unknown one."""
    normalized = name.strip().strip(":").lower()
    normalized = _ALIASES.get(normalized, normalized)
    base = _TONE.sub("", normalized)
    return normalized if base in _FREQUENT or _FLAG.fullmatch(base) or _is_in_list(base) else None


def _is_in_list(name: str) -> bool:
    from rich.emoji import Emoji, NoEmoji  # imported late: slow, and most worlds award nothing rare

    try:
        Emoji(name)
    except NoEmoji:
        return False
    return True


def find_character(name: str) -> str | None:
    """Return the character of an emoji; None for those that consist of nothing but a name."""
    from rich.emoji import Emoji, NoEmoji

    for spelling in (name, _ALIASES.get(name, name), {"thumbsup": "+1", "thumbsdown": "-1"}.get(name, name)):
        try:
            return str(Emoji(spelling))
        except NoEmoji:
            continue
    return None
