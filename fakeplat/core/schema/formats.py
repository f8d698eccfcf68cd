"""Text formats in documents: each converts a text to the value that records store, or raises ValueError."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from fakeplat.core.clock import check_time
from fakeplat.core.timestamps import SECOND, from_iso, parse_duration, to_iso

MAX_PERIOD: Final = 2**31 - 1
"""The longest period of a throttle, in seconds."""


def convert_date_time(text: str) -> str:
    """Return a time in UTC with milliseconds."""
    try:
        return to_iso(from_iso(text))
    except OverflowError:
        raise ValueError("the time is outside the calendar (years 1 to 9999)") from None


def check_date_time(text: str) -> str:
    """Return a valid time unchanged."""
    convert_date_time(text)
    return text


def convert_clock_time(text: str) -> str:
    """Return a time that a clock can show, in UTC with milliseconds."""
    return to_iso(check_time(from_iso(text)))


def convert_date(text: str) -> str:
    """Return a date as ``YYYY-MM-DD``."""
    return date.fromisoformat(text).isoformat()


def convert_date_or_date_time(text: str) -> str:
    """Convert a text of the length of a date as a date, any other as a time."""
    return convert_date(text) if len(text) == len("2020-11-20") else convert_date_time(text)


def check_duration(text: str) -> str:
    """Return a valid duration unchanged."""
    parse_duration(text)
    return text


def check_throttle_period(text: str) -> str:
    """Return a duration of at least a second unchanged."""
    if not SECOND <= parse_duration(text) <= MAX_PERIOD * SECOND:
        raise ValueError(f"{text!r} is no period of a throttle")
    return text


def decode_base64(text: str) -> bytes:
    """Decode base64."""
    return b64decode(text, validate=True)


DURATION: Final = "fakeplat-duration"
CLOCK_TIME: Final = "fakeplat-clock-time"
THROTTLE_PERIOD: Final = "fakeplat-throttle-period"
FORMATS: Final[Mapping[str, Callable[[str], object]]] = {
    "date-time": convert_date_time,
    "date": convert_date,
    DURATION: check_duration,
    CLOCK_TIME: convert_clock_time,
    THROTTLE_PERIOD: check_throttle_period,
}
"""Formats by their names in JSON Schema. Those of this package are not standard; other validators ignore them."""
