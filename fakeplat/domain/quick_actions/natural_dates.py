"""Dates as people write them: ``2020-11-22``, ``tomorrow``, ``in 2 days``, ``friday``, ``December 31st``."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = "january february march april may june july august september october november december".split()
_NAMED: Final = {"today": 0, "tomorrow": 1, "yesterday": -1}
_AHEAD: Final = re.compile(r"(?:in )?([0-9]{1,4}) (day|week|month|year)s?(?: from now)?")
_WEEKDAY: Final = re.compile(r"(?:(this|next) )?([a-z]{3,9})")
_OF_MONTH: Final = re.compile(r"([a-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?(?:,? ([0-9]{4}))?")


def to_iso_text(text: str) -> str | None:
    """A date in figures."""
    try:
        return date.fromisoformat(text).isoformat() if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None


def parse_natural_date(text: str, today: str) -> str | None:
    """The date that a text means on a day, None for no date."""
    words = " ".join(text.lower().split())
    try:
        return to_iso_text(words) or _spoken(words, date.fromisoformat(today))
    except (ValueError, OverflowError):
        return None


def _spoken(words: str, today: date) -> str | None:
    found: date | None = None
    if words in _NAMED:
        found = today + timedelta(days=_NAMED[words])
    elif match := _AHEAD.fullmatch(words):
        found = _ahead(today, int(match[1]), match[2])
    elif match := _OF_MONTH.fullmatch(words):
        found = _of_month(today, match)
    elif match := _WEEKDAY.fullmatch(words):
        found = _weekday(today, match[2], later=match[1] == "next")
    return found.isoformat() if found else None


def _ahead(today: date, number: int, unit: str) -> date:
    if unit in ("day", "week"):
        return today + timedelta(days=number * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 + number * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))


def _weekday(today: date, name: str, *, later: bool) -> date | None:
    place = next((at for at, day in enumerate(_DAYS) if name in (day, day[:3])), None)
    if name == "week" and later:
        return today + timedelta(days=7)
    if place is None:
        return None
    return today + timedelta(days=(place - today.weekday() - 1) % 7 + 1)


def _of_month(today: date, match: re.Match[str]) -> date | None:
    month = next((at for at, name in enumerate(_MONTHS, 1) if match[1] in (name, name[:3])), None)
    if month is None:
        return None
    found = date(int(match[3] or today.year), month, int(match[2]))
    return found if match[3] or found >= today else found.replace(year=today.year + 1)
