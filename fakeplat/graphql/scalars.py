"""Custom scalars for times and JSON."""

from typing import Any

from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.graphql.schema_builder import Scalar


def _whole_seconds(timestamp: Any) -> str:
    """Truncate a timestamp to whole seconds; return a date as it is."""
    text = str(timestamp)
    return f"{text[:19]}Z" if "T" in text else text


def _unchanged(value: Any) -> Any:
    return value


Scalar("Time", "A timestamp in ISO 8601 format.", _whole_seconds, lambda value: parse_datetime(str(value)))
Scalar("ISO8601Date", "A date in ISO 8601 format.", str, lambda value: parse_date(str(value)))
Scalar("JSON", "Any JSON value.", _unchanged, _unchanged)
