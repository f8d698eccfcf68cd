"""Dates and times from clients: ISO 8601, and other forms that the platform's parser also accepts.

Forms that depend on the present date, such as ``10:00`` or ``monday``, are not accepted. Forms other than ISO 8601 are
unconfirmed: the documentation only says that a time must be parseable.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_MAX_LENGTH: Final = 128
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# For example `2020/11/20`, `2020-11`, `Fri, 20 Nov 2020 09:00:00 GMT`, `20-Nov-2020 9:00 +0100` and
# `November 20, 2020`. The days of the week are ignored, and so is text after the time.
_LOOSE: Final = r"""(?aix) \s* (?: [a-z]{3,9} ,? \s+ )?
    (?: (?P<year>\d{4}) (?P<mark>[-/]) (?P<month>\d{1,2}) (?: (?P=mark) (?P<day>\d{1,2}) )?
      | (?P<day2>\d{1,2}) [\s-]+ (?P<month2>[a-z]{3}) [a-z]* ,? [\s-]+ (?P<year2>\d{4})
      | (?P<month3>[a-z]{3}) [a-z]* \s+ (?P<day3>\d{1,2}) ,? \s+ (?P<year3>\d{4}) ) (?![-/\d])
    (?: [t\s,]+ :? (?P<hour>\d{1,2}) : (?P<minute>\d{2}) (?: : (?P<second>\d{2}) (?: [.,] (?P<fraction>\d+) )? )? (?!\d)
        \s* (?: z | utc | gmt )? (?: (?P<sign>[+-]) (?P<hours>\d{2}) :? (?P<minutes>\d{2})? )? )?"""


def parse_datetime(text: str) -> str:
    """Convert a time to UTC with milliseconds. ValueError or OverflowError for anything else."""
    time = _parse(text)
    time = time.astimezone(UTC) if time.tzinfo else time
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parse_date(text: str) -> str:
    """Convert a date to ``YYYY-MM-DD``. ValueError for anything else."""
    return _parse(text).date().isoformat()


def _parse(text: str) -> datetime:
    if len(text) > _MAX_LENGTH:
        raise ValueError("the text is too long for a time")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _parse_loosely(text)


def _parse_loosely(text: str) -> datetime:
    match = re.match(_LOOSE, text)  # compiled on first use: few clients need it
    if not match:
        raise ValueError(f"{text!r} is not a time")
    return datetime(*_date(match), tzinfo=_zone(match)) + _since_midnight(match)


def _since_midnight(match: re.Match[str]) -> timedelta:
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    # 24:00:00 is the end of the day, which the addition to the date turns into midnight of the next one.
    if (hour, minute, second) > (24, 0, 0) or minute > 59 or second > 60:
        raise ValueError("not a time of day")
    # A leap second (60) is accepted, and stored as 59.
    milliseconds = int((match["fraction"] or "").ljust(3, "0")[:3])
    return timedelta(hours=hour, minutes=minute, seconds=min(second, 59), milliseconds=milliseconds)


def _date(match: re.Match[str]) -> tuple[int, int, int]:
    if match["year"]:
        return int(match["year"]), int(match["month"]), int(match["day"] or 1)
    group = "2" if match["year2"] else "3"
    month = match[f"month{group}"].lower()
    return int(match[f"year{group}"]), _MONTHS.index(month) + 1, int(match[f"day{group}"])


def _zone(match: re.Match[str]) -> timezone:
    offset = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
    return timezone(-offset if match["sign"] == "-" else offset)
