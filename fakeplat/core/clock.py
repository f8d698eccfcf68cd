"""The world's clock: real, virtual or auto. Nothing else in the package knows what time it is.

``real`` goes with the wall clock. ``virtual`` stands still but for a tick per write and what moves it on
purpose. ``auto`` is virtual, and reading an unfinished record moves it to that record's next step (the
platform does that; the clock only says whether it may).
"""

import time
from typing import Final, Literal

from fakeplat.core.timestamps import from_iso as parse

Kind = Literal["real", "virtual", "auto"]

START: Final = "2020-11-20T09:00:00.000Z"
END: Final = parse("9000-01-01T00:00:00.000Z")
"""Times after it could not be added to: nothing can show what comes after the year 9999."""


class TimeOutOfRange(ValueError):
    """A time that the clock cannot show."""


def wall() -> int:
    """The wall clock, in ms since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """Tells the world's time in ms since 1970. It never goes back but by `set` and `restart`."""

    __slots__ = ("_began", "_offset", "_stands_at", "kind", "tick")

    def __init__(self, kind: Kind, start: str | None = None, tick: int = 1) -> None:
        self.kind = kind
        self.tick = tick
        self._stands_at = check_time(parse(start or START))
        self._offset = parse(start) - wall() if start else 0
        self._began = self._stands_at, self._offset

    @property
    def stands(self) -> bool:
        """Whether time passes only when it is told to."""
        return self.kind != "real"

    def now(self) -> int:
        """The time."""
        return self._stands_at if self.kind != "real" else wall() + self._offset

    def set(self, moment: int) -> None:
        """Make it that time; BeyondTime if that is too late."""
        self._stands_at = check_time(moment)
        self._offset = moment - wall()

    def restart(self) -> None:
        """Take back every `set` and `advance`."""
        self._stands_at, self._offset = self._began

    def advance(self, span: int) -> None:
        """Let that many ms pass."""
        self.set(self.now() + span)

    def write(self) -> None:
        """Tick, where time stands: something was written."""
        if self.kind != "real":
            self._stands_at += self.tick


def check_time(moment: int) -> int:
    """Return a time that the clock can be set to; BeyondTime for others."""
    if moment >= END:
        raise TimeOutOfRange("the clock ends at 9000-01-01T00:00:00.000Z")
    return moment
