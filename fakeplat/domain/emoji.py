"""The names of emoji that the platform knows."""

from typing import Final

_ALIASES: Final = {"+1": "thumbsup", "-1": "thumbsdown", "thumbs_up": "thumbsup", "thumbs_down": "thumbsdown"}
_FREQUENT: Final = frozenset("thumbsup thumbsdown smile heart tada rocket eyes thinking champagne".split())


def known(name: str) -> str | None:
    """The name under which an emoji is kept (``thumbsup`` for ``+1``), None for what is none."""
    plain = name.strip().strip(":").lower()
    plain = _ALIASES.get(plain, plain)
    return plain if plain in _FREQUENT or _is_in_list(plain) else None


def _is_in_list(name: str) -> bool:
    from rich.emoji import Emoji, NoEmoji  # costs too much for a start that awards nothing

    try:
        Emoji(name)
    except NoEmoji:
        return False
    return True
