"""Durations in words, as the platform's own library reads them."""

import pytest

from fakeplat.core.natural_durations import parse_natural_duration

DAY = 86_400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("42", 42),
        ("42 seconds", 42),
        ("3 mins 4 sec", 184),
        ("2 hrs 20 min", 8_400),
        ("2h20min", 8_400),
        ("6 mos 1 day", 181 * DAY),
        ("3 weeks and 2 days", 23 * DAY),
        ("47 yrs, 6 mos and 4d", 47 * 31_557_600 + 184 * DAY),
        ("1.5 hours", 5_400),
        ("1 Week", 7 * DAY),
        ("7d", 7 * DAY),
        ("1m 3s", 63),
        ("0", 0),
    ],
)
def test_units_may_be_combined(text: str, seconds: int) -> None:
    """Words, abbreviations, and numbers without a unit."""
    assert seconds == parse_natural_duration(text)


@pytest.mark.parametrize("text", ["", "soon", "7 elephants", "1 day later", "-3 days"])
def test_other_texts_are_no_durations(text: str) -> None:
    """They raise a ValueError."""
    with pytest.raises(ValueError, match="not a"):
        parse_natural_duration(text)
