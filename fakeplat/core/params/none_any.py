"""Filters that accept words such as None and Any (in any case) besides a value.

Source: docs/platform/errors.md, docs/platform/issues.md.
"""

from typing import Final

from fakeplat.core.params.coercion import Refused, read_int

INTEGER_NONE_ANY: Final = "should be an integer, 'None' or 'Any'"
INTEGER_NONE_ANY_CURRENT: Final = "should be an integer, none, any, or current"
ARRAY_NONE_ANY: Final = "should be an array, 'None' or 'Any'"

_WORDS: Final = {"none": "None", "any": "Any"}
_CURRENT: Final = "Current"


def _read_word(value: object) -> str | None:
    return _WORDS.get(value.lower()) if isinstance(value, str) else None


def _integer_or_none(value: object) -> object:
    try:
        return read_int(value)
    except Refused:
        return None


def read_integer_none_any(value: object) -> object:
    """Read an integer or a word."""
    # Words first: to the reader of integers they are only invalid.
    result = _read_word(value) or _integer_or_none(value)
    if result is None:
        raise Refused.with_text(INTEGER_NONE_ANY)
    return result


def read_integer_none_any_current(value: object) -> object:
    """Read an integer, a word, or the word Current."""
    result = _read_word(value) or _integer_or_none(value)
    if result is not None:
        return result
    if isinstance(value, str) and value.lower() == _CURRENT.lower():
        return _CURRENT
    raise Refused.with_text(f"{INTEGER_NONE_ANY_CURRENT}, however got {'' if value is None else value}")


def read_array_none_any(value: object) -> object:
    """Read an array of ids or a word."""
    # Elements that are not integers match nothing: they are read as 0, which no record has as its id.
    if isinstance(value, list):
        return [_integer_or_none(element) or 0 for element in value]
    if word := _read_word(value):
        return word
    raise Refused.with_text(ARRAY_NONE_ANY)
