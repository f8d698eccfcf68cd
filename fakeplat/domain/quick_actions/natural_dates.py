"""Natural-language dates: ``2020-11-22``, ``tomorrow``, ``in 2 days``, ``friday``, ``December 31st``."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = "january february march april may june july august september october november december".split()
_DAY_OFFSETS: Final = {"today": 0, "tomorrow": 1, "yesterday": -1}
# Accepts "2 days", "in 1 week" and "3 months from now".
_RELATIVE: Final = re.compile(r"(?:in )?([0-9]{1,4}) (day|week|month|year)s?(?: from now)?")
# Accepts "friday", "this fri" and "next week".
_WEEKDAY: Final = re.compile(r"(?:(this|next) )?([a-z]{3,9})")
# Accepts "may 5", "december 31st" and "dec. 31, 2021".
_MONTH_DAY: Final = re.compile(r"([a-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?(?:,? ([0-9]{4}))?")


def to_iso_text(text: str) -> str | None:
    """Return a valid ISO date unchanged, else None."""
    try:
        return date.fromisoformat(text).isoformat() if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None


def parse_natural_date(text: str, today: str) -> str | None:
    """Return the date that a text means relative to ``today``, or None."""
    words = " ".join(text.lower().split())
    # The text can name a day that does not exist, such as february 30, or a year beyond 9999.
    try:
        return to_iso_text(words) or _parse_words(words, date.fromisoformat(today))
    except (ValueError, OverflowError):
        return None


def _parse_words(words: str, today: date) -> str | None:
    result: date | None = None
    if words in _DAY_OFFSETS:
        result = today + timedelta(days=_DAY_OFFSETS[words])
    elif match := _RELATIVE.fullmatch(words):
        result = _add_units(today, int(match[1]), match[2])
    elif match := _MONTH_DAY.fullmatch(words):
        result = _month_day(today, match)
    elif match := _WEEKDAY.fullmatch(words):
        result = _next_weekday(today, match[2], is_next=match[1] == "next")
    return result.isoformat() if result else None


def _add_units(today: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return today + timedelta(days=count * (7 if unit == "week" else 1))
    # Counting months from the year 0 lets divmod carry over into the following years.
    months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    # The 31st plus a month is the last day of a shorter month.
    return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))


def _next_weekday(today: date, name: str, *, is_next: bool) -> date | None:
    day_index = next((at for at, day in enumerate(_DAYS) if name in (day, day[:3])), None)
    if name == "week" and is_next:
        return today + timedelta(days=7)
    if day_index is None:
        return None
    # Always in the future: on a Friday, ``friday`` is a week later.
    return today + timedelta(days=(day_index - today.weekday() - 1) % 7 + 1)


def _month_day(today: date, match: re.Match[str]) -> date | None:
    month = next((at for at, name in enumerate(_MONTHS, 1) if match[1] in (name, name[:3])), None)
    if month is None:
        return None
    result = date(int(match[3] or today.year), month, int(match[2]))
    # Without a year, a date that has passed means next year.
    return result if match[3] or result >= today else result.replace(year=today.year + 1)
