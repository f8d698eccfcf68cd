"""A barrier that delays responses until something else has been written."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Flushable(Protocol):
    """A connection with buffered responses."""

    def flush(self) -> None:
        """Send the responses."""


class WriteBarrier:
    """Batches the responses of one iteration of the event loop, and calls ``before`` before they are sent.

    So a tape is written once for all of them, and no client has a response that is not on it.
    """

    def __init__(self) -> None:
        self.before: Callable[[], None] | None = None
        self._held: list[Flushable] = []

    def hold(self, connection: Flushable) -> bool:
        """Return whether the responses are held until release(); never without ``before``."""
        if self.before is None:
            return False
        if not self._held:
            asyncio.get_running_loop().call_soon(self.release)
        self._held.append(connection)
        return True

    def release(self) -> None:
        """Send all held responses now."""
        held, self._held = self._held, []
        try:
            if self.before is not None:
                self.before()
        finally:  # even if writing fails, no client waits forever
            for connection in held:
                connection.flush()
