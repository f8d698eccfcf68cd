"""What a parameter makes of the value it was sent: a reader returns the value coerced, or raises Refused.

Readers never see null. They return None for an empty string where that stands for null.
Source: docs/platform/errors.md ('Validation message texts').
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from math import isfinite
from typing import Final

from attrs import evolve

from fakeplat.core.params.body import Upload
from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.core.store.frozen import frozen

INVALID: Final = "is invalid"
NOT_AMONG_VALUES: Final = "does not have a valid value"

LONGEST_NUMBER: Final = 1000
"""Longer digit strings are no numbers: reading them costs the square of their length."""

Reader = Callable[[object], object]
Path = tuple[str | int, ...]


@frozen
class Failure:
    """Why parameters are refused: what they are called, outermost key first, and what is said of them."""

    text: str
    paths: tuple[Path, ...] = ((),)

    @property
    def inside(self) -> bool:
        """Whether it is about something within the value, such as a key of a hash."""
        return any(self.paths)

    def under(self, key: str | int) -> "Failure":
        """The same, told from one level further out."""
        return evolve(self, paths=tuple((key, *path) for path in self.paths))

    def __str__(self) -> str:
        return f"{', '.join(map(_shown, self.paths))} {self.text}"


def _shown(path: Path) -> str:
    first, *rest = path or ("",)
    return f"{first}{''.join(f'[{key}]' for key in rest)}"


class Refused(Exception):
    """A value that its parameter does not take."""

    def __init__(self, *failures: Failure) -> None:
        super().__init__(*failures)
        self.failures = failures

    @classmethod
    def as_(cls, text: str) -> "Refused":
        """Refused as a whole."""
        return cls(Failure(text))


def read_any(value: object) -> object:
    """Whatever was sent."""
    return value


# Patterns of the rarer spellings, compiled at first use.
_INTEGER: Final = r"(?a)[ \t-\r]*[+-]?\d+(?:_\d+)*[ \t-\r]*"
_FLOAT: Final = r"(?ai)\s*[+-]?(?:\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?\s*"


def read_int(value: object) -> object:
    """An integer. A JSON number with a fraction is none, although the platform may cut it off (unconfirmed)."""
    if isinstance(value, str):
        return int(value) if value.isdigit() and value.isascii() and len(value) < 19 else _int_of_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _fitting(value)
    if isinstance(value, float) and value.is_integer():
        return _fitting(int(value))
    raise Refused.as_(INVALID)


def _fitting(number: int) -> int:
    """A number of at most 64 bits, which is what answers can show."""
    if -(2**63) <= number < 2**63:
        return number
    raise Refused.as_(INVALID)


def _int_of_text(text: str) -> int | None:
    if not text:
        return None
    if len(text) <= LONGEST_NUMBER and re.fullmatch(_INTEGER, text):
        return _fitting(int(text))
    raise Refused.as_(INVALID)


def read_float(value: object) -> object:
    """A number; one too large for a float is none."""
    if value == "":
        return None
    if isinstance(value, str) and not (len(value) <= LONGEST_NUMBER and re.fullmatch(_FLOAT, value)):
        raise Refused.as_(INVALID)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Refused.as_(INVALID)
    number = float(value)
    if not isfinite(number):
        raise Refused.as_(INVALID)
    return number


_TRUE: Final = ("1", "t", "true", "on", "y", "yes")
_FALSE: Final = ("0", "f", "false", "off", "n", "no")
_BOOLEANS: Final[dict[str, bool | None]] = {
    "": None,
    **{form: True for word in _TRUE for form in (word, word.title(), word.upper())},
    **{form: False for word in _FALSE for form in (word, word.title(), word.upper())},
}


def read_bool(value: object) -> object:
    """A boolean, in any of the spellings that the platform takes for one."""
    if isinstance(value, bool):
        return value
    text = str(value) if isinstance(value, int) else value
    if isinstance(text, str) and text in _BOOLEANS:
        return _BOOLEANS[text]
    raise Refused.as_(INVALID)


def read_str(value: object) -> object:
    """A text; a number or a boolean stands for its own."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _ruby_number(value)
    raise Refused.as_(INVALID)


def _ruby_number(number: float) -> str:
    """A number as Ruby writes it: ``1.0e+20``, where Python writes ``1e+20``."""
    mantissa, e, exponent = repr(number).partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else mantissa + e + exponent


def read_upload(value: object) -> object:
    """A file of a multipart form."""
    if isinstance(value, Upload):
        return value
    raise Refused.as_(INVALID)


def _read_by(parse: Callable[[str], object]) -> Reader:
    def read(value: object) -> object:
        if value == "":
            return None
        if not isinstance(value, str):
            raise Refused.as_(INVALID)
        try:
            return parse(value)
        except (ValueError, OverflowError):
            raise Refused.as_(INVALID) from None

    return read


read_moment: Final = _read_by(parse_datetime)
read_day: Final = _read_by(parse_date)


def one_of(values: Collection[object], read: Reader) -> Reader:
    """A reader that takes only these values."""
    allowed = frozenset(values)

    def read_one(value: object) -> object:
        found = read(value)
        if found is None or found in allowed:
            return found
        raise Refused.as_(NOT_AMONG_VALUES)

    return read_one


def first_of(readers: Sequence[Reader]) -> Reader:
    """What the first reader makes of it that does not refuse."""

    def read_first(value: object) -> object:
        for read in readers:
            try:
                return read(value)
            except Refused:
                continue
        raise Refused.as_(INVALID)

    return read_first


def list_of(read: Reader) -> Reader:
    """An array; an empty text is an empty one, elements that stand for null are left out.

    What is wrong inside an element is told with its index, what is wrong with a plain one under the array's name.
    """

    def read_list(value: object) -> object:
        if value == "":
            return []
        if not isinstance(value, list):
            raise Refused.as_(INVALID)
        return _each(value, read)

    return read_list


def _each(values: Iterable[object], read: Reader) -> list[object]:
    found: list[object] = []
    failures: list[Failure] = []
    for index, value in enumerate(values):
        try:
            found.append(None if value is None else read(value))
        except Refused as refused:
            if not all(failure.inside for failure in refused.failures):
                raise
            failures += [failure.under(index) for failure in refused.failures]
    if failures:
        raise Refused(*failures)
    return [element for element in found if element is not None]


def comma_list_of(read: Reader) -> Reader:
    """An array, a text with commas or a single value; a hash or a boolean counts as an empty array (unconfirmed)."""

    def read_comma_list(value: object) -> object:
        if isinstance(value, dict | bool):
            return []
        values = value if isinstance(value, list) else [value]
        return _each((part for element in values for part in _parts(element)), _filled(read))

    return read_comma_list


def _parts(element: object) -> list[object]:
    if not isinstance(element, str):
        return [element]
    return [part.strip() for part in element.rstrip(",").split(",")] if element.strip(",") else []


def _filled(read: Reader) -> Reader:
    """A blank between two commas is a text, but no number."""

    def read_part(value: object) -> object:
        found = read(value)
        if found is None:
            raise Refused.as_(INVALID)
        return found

    return read_part


def hash_of(read: Reader) -> Reader:
    """A hash with any keys."""

    def read_hash(value: object) -> object:
        if not isinstance(value, dict):
            raise Refused.as_(INVALID)
        return {key: None if inner is None else read(inner) for key, inner in value.items()}

    return read_hash
