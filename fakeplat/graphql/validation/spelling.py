"""Suggestions for misspelt names, which the library takes from Ruby's `DidYouMean`."""

from collections.abc import Iterable
from math import ceil
from typing import Final

_SHORT: Final = 3
_SIMILAR: Final = 0.834
_SIMILAR_SHORT: Final = 0.77
_PREFIX_COUNTS: Final = 0.7
_PREFIX_LENGTH: Final = 4
_PREFIX_WEIGHT: Final = 0.1


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message with the known names that a name may stand for; empty if there is none."""
    names = [f"`{similar}`" for similar in list_similar(name, known)]
    if not names:
        return ""
    *others, last = names
    return f" (Did you mean {', '.join(others)} or {last}?)" if others else f" (Did you mean {last}?)"


def list_similar(name: str, known: Iterable[str]) -> list[str]:
    """Return the names with few typing errors, the most similar first; without one, the most similar name if any."""
    text = name.lower()
    threshold = _SIMILAR if len(text) > _SHORT else _SIMILAR_SHORT
    close = [other for other in known if other != name and _similarity(other.lower(), text) >= threshold]
    close.sort(key=lambda other: _similarity(other, text))
    close.reverse()
    most_typos = ceil(len(text) * 0.25)
    mistyped = [other for other in close if _distance(other.lower(), text) <= most_typos]
    if mistyped:
        return mistyped
    return [other for other in close if _distance(other.lower(), text) < min(len(text), len(other))][:1]


def _similarity(one: str, other: str) -> float:
    """Return the Jaro-Winkler similarity: 1 for equal texts."""
    jaro = _jaro(one, other)
    if jaro <= _PREFIX_COUNTS:
        return jaro
    prefix = 0
    for this, that in zip(one[:_PREFIX_LENGTH], other[:_PREFIX_LENGTH], strict=False):
        if this != that:
            break
        prefix += 1
    return jaro + prefix * _PREFIX_WEIGHT * (1 - jaro)


def _jaro(one: str, other: str) -> float:
    short, long = sorted((one, other), key=len)
    reach = max(len(long) // 2 - 1, 0)
    taken: set[int] = set()
    matched: list[str] = []
    for position, character in enumerate(short):
        for index in range(max(position - reach, 0), min(position + reach + 1, len(long))):
            if index not in taken and long[index] == character:
                taken.add(index)
                matched.append(character)
                break
    if not matched:
        return 0.0
    count = len(matched)
    swapped = sum(this != long[index] for this, index in zip(matched, sorted(taken), strict=True)) // 2
    return (count / len(short) + count / len(long) + (count - swapped) / count) / 3


def _distance(one: str, other: str) -> int:
    """Return the Levenshtein distance: the number of characters to insert, delete or replace."""
    row = list(range(len(other) + 1))
    for position, character in enumerate(one, 1):
        previous, row[0] = row[0], position
        for index, another in enumerate(other, 1):
            previous, row[index] = (
                row[index],
                min(row[index] + 1, row[index - 1] + 1, previous + (character != another)),
            )
    return row[-1]
