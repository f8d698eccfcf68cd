"""One-time codes. Source: RFC 6238, appendix B (the last six digits of its eight)."""

import pytest

from fakeplat.core.one_time_codes import encode_secret, is_valid, one_time_code
from fakeplat.core.timestamps import SECOND

SECRET = encode_secret(b"12345678901234567890")


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ],
)
def test_codes_follow_from_the_secret_and_the_time(seconds: int, code: str) -> None:
    """One-time codes are those of the examples in the standard."""
    assert code == one_time_code(SECRET, seconds * SECOND)


@pytest.mark.parametrize(("seconds", "expected"), [(29, True), (59, True), (89, True), (90, False)])
def test_a_code_is_valid_for_the_steps_before_and_after(seconds: int, expected: bool) -> None:
    """A code is valid in its own time step, the one before and the one after."""
    assert expected is is_valid(SECRET, "287082", seconds * SECOND)


@pytest.mark.parametrize("code", ["", "287083", "87082", "28708\u0662", "\udc00"])
def test_other_texts_are_not_valid(code: str) -> None:
    """A text that is not the current code is invalid, whatever its form."""
    assert not is_valid(SECRET, code, 59 * SECOND)


def test_a_secret_may_be_written_in_groups() -> None:
    """A secret can be written in lower case and in groups, as apps show it."""
    assert "287082" == one_time_code("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", 59 * SECOND)


def test_a_secret_that_is_not_base32_is_an_error() -> None:
    """A secret that is not Base32 raises ValueError."""
    with pytest.raises(ValueError, match="is not Base32"):
        one_time_code("0189", 0)
