"""Coercion of parameter values: a reader returns the coerced value, or raises Refused.

Readers are not called for null. They return None for an empty string that means null.
Source: docs/platform/errors.md ('Validation message texts').
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from math import isfinite
from typing import Final

import orjson
from attrs import evolve

from fakeplat.core.params.body import Upload
from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.core.store.frozen import frozen

INVALID: Final = "is invalid"
NOT_AMONG_VALUES: Final = "does not have a valid value"

MAX_NUMBER_LENGTH: Final = 1000
"""Longer strings are rejected: parsing digits has quadratic cost."""

Reader = Callable[[object], object]
Path = tuple[str | int, ...]


@frozen
class Failure:
    """An error of one or several parameters: its text, and their paths, outermost key first."""

    text: str
    paths: tuple[Path, ...] = ((),)

    @property
    def inside(self) -> bool:
        """Whether the error is inside the value, for example at a key of a hash."""
        return any(self.paths)

    def with_prefix(self, key: str | int) -> "Failure":
        """Return the failure with a key in front of its paths."""
        return evolve(self, paths=tuple((key, *path) for path in self.paths))

    def __str__(self) -> str:
        return f"{', '.join(map(_format_path, self.paths))} {self.text}"


def _format_path(path: Path) -> str:
    first, *rest = path or ("",)
    return f"{first}{''.join(f'[{key}]' for key in rest)}"


class Refused(Exception):
    """A parameter does not accept a value."""

    def __init__(self, *failures: Failure) -> None:
        super().__init__(*failures)
        self.failures = failures

    @classmethod
    def with_text(cls, text: str) -> "Refused":
        """Return an error of the value as a whole."""
        return cls(Failure(text))


def read_any(value: object) -> object:
    """Return the value unchanged."""
    return value


def read_json(value: object) -> object:
    """Read an object or an array, which may also be sent as JSON text."""
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise Refused.with_text(INVALID) from None
    if not isinstance(value, dict | list):
        raise Refused.with_text(INVALID)
    return value


# Patterns for less usual spellings, compiled on first use. Like Ruby's Integer() and Float(), they allow surrounding
# white space, and underscores between digits.
_INTEGER: Final = r"(?a)[ \t-\r]*[+-]?\d+(?:_\d+)*[ \t-\r]*"
_FLOAT: Final = r"(?ai)\s*[+-]?(?:\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?\s*"


def read_int(value: object) -> object:
    """Read an integer. A JSON number with a fraction is refused; the platform may truncate it (unconfirmed)."""
    if isinstance(value, str):
        # Any 18 digits fit into 64 bits, so the most common form needs no further check.
        return int(value) if value.isdigit() and value.isascii() and len(value) < 19 else _parse_int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _check_64_bits(value)
    if isinstance(value, float) and value.is_integer():
        return _check_64_bits(int(value))
    raise Refused.with_text(INVALID)


def _check_64_bits(number: int) -> int:
    """Return a number of at most 64 bits; others cannot be stored by the platform or encoded in a response."""
    if -(2**63) <= number < 2**63:
        return number
    raise Refused.with_text(INVALID)


def _parse_int(text: str) -> int | None:
    if not text:
        return None
    if len(text) <= MAX_NUMBER_LENGTH and re.fullmatch(_INTEGER, text):
        return _check_64_bits(int(text))
    raise Refused.with_text(INVALID)


def read_float(value: object) -> object:
    """Read a number; one that is too large for a float is refused."""
    if value == "":
        return None
    if isinstance(value, str) and not (len(value) <= MAX_NUMBER_LENGTH and re.fullmatch(_FLOAT, value)):
        raise Refused.with_text(INVALID)
    # A bool is an int in Python, but not a number in JSON.
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Refused.with_text(INVALID)
    number = float(value)
    if not isfinite(number):
        raise Refused.with_text(INVALID)
    return number


_TRUE: Final = ("1", "t", "true", "on", "y", "yes")
_FALSE: Final = ("0", "f", "false", "off", "n", "no")
# The spellings are `true`, `True` and `TRUE`, but not `tRUE`.
_BOOLEANS: Final[dict[str, bool | None]] = {
    "": None,
    **{form: True for word in _TRUE for form in (word, word.title(), word.upper())},
    **{form: False for word in _FALSE for form in (word, word.title(), word.upper())},
}


def read_bool(value: object) -> object:
    """Read a boolean, in any spelling that the platform accepts."""
    if isinstance(value, bool):
        return value
    text = str(value) if isinstance(value, int) else value
    if isinstance(text, str) and text in _BOOLEANS:
        return _BOOLEANS[text]
    raise Refused.with_text(INVALID)


def read_str(value: object) -> object:
    """Read a string; numbers and booleans are converted."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _format_ruby_number(value)
    raise Refused.with_text(INVALID)


def _format_ruby_number(number: float) -> str:
    """Format a number as Ruby does: ``1.0e+20``, where Python writes ``1e+20``."""
    mantissa, e, exponent = repr(number).partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else mantissa + e + exponent


def read_upload(value: object) -> object:
    """Read a file of a multipart form."""
    if isinstance(value, Upload):
        return value
    raise Refused.with_text(INVALID)


def _read_by(parse: Callable[[str], object]) -> Reader:
    def read(value: object) -> object:
        if value == "":
            return None
        if not isinstance(value, str):
            raise Refused.with_text(INVALID)
        try:
            return parse(value)
        except (ValueError, OverflowError):
            raise Refused.with_text(INVALID) from None

    return read


read_moment: Final = _read_by(parse_datetime)
read_day: Final = _read_by(parse_date)


def _read_or_nothing(parse: Callable[[str], object]) -> Reader:
    """Return a reader of texts as the columns of dates and times read them: anything else is nothing."""

    def read(value: object) -> object:
        text = str(read_str(value))
        try:
            return parse(text)
        except (ValueError, OverflowError):
            return None

    return read


read_moment_or_nothing: Final = _read_or_nothing(parse_datetime)
read_day_or_nothing: Final = _read_or_nothing(parse_date)


def one_of(values: Collection[object], read: Reader) -> Reader:
    """Return a reader that accepts only certain values."""
    allowed = frozenset(values)

    def read_one(value: object) -> object:
        result = read(value)
        if result is None or result in allowed:
            return result
        raise Refused.with_text(NOT_AMONG_VALUES)

    return read_one


def first_of(readers: Sequence[Reader]) -> Reader:
    """Return a reader that gives the result of the first reader that accepts the value."""

    def read_first(value: object) -> object:
        for read in readers:
            try:
                return read(value)
            except Refused:
                continue
        raise Refused.with_text(INVALID)

    return read_first


def in_lower_case(read: Reader) -> Reader:
    """Return a reader of texts in any case, for which their case does not matter."""
    return lambda value: read(value.lower() if isinstance(value, str) else value)


def list_of(read: Reader) -> Reader:
    """Return a reader of arrays. An empty string is an empty array; null elements are left out.

    Errors inside an element include its index; an error of a whole element is reported for the array.
    """

    def read_list(value: object) -> object:
        if value == "":
            return []
        if not isinstance(value, list):
            raise Refused.with_text(INVALID)
        return _read_elements(value, read)

    return read_list


def _read_elements(values: Iterable[object], read: Reader) -> list[object]:
    elements: list[object] = []
    failures: list[Failure] = []
    for index, value in enumerate(values):
        try:
            elements.append(None if value is None else read(value))
        except Refused as error:
            # An invalid element makes the array invalid as a whole, and that is the only error to report.
            if not all(failure.inside for failure in error.failures):
                raise
            failures += [failure.with_prefix(index) for failure in error.failures]
    if failures:
        raise Refused(*failures)
    return [element for element in elements if element is not None]


def comma_list_of(read: Reader) -> Reader:
    """Return a reader of arrays, comma-separated strings and single values.

    A hash or a boolean is an empty array (unconfirmed).
    """

    def read_comma_list(value: object) -> object:
        if isinstance(value, dict | bool):
            return []
        values = value if isinstance(value, list) else [value]
        return _read_elements((part for element in values for part in _split_commas(element)), _reject_null(read))

    return read_comma_list


def _split_commas(element: object) -> list[object]:
    if not isinstance(element, str):
        return [element]
    # Ruby's split drops empty parts at the end, but keeps those between two commas.
    return [part.strip() for part in element.rstrip(",").split(",")] if element.strip(",") else []


def _reject_null(read: Reader) -> Reader:
    """Return a reader that refuses null: an empty part between two commas is a valid string, but not a number."""

    def read_part(value: object) -> object:
        result = read(value)
        if result is None:
            raise Refused.with_text(INVALID)
        return result

    return read_part


def hash_of(read: Reader) -> Reader:
    """Return a reader of hashes with any keys."""

    def read_hash(value: object) -> object:
        if not isinstance(value, dict):
            raise Refused.with_text(INVALID)
        return {key: None if inner is None else read(inner) for key, inner in value.items()}

    return read_hash
