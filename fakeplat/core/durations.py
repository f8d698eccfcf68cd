"""Durations in words, such as ``1h 30m`` or ``2 weeks and 3 days``, as the ChronicDuration library reads them."""

import re
from collections.abc import Iterator
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
MONTH: Final = 30 * DAY
YEAR: Final = 31_557_600
NEVER: Final = "never"

_UNITS: Final = {
    1: "s sec secs second seconds",
    MINUTE: "m min mins minute minutes",
    HOUR: "h hr hrs hour hours",
    DAY: "d dy day days",
    WEEK: "w wk wks week weeks",
    MONTH: "mo mon mos month months",
    YEAR: "y yr yrs year years",
}
_SECONDS: Final = {word: seconds for seconds, words in _UNITS.items() for word in words.split()}
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_JOINING: Final = frozenset({"and", "with", "plus"})
_CLOCK: Final = re.compile(r"\d+(?::\d+){1,6}(?:\.\d+)?")
_CLOCK_UNITS: Final = (1, MINUTE, HOUR, DAY, WEEK, MONTH, YEAR)
_WORD: Final = re.compile(r"\d+(?:\.\d+)?|\.\d+|[a-z]+|[^\s,]")
_NUMBER: Final = re.compile(r"\d*\.?\d+")
_LONGEST: Final = 200


def parse(text: str) -> float | None:
    """Return the seconds of a duration, None for an invalid text and for no time at all."""
    lowered = text.strip().lower()
    if len(lowered) > _LONGEST:
        return None
    if _CLOCK.fullmatch(lowered):
        parts = reversed(lowered.split(":"))
        return sum(float(part) * unit for part, unit in zip(parts, _CLOCK_UNITS, strict=False)) or None
    words = [_NUMBERS.get(word, word) for word in _WORD.findall(lowered) if word not in _JOINING]
    if not words or any(word not in _SECONDS and not _NUMBER.fullmatch(word) for word in words):
        return None
    return sum(_list_amounts(words)) or None


def _list_amounts(words: list[str]) -> Iterator[float]:
    for word, following in zip(words, [*words[1:], "seconds"], strict=True):
        if _NUMBER.fullmatch(word):
            # A number before another number has no unit, and counts for nothing.
            yield float(word) * _SECONDS.get(following, 0)


def parse_seconds(value: object) -> int | None:
    """Return a duration in whole seconds, None if it is missing, invalid or ``never``."""
    seconds = parse(value) if isinstance(value, str) else None
    return None if seconds is None else int(seconds)
