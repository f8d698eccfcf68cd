"""Filters that take the words None and Any (in any case) beside a value.

Source: docs/platform/errors.md, docs/platform/issues.md.
"""

from typing import Final

from fakeplat.core.params.coercion import Refused, read_int

INTEGER_NONE_ANY: Final = "should be an integer, 'None' or 'Any'"
ARRAY_NONE_ANY: Final = "should be an array, 'None' or 'Any'"

_WORDS: Final = {"none": "None", "any": "Any"}


def _word(value: object) -> str | None:
    return _WORDS.get(value.lower()) if isinstance(value, str) else None


def _integer_or_none(value: object) -> object:
    try:
        return read_int(value)
    except Refused:
        return None


def read_integer_none_any(value: object) -> object:
    """An integer or a word."""
    found = _word(value) or _integer_or_none(value)
    if found is None:
        raise Refused.as_(INTEGER_NONE_ANY)
    return found


def read_array_none_any(value: object) -> object:
    """An array of ids or a word; an element that is no id stands for one that nothing has."""
    if isinstance(value, list):
        return [_integer_or_none(element) or 0 for element in value]
    if word := _word(value):
        return word
    raise Refused.as_(ARRAY_NONE_ANY)
