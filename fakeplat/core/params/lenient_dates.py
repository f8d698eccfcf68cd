"""Dates and times as clients write them: ISO 8601, and the looser forms that the platform's own parser also reads.

Only what a text says itself counts, so ``10:00`` or ``monday`` (which mean something today only) are not read.
Beyond ISO 8601 the forms are unconfirmed: the facts say no more than that a time must parse.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_LONGEST: Final = 128
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LOOSE: Final = r"""(?aix) \s* (?: [a-z]{3,9} ,? \s+ )?
    (?: (?P<year>\d{4}) (?P<mark>[-/]) (?P<month>\d{1,2}) (?: (?P=mark) (?P<day>\d{1,2}) )?
      | (?P<day2>\d{1,2}) [\s-]+ (?P<month2>[a-z]{3}) [a-z]* ,? [\s-]+ (?P<year2>\d{4})
      | (?P<month3>[a-z]{3}) [a-z]* \s+ (?P<day3>\d{1,2}) ,? \s+ (?P<year3>\d{4}) ) (?![-/\d])
    (?: [t\s,]+ (?P<hour>\d{1,2}) : (?P<minute>\d{2}) (?: : (?P<second>\d{2}) (?: [.,] (?P<fraction>\d+) )? )? (?!\d)
        \s* (?: z | utc | gmt )? (?: (?P<sign>[+-]) (?P<hours>\d{2}) :? (?P<minutes>\d{2})? )? )?"""


def parse_datetime(text: str) -> str:
    """A time in its canonical form, UTC with milliseconds; ValueError or OverflowError for what is none."""
    moment = _parse(text)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parse_date(text: str) -> str:
    """A date as ``YYYY-MM-DD``; ValueError for what is none."""
    return _parse(text).date().isoformat()


def _parse(text: str) -> datetime:
    if len(text) > _LONGEST:
        raise ValueError("too long for a time")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _parse_loosely(text)


def _parse_loosely(text: str) -> datetime:
    found = re.match(_LOOSE, text)  # compiled at first use: few clients need it
    if not found:
        raise ValueError(f"{text!r} is no time")
    return datetime(*_date(found), tzinfo=_zone(found)) + _since_midnight(found)


def _since_midnight(found: re.Match[str]) -> timedelta:
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    if (hour, minute, second) > (24, 0, 0) or minute > 59 or second > 60:
        raise ValueError("no time of a day")
    milliseconds = int((found["fraction"] or "").ljust(3, "0")[:3])
    return timedelta(hours=hour, minutes=minute, seconds=min(second, 59), milliseconds=milliseconds)


def _date(found: re.Match[str]) -> tuple[int, int, int]:
    if found["year"]:
        return int(found["year"]), int(found["month"]), int(found["day"] or 1)
    which = "2" if found["year2"] else "3"
    month = found[f"month{which}"].lower()
    return int(found[f"year{which}"]), _MONTHS.index(month) + 1, int(found[f"day{which}"])


def _zone(found: re.Match[str]) -> timezone:
    offset = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    return timezone(-offset if found["sign"] == "-" else offset)
