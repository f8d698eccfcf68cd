"""Cron expressions: what schedules and freeze periods follow, in a time zone.

The five fields are minute, hour, day of month, month and day of week; a sixth one in front of them is the second.
Fields take lists, ranges, steps and names (``MON``, ``JAN``); ``L`` is the last day, and ``1#2`` the second Monday.
Source: docs/platform/freeze-periods.md.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final

from cronsim import CronSim, CronSimError

from fakeplat.core.store.frozen import frozen
from fakeplat.core.time_zones import find_time_zone

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SHORTHANDS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@noon": "0 12 * * *",
    "@hourly": "0 * * * *",
}


class InvalidCron(ValueError):
    """A text that is not a cron expression, or one without any occurrence, such as the 31st of February."""


class InvalidTimezone(ValueError):
    """A name that no time zone has."""


@frozen
class Cron:
    """A valid cron expression in a time zone."""

    expression: str
    zone: tzinfo

    @staticmethod
    def parse(expression: str, timezone: str = "UTC") -> "Cron":
        """Return the parsed expression. InvalidCron or InvalidTimezone if one of the two is invalid."""
        return _parse(expression, timezone)

    def next_after(self, time: int) -> int:
        """Return the first occurrence after a time (ms)."""
        return self._occurrence(time, reverse=False)

    def previous_before(self, time: int) -> int:
        """Return the last occurrence before a time (ms)."""
        return self._occurrence(time, reverse=True)

    def _occurrence(self, time: int, *, reverse: bool) -> int:
        local_time = (_EPOCH + timedelta(milliseconds=time)).astimezone(self.zone)
        occurrence = next(CronSim(self.expression, local_time, reverse=reverse), None)
        if occurrence is None:
            raise InvalidCron(f"{self.expression!r} has no occurrence")
        return (occurrence - _EPOCH) // timedelta(milliseconds=1)


def is_valid_cron(expression: str) -> bool:
    """Return whether a text is a cron expression."""
    try:
        Cron.parse(expression)
    except InvalidCron:
        return False
    return True


@lru_cache(1024)
def _parse(expression: str, timezone: str) -> Cron:
    zone = find_time_zone(timezone)
    if zone is None:
        raise InvalidTimezone(f"{timezone!r} is not the name of a time zone")
    cron = Cron(_SHORTHANDS.get(expression.strip().lower(), expression), zone)
    try:
        cron.next_after(0)
    # A number of thousands of digits is a ValueError.
    except (CronSimError, ValueError) as error:
        raise InvalidCron(f"{expression!r} is not a cron expression: {error}") from error
    return cron
