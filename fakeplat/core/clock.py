"""The world's clock: real, virtual or auto. Nothing else in the package knows what time it is.

``real`` goes with the wall clock. ``virtual`` stands still but for a tick per write and what moves it on
purpose. ``auto`` is virtual, and reading an unfinished record moves it to that record's next step (the
platform does that; the clock only says whether it may).
"""

import time
from typing import Final, Literal

from fakeplat.core.stamps import moment as parse

Kind = Literal["real", "virtual", "auto"]

START: Final = "2020-11-20T09:00:00.000Z"


def wall() -> int:
    """The wall clock, in ms since 1970."""
    return time.time_ns() // 1_000_000


class Clock:
    """Tells the world's time in ms since 1970. It never goes back but by `set`."""

    __slots__ = ("_offset", "_stands_at", "kind", "tick")

    def __init__(self, kind: Kind, start: str | None = None, tick: int = 1) -> None:
        self.kind = kind
        self.tick = tick
        self._stands_at = parse(start or START)
        self._offset = parse(start) - wall() if start else 0

    @property
    def stands(self) -> bool:
        """Whether time passes only when it is told to."""
        return self.kind != "real"

    def now(self) -> int:
        """The time."""
        return self._stands_at if self.kind != "real" else wall() + self._offset

    def set(self, moment: int) -> None:
        """Make it that time."""
        self._stands_at = moment
        self._offset = moment - wall()

    def advance(self, span: int) -> None:
        """Let that many ms pass."""
        self.set(self.now() + span)

    def write(self) -> None:
        """Tick, where time stands: something was written."""
        if self.kind != "real":
            self._stands_at += self.tick
