"""Cron expressions and time zones. Occurrences are worked out by hand from calendars."""

import pytest

from fakeplat.core.cron import Cron, InvalidCron, InvalidTimezone, is_valid_cron
from fakeplat.core.timestamps import from_iso, to_iso


def _next(expression: str, timezone: str, after: str) -> str:
    return to_iso(Cron.parse(expression, timezone).next_after(from_iso(after)))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("3 4 5 6 *", "2021-06-05T04:03:00.000Z"),
        ("* * * * 0", "2020-11-22T00:00:00.000Z"),
        ("*/10 */6 */10 */10 *", "2020-11-21T00:00:00.000Z"),
        ("0,20,40 * 1-5 * *", "2020-12-01T00:00:00.000Z"),
        ("3-59/10 * * * *", "2020-11-20T09:03:00.000Z"),
        ("0 1 * * MON", "2020-11-23T01:00:00.000Z"),
        ("0 1 1 feb *", "2021-02-01T01:00:00.000Z"),
        ("30 0 9 * * *", "2020-11-20T09:00:30.000Z"),
        ("0 0 L * *", "2020-11-30T00:00:00.000Z"),
        ("0 0 * * 1#2", "2020-12-14T00:00:00.000Z"),
        ("@hourly", "2020-11-20T10:00:00.000Z"),
        ("@daily", "2020-11-21T00:00:00.000Z"),
        ("@weekly", "2020-11-22T00:00:00.000Z"),
        ("@monthly", "2020-12-01T00:00:00.000Z"),
        ("@yearly", "2021-01-01T00:00:00.000Z"),
    ],
)
def test_the_next_occurrence(expression: str, expected: str) -> None:
    """Lists, ranges, steps, names, seconds and shorthands of an expression select its occurrences."""
    assert expected == _next(expression, "UTC", "2020-11-20T09:00:00Z")


def test_a_time_that_occurs_is_not_after_itself() -> None:
    """The next occurrence is later than the time given, the previous one earlier."""
    cron = Cron.parse("0 9 * * *", "UTC")
    at = from_iso("2020-11-20T09:00:00Z")
    assert "2020-11-21T09:00:00.000Z" == to_iso(cron.next_after(at))
    assert "2020-11-19T09:00:00.000Z" == to_iso(cron.previous_before(at))
    assert "2020-11-20T09:00:00.000Z" == to_iso(cron.previous_before(at + 1))
    assert "2020-11-20T09:00:00.000Z" == to_iso(cron.next_after(at - 1))


@pytest.mark.parametrize("timezone", ["US/Pacific", "America/Los_Angeles", "Pacific Time (US & Canada)"])
def test_zones_follow_daylight_saving(timezone: str) -> None:
    """Midnight in Pacific time is 08:00 UTC in winter and 07:00 UTC in summer."""
    assert "2017-01-01T08:00:00.000Z" == _next("0 0 * * *", timezone, "2017-01-01T00:00:00Z")
    assert "2017-06-01T07:00:00.000Z" == _next("0 0 * * *", timezone, "2017-06-01T00:00:00Z")


def test_a_zone_may_have_its_short_name() -> None:
    """`Berlin` means Europe/Berlin, where midnight is 23:00 UTC in winter and 22:00 UTC in summer."""
    assert "2017-01-01T23:00:00.000Z" == _next("0 0 * * *", "Berlin", "2017-01-01T00:00:00Z")
    assert "2017-06-01T22:00:00.000Z" == _next("0 0 * * *", "Berlin", "2017-06-01T00:00:00Z")


def test_a_day_far_beyond_a_change_of_the_offset() -> None:
    """The first of December, computed in January, has the UTC offset of December."""
    assert "2020-12-01T05:00:00.000Z" == _next("* 0 1 12 *", "Eastern Time (US & Canada)", "2020-01-01T00:00:00Z")


@pytest.mark.parametrize(
    "expression",
    [
        "invalid_cron",
        "*********",
        "'0 * * * *'",
        "every 3h",
        "0 12 31 2 *",
        "",
        "60 * * * *",
        "* * * *",
        "* * * * * * *",
    ],
)
def test_invalid_expressions(expression: str) -> None:
    """Quoted, incomplete and natural-language texts are no cron expressions, nor are days that do not exist."""
    assert not is_valid_cron(expression)
    with pytest.raises(InvalidCron):
        Cron.parse(expression, "UTC")


def test_a_number_of_thousands_of_digits_is_invalid() -> None:
    """A very long number is an invalid expression, not an error of the program."""
    assert not is_valid_cron(f"{'9' * 5000} * * * *")


@pytest.mark.parametrize("timezone", ["Invalid-zone", "", "europe/berlin", "Europe", "../UTC"])
def test_invalid_time_zones(timezone: str) -> None:
    """A time zone that is not an exact name is refused."""
    with pytest.raises(InvalidTimezone):
        Cron.parse("* * * * *", timezone)


def test_all_short_names_are_zones() -> None:
    """Each short name of a time zone leads to a zone of the time zone database."""
    from fakeplat.core.time_zones import _FRIENDLY_NAMES, find_time_zone

    assert [] == [name for name in _FRIENDLY_NAMES if find_time_zone(name) is None]
