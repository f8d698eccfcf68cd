"""Times and free data as GraphQL carries them."""

from typing import Any

from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.graphql.schema_builder import Scalar


def _whole_seconds(stamp: Any) -> str:
    """A moment without fractions of a second; a date stays a date."""
    text = str(stamp)
    return f"{text[:19]}Z" if "T" in text else text


def _unchanged(value: Any) -> Any:
    return value


Scalar("Time", "A moment, ISO 8601.", _whole_seconds, lambda value: parse_datetime(str(value)))
Scalar("ISO8601Date", "A date, ISO 8601.", str, lambda value: parse_date(str(value)))
Scalar("JSON", "Any data.", _unchanged, _unchanged)
