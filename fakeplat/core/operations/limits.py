"""How often somebody may ask: the throttle in front of everything, and limits of single endpoints.

All on the world's clock. Source: docs/platform/rate-limits.md.
"""

from collections.abc import Hashable
from email.utils import formatdate
from typing import Final

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.operations.errors import Throttled, TooManyRequests
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, SECOND

_MOST: Final = 10_000
"""How many callers are counted; a client that invents more loses count of the oldest."""


@frozen
class Throttle:
    """At most ``limit`` requests in each period (ms); periods start at multiples of their length."""

    name: str
    limit: int
    period: int


class RateLimiter:
    """Counts requests per caller and period, and acts per key and minute."""

    def __init__(self) -> None:
        self._periods: BoundedCache[tuple[str, Hashable], tuple[int, int]] = BoundedCache(_MOST)
        self._acts: BoundedCache[tuple[str, Hashable], tuple[int, int]] = BoundedCache(_MOST)
        self._barred: BoundedCache[Hashable, int] = BoundedCache(_MOST)

    def count(self, throttle: Throttle, caller: Hashable, now: int, *, bars: bool = True) -> Headers:
        """Count one request; its headers, or (where it bars) 429 once there are more than the limit."""
        number, end = self._counted(throttle, caller, now)
        headers = rate_headers(throttle.name, throttle.limit, number, end)
        if number <= throttle.limit or not bars:
            return headers
        self._barred.put(caller, end)
        wait = -(-(end - now) // SECOND)
        reason = f"request {number} of {throttle.limit} in {throttle.period // SECOND} s ({throttle.name})"
        raise Throttled(reason=reason, headers=(("Retry-After", str(wait)), *headers))

    def _counted(self, throttle: Throttle, caller: Hashable, now: int) -> tuple[int, int]:
        period = now // throttle.period
        key = (throttle.name, caller)
        last, number = self._periods.get(key, (period, 0))
        number = number + 1 if last == period else 1
        self._periods.put(key, (period, number))
        return number, (period + 1) * throttle.period

    def blocked_until(self, caller: Hashable) -> int | None:
        """The end of a caller's Retry-After; asking forgets it."""
        return self._barred.pop(caller, None)

    def count_action(self, name: str, key: Hashable, threshold: int, now: int, what: str = "endpoint") -> None:
        """Count one act; 429 once there are more than the threshold in the minute that the first one began.

        A threshold of 0 means no limit.
        """
        if threshold <= 0:
            return
        began, number = self._acts.get((name, key), (now, 0))
        if now - began >= MINUTE:
            began, number = now, 0
        self._acts.put((name, key), (began, number + 1))
        if number + 1 > threshold:
            headers = rate_headers(name, threshold, number + 1, began + MINUTE)
            raise TooManyRequests(what, reason=f"{name}: more than {threshold} in a minute", headers=headers)

    def forget(self) -> None:
        """Start anew."""
        self.__init__()  # type: ignore[misc]  # the same as a fresh one


def rate_headers(name: str, limit: int, number: int, end: int) -> Headers:
    """What is said of a limit: how many are allowed, how many there were, when (ms) it begins anew."""
    reset = -(-end // SECOND)
    return (
        ("RateLimit-Limit", str(limit)),
        ("RateLimit-Name", name),
        ("RateLimit-Observed", str(number)),
        ("RateLimit-Remaining", str(max(limit - number, 0))),
        ("RateLimit-Reset", str(reset)),
        ("RateLimit-ResetTime", formatdate(reset, usegmt=True)),
    )
