"""Points and spans of time: milliseconds since 1970 inside, the platform's text forms outside.

Records keep their times as the text that answers show (``2020-11-20T09:00:00.000Z``), which sorts as time does.
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
_START: Final = _EPOCH.replace(tzinfo=None)
_LONGEST: Final = 3_000 * 365 * DAY
_UNITS: Final = {"ms": MS, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])")


@lru_cache(4096)
def to_iso(moment: int) -> str:
    """A moment (ms) as answers show it: UTC with milliseconds."""
    return f"{(_START + timedelta(milliseconds=moment)).isoformat(timespec='milliseconds')}Z"


@lru_cache(4096)
def to_iso_date(moment: int) -> str:
    """The date (``YYYY-MM-DD``, UTC) of a moment (ms)."""
    return to_iso(moment)[:10]


@lru_cache(4096)
def from_iso(text: str) -> int:
    """The moment (ms) of an ISO 8601 date or time; without an offset it is UTC. ValueError for anything else."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return (found - _EPOCH) // timedelta(milliseconds=1)


def add_days(text: str, days: int) -> str:
    """The date that many days after a date."""
    return (date.fromisoformat(text) + timedelta(days=days)).isoformat()


def parse_duration(text: "str | float") -> int:
    """A span such as ``1h30m``, ``2s``, ``250ms`` or a number of seconds, as ms. ValueError for anything else."""
    parts = [(text, "s")] if isinstance(text, int | float) else _PART.findall(text)
    written = isinstance(text, int | float) or "".join(map("".join, parts)) == text.replace(" ", "")
    total = sum(float(number) * _UNITS[unit] for number, unit in parts) if parts and written else -1
    if not 0 <= total <= _LONGEST:
        raise ValueError(f"{text!r} is no span of time; write 1h30m, 2s or 250ms")
    return round(total)
