"""Durations in words, as configuration files and runners write them: ``3 weeks and 2 days``, ``1h 30m``, ``42``."""

import re
from collections.abc import Mapping
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
# The platform's month has 30 days, and its year 365.25.
_SECONDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("second", "sec", "s"), 1),
    **dict.fromkeys(("minute", "min", "m"), _MINUTE),
    **dict.fromkeys(("hour", "hr", "h"), _HOUR),
    **dict.fromkeys(("day", "dy", "d"), _DAY),
    **dict.fromkeys(("week", "wk", "w"), 7 * _DAY),
    **dict.fromkeys(("month", "mon", "mo"), 30 * _DAY),
    **dict.fromkeys(("year", "yr", "y"), 31_557_600),
}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)(?:\s*(?:,|\band\b))?\s*", re.IGNORECASE)


def parse_natural_duration(text: str) -> int:
    """Return the seconds of a duration in words; a number without a unit is in seconds. ValueError for others."""
    parts = list(_PART.finditer(text.strip()))
    # finditer() skips what does not match, so the parts have to make up the whole text.
    if not parts or "".join(part.group() for part in parts) != text.strip():
        raise ValueError(f"not a duration: {text!r}")
    return int(sum(float(part.group(1)) * _seconds_of(part.group(2)) for part in parts))


def _seconds_of(unit: str) -> int:
    name = unit.lower()
    # ``s`` alone is a unit, not the plural of an empty one.
    seconds = _SECONDS.get(name or "second") or _SECONDS.get(name.removesuffix("s"))
    if seconds is None:
        raise ValueError(f"not a unit of time: {unit!r}")
    return seconds
