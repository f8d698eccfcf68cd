"""Formats of text in documents: each converts a text to what records keep, or raises ValueError."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from fakeplat.core.timestamps import from_iso, parse_duration, to_iso


def convert_date_time(text: str) -> str:
    """Return a time in UTC with milliseconds."""
    try:
        return to_iso(from_iso(text))
    except OverflowError:
        raise ValueError("not in the calendar") from None


def check_date_time(text: str) -> str:
    """Return a time as it was written."""
    convert_date_time(text)
    return text


def convert_date(text: str) -> str:
    """Return a date as ``YYYY-MM-DD``."""
    return date.fromisoformat(text).isoformat()


def convert_date_or_date_time(text: str) -> str:
    """Return a date as a date, a time as a time."""
    return convert_date(text) if len(text) == len("2020-11-20") else convert_date_time(text)


def check_duration(text: str) -> str:
    """Return a duration as it was written."""
    parse_duration(text)
    return text


def decode_base64(text: str) -> bytes:
    """Return the bytes that a text encodes."""
    return b64decode(text, validate=True)


DURATION: Final = "fakeplat-duration"
FORMATS: Final[Mapping[str, Callable[[str], object]]] = {
    "date-time": convert_date_time,
    "date": convert_date,
    DURATION: check_duration,
}
"""By their names in JSON Schema; the last one is no standard format, and other validators ignore it."""
