"""Rate limits: the throttle for all requests, and limits of single endpoints.

All use the world's clock. Source: docs/platform/rate-limits.md.
"""

from collections.abc import Hashable
from typing import Final

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.operations.errors import Throttled, TooManyRequests
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, SECOND

_MAX_CALLERS: Final = 10_000
"""The number of callers that are counted. Beyond it, the oldest counts are dropped."""


@frozen
class Throttle:
    """At most ``limit`` requests in each period (ms); periods start at multiples of their length."""

    name: str
    limit: int
    period: int


class RateLimiter:
    """Counts requests per caller and period, and actions per key and minute."""

    def __init__(self) -> None:
        self._periods: BoundedCache[tuple[str, Hashable], tuple[int, int]] = BoundedCache(_MAX_CALLERS)
        self._actions: BoundedCache[tuple[str, Hashable], tuple[int, int]] = BoundedCache(_MAX_CALLERS)
        self._blocked: BoundedCache[Hashable, int] = BoundedCache(_MAX_CALLERS)

    def count(
        self, throttle: Throttle, caller: Hashable, now: int, *, bars: bool = True, text: str = "Retry later"
    ) -> Headers:
        """Count a request and return its headers. With ``bars``, raise Throttled (429, ``text``) above the limit."""
        number, end = self._increment(throttle, caller, now)
        headers = rate_headers(throttle.name, throttle.limit, number, end)
        if number <= throttle.limit or not bars:
            return headers
        # Under the auto clock, the caller's next request advances the time to this end (`Platform`).
        self._blocked.put(caller, end)
        # Rounded up, so that a client that waits this long is in the next period.
        wait = -(-(end - now) // SECOND)
        reason = f"request {number} of {throttle.limit} in {throttle.period // SECOND} s ({throttle.name})"
        raise Throttled(text, reason=reason, headers=(("Retry-After", str(wait)), *headers))

    def _increment(self, throttle: Throttle, caller: Hashable, now: int) -> tuple[int, int]:
        period = now // throttle.period
        key = (throttle.name, caller)
        last_period, number = self._periods.get(key, (period, 0))
        # Only the latest period of a caller is kept: a count of an earlier one is never needed again.
        number = number + 1 if last_period == period else 1
        self._periods.put(key, (period, number))
        return number, (period + 1) * throttle.period

    def blocked_until(self, caller: Hashable) -> int | None:
        """Return the end (ms) of a caller's Retry-After, and forget it."""
        return self._blocked.pop(caller, None)

    def count_action(
        self, name: str, key: Hashable, threshold: int, now: int, what: str = "endpoint", period: int = MINUTE
    ) -> None:
        """Count an action. TooManyRequests (429) above the threshold in a period; 0 means no limit."""
        if threshold <= 0:
            return
        # The window starts with the first action, unlike the periods of the throttle, which start at fixed times.
        window_start, number = self._actions.get((name, key), (now, 0))
        if now - window_start >= period:
            window_start, number = now, 0
        self._actions.put((name, key), (window_start, number + 1))
        if number + 1 > threshold:
            headers = rate_headers(name, threshold, number + 1, window_start + period)
            reason = f"{name}: more than {threshold} within {_describe_period(period)}"
            raise TooManyRequests(what, reason=reason, headers=headers)

    def reset(self) -> None:
        """Reset all counts."""
        self.__init__()  # type: ignore[misc]  # back to the initial state


def _describe_period(period: int) -> str:
    if period < MINUTE:
        return f"{period // SECOND} seconds"
    return "a minute" if period == MINUTE else f"{period // MINUTE} minutes"


def rate_headers(name: str, limit: int, number: int, end: int) -> Headers:
    """Return the RateLimit headers: the limit, the number of requests, and the end (ms) of the period."""
    from email.utils import formatdate  # imported late: slow, and most worlds limit no requests

    reset = -(-end // SECOND)
    return (
        ("RateLimit-Limit", str(limit)),
        ("RateLimit-Name", name),
        ("RateLimit-Observed", str(number)),
        ("RateLimit-Remaining", str(max(limit - number, 0))),
        ("RateLimit-Reset", str(reset)),
        ("RateLimit-ResetTime", formatdate(reset, usegmt=True)),
    )
