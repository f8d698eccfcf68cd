"""The tasks of a served world: they run when they are due, and not only before the next request."""

import asyncio
from typing import Final

from fakeplat.core.timestamps import MINUTE, SECOND
from fakeplat.platform import Platform

# After a machine has slept, the clock of the world is ahead of the timers of the loop.
_LONGEST: Final = MINUTE


class DueTasks:
    """Runs the tasks of a world: those that are due at once, and under a real clock the others when their time comes.

    A response is sent before the tasks that its request has made due. All methods are called on the loop's thread.
    """

    def __init__(self, platform: Platform, loop: asyncio.AbstractEventLoop) -> None:
        self._platform = platform
        self._loop = loop
        self._awaited: int | None = None
        self._handle: asyncio.Handle | None = None

    def observe(self, _request: object, _handler: object) -> None:
        """Look for tasks after a request."""
        self.plan()

    def plan(self) -> None:
        """Have the next task run when it is due."""
        due = self._platform.next_due
        if due is None or due == self._awaited:
            return
        clock = self._platform.clock
        delay = due - clock.now()
        # Another clock moves only by requests, after which this is called.
        if delay > 0 and clock.kind != "real":
            return
        self.stop()
        self._awaited = due
        if delay <= 0:
            self._handle = self._loop.call_soon(self._run)
        else:
            self._handle = self._loop.call_later(min(delay, _LONGEST) / SECOND, self._run)

    def _run(self) -> None:
        self._awaited = None
        with self._platform.lock:
            self._platform.catch_up()
        self.plan()

    def stop(self) -> None:
        """Run no more tasks."""
        if self._handle is not None:
            self._handle.cancel()
        self._awaited = self._handle = None
