import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.timestamps import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    add_days,
    from_iso,
    parse_duration,
    subtract_months,
    to_iso,
    to_iso_date,
)

NINE = 1_605_862_800_000
moments = st.integers(min_value=0, max_value=from_iso("9999-12-31T23:59:59.999Z"))


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NINE, "2020-11-20T09:00:00.000Z"),
        (NINE + 7, "2020-11-20T09:00:00.007Z"),
        (NINE + 14 * HOUR + 59 * MINUTE + 59 * SECOND + 999, "2020-11-20T23:59:59.999Z"),
    ],
)
def test_a_moment_is_shown_in_utc_with_milliseconds(ms: int, text: str) -> None:
    """Times are formatted as ISO 8601 in UTC with milliseconds."""
    assert text == to_iso(ms)
    assert text[:10] == to_iso_date(ms)
    assert ms == from_iso(text)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2020-11-20", NINE - 9 * HOUR),
        ("2020-11-20T09:00:00", NINE),
        ("2020-11-20T10:30:00+01:30", NINE),
        ("2020-11-20T09:00:00.0075Z", NINE + 7),
    ],
)
def test_dates_and_other_zones_are_moments_too(text: str, ms: int) -> None:
    """A date is read as its midnight, and a time without an offset as UTC."""
    assert ms == from_iso(text)


@given(moments, moments)
def test_stamps_sort_as_time_does(first: int, other: int) -> None:
    """Formatted times sort as the times do, and parsing gives the same time again."""
    assert (first < other) == (to_iso(first) < to_iso(other))
    assert first == from_iso(to_iso(first))


@pytest.mark.parametrize("text", ["", "soon", "2020-13-01", "2020-02-30", "09:00", "2020-11-20T25:00:00Z"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """A text that is no ISO 8601 date or time raises ValueError."""
    with pytest.raises(ValueError, match=r".*"):
        from_iso(text)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1h30m", 90 * MINUTE),
        ("2s", 2 * SECOND),
        ("250ms", 250),
        ("1d 2h", DAY + 2 * HOUR),
        ("1.5h", 90 * MINUTE),
        ("1w", 7 * DAY),
        (90, 90 * SECOND),
        (0.5, 500),
    ],
)
def test_a_span_is_written_with_units(text: str | float, ms: int) -> None:
    """A duration is written as numbers with units, or as a number of seconds."""
    assert ms == parse_duration(text)


@pytest.mark.parametrize(
    "text", ["", "1", "h", "1x", "1h30", "-1h", "1h,30m", "soon", "9" * 400 + "s", -1, -0.5, float("inf"), float("nan")]
)
def test_what_is_no_span_is_refused(text: str | float) -> None:
    """A malformed, negative or infinite duration raises ValueError."""
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("start", "days", "end"),
    [("2020-11-20", 7, "2020-11-27"), ("2020-12-31", 1, "2021-01-01"), ("2020-03-01", -1, "2020-02-29")],
)
def test_days_are_counted_by_the_calendar(start: str, days: int, end: str) -> None:
    """Adding days to a date takes months and leap years into account."""
    assert end == add_days(start, days)


@pytest.mark.parametrize(
    ("day", "months", "earlier"),
    [
        ("2020-11-20", 3, "2020-08-20"),
        ("2020-05-31", 3, "2020-02-29"),
        ("2021-05-31", 3, "2021-02-28"),
        ("2021-03-31", 3, "2020-12-31"),
        ("2021-01-15", 13, "2019-12-15"),
    ],
)
def test_months_are_subtracted(day: str, months: int, earlier: str) -> None:
    """The same day of an earlier month, or the last one of a shorter month."""
    assert earlier == subtract_months(day, months)
