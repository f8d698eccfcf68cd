"""Timestamps and durations: milliseconds internally, the platform's text forms externally.

Records store times as the text that responses contain (``2020-11-20T09:00:00.000Z``), which sorts chronologically.
"""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final

MS: Final = 1
SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Naive, as isoformat() would write the offset "+00:00" otherwise. The platform writes "Z".
_NAIVE_EPOCH: Final = _EPOCH.replace(tzinfo=None)
MAX_DURATION: Final = 3_000 * 365 * DAY
"""The longest duration (ms)."""
_UNITS: Final = {"ms": MS, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])")


@lru_cache(4096)
def to_iso(timestamp: int) -> str:
    """Return the ISO 8601 text of a timestamp (ms), in UTC with milliseconds."""
    seconds, ms = divmod(timestamp, SECOND)
    return f"{_format_seconds(seconds)}.{ms:03}Z"


@lru_cache(256)
def _format_seconds(seconds: int) -> str:
    # On its own, because a clock that runs asks for many times in a second.
    return (_NAIVE_EPOCH + timedelta(seconds=seconds)).isoformat()


def cut_milliseconds(text: str) -> str:
    """Return a time as records store it in whole seconds."""
    return f"{text[:19]}Z"


@lru_cache(4096)
def to_iso_date(timestamp: int) -> str:
    """Return the date (``YYYY-MM-DD``, UTC) of a timestamp (ms)."""
    return to_iso(timestamp)[:10]


@lru_cache(4096)
def from_iso(text: str) -> int:
    """Return the timestamp (ms) of an ISO 8601 date or time; UTC without an offset. ValueError for anything else."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time; write 2020-11-20T09:00:00Z") from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - _EPOCH) // timedelta(milliseconds=1)


def add_days(text: str, days: int) -> str:
    """Return the date a number of days after a date."""
    return (date.fromisoformat(text) + timedelta(days=days)).isoformat()


def subtract_months(text: str, months: int) -> str:
    """Return the date a number of months before a date, or the last day of a shorter month."""
    day = date.fromisoformat(text)
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    following = date(year + month // 11, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(1)).day)).isoformat()


def parse_duration(text: "str | float") -> int:
    """Return the ms of a duration such as ``1h30m``, ``250ms`` or a number of seconds. ValueError for anything else."""
    parts = [(text, "s")] if isinstance(text, int | float) else _PART.findall(text)
    # findall() skips what does not match, so the parts have to make up the whole text.
    is_complete = isinstance(text, int | float) or "".join(map("".join, parts)) == text.replace(" ", "")
    total = sum(float(number) * _UNITS[unit] for number, unit in parts) if parts and is_complete else -1
    if not 0 <= total <= MAX_DURATION:
        raise ValueError(f"{text!r} is not a duration; write 1h30m, 2s or 250ms")
    return round(total)
