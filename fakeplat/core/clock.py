"""The world's clock: real, virtual or auto. Nothing else in the package reads the time.

``real`` follows the wall clock. ``virtual`` stands still, except for a tick per write and explicit advances.
``auto`` is virtual, and reading an unfinished record advances it to that record's next step (the platform does
that; the clock only stores the kind).
"""

import time
from typing import Final, Literal

from fakeplat.core.timestamps import from_iso as parse

Kind = Literal["real", "virtual", "auto"]

START: Final = "2020-11-20T09:00:00.000Z"
END: Final = parse("9000-01-01T00:00:00.000Z")
"""The clock's limit, in ms. It leaves room for later dates, as timestamps cannot represent the year 10000."""
FIRST: Final = parse("1000-01-01T00:00:00.000Z")
"""The clock's first time, in ms. It leaves room for earlier dates."""
LAST: Final = END - 1
"""The clock's last time, in ms."""


class TimeOutOfRange(ValueError):
    """A time beyond the clock's limits."""


def wall() -> int:
    """Return the time of the wall clock, in ms since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """The world's time in ms since 1970. Only `set` and `restart` can move it back."""

    __slots__ = ("_fixed_time", "_initial", "_offset", "kind", "tick")

    def __init__(self, kind: Kind, start: str | None = None, tick: int = 1) -> None:
        self.kind = kind
        self.tick = tick
        self._fixed_time = check_time(parse(start or START))
        # A real clock with a start goes on from there; without one it shows the wall clock.
        self._offset = parse(start) - wall() if start else 0
        self._initial = self._fixed_time, self._offset

    @property
    def is_virtual(self) -> bool:
        """Whether time passes only on writes and explicit advances."""
        return self.kind != "real"

    def now(self) -> int:
        """Return the time (ms)."""
        # wall(), written out: every request asks twice.
        return self._fixed_time if self.kind != "real" else time.time_ns() // 1_000_000 + self._offset

    def set(self, time_: int) -> None:
        """Set the time (ms). TimeOutOfRange if it is beyond the limits."""
        self._fixed_time = check_time(time_)
        self._offset = time_ - wall()

    def restart(self) -> None:
        """Undo every `set` and `advance`."""
        self._fixed_time, self._offset = self._initial

    def advance(self, duration: int) -> None:
        """Advance by a duration (ms)."""
        self.set(self.now() + duration)

    def write(self) -> None:
        """Advance by one tick after a write, unless the clock is real."""
        if self.kind != "real":
            # A write happens at the end of time, too: the clock then stands still.
            self._fixed_time = min(self._fixed_time + self.tick, LAST)


def check_time(time_: int) -> int:
    """Return a time (ms) unchanged. TimeOutOfRange if it is beyond the clock's limits."""
    if time_ >= END:
        raise TimeOutOfRange("the clock ends at 9000-01-01T00:00:00.000Z")
    if time_ < FIRST:
        raise TimeOutOfRange("the clock starts at 1000-01-01T00:00:00.000Z")
    return time_
