"""Answers leave, at once or together."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Flushable(Protocol):
    """What has answers that are ready."""

    def flush(self) -> None:
        """Send them."""


class WriteBarrier:
    """Where something is to be done before answers leave (``before``), those of one turn of the loop leave together.

    So a tape is written once for all of them, and no client has an answer that is not on it.
    """

    def __init__(self) -> None:
        self.before: Callable[[], None] | None = None
        self._ready: list[Flushable] = []

    def hold(self, departing: Flushable) -> bool:
        """Whether answers leave later; nothing holds them where nothing is to be done before."""
        if self.before is None:
            return False
        if not self._ready:
            asyncio.get_running_loop().call_soon(self.release)
        self._ready.append(departing)
        return True

    def release(self) -> None:
        """Let what is held leave now."""
        ready, self._ready = self._ready, []
        try:
            if self.before is not None:
                self.before()
        finally:  # no client waits for ever, whatever fails
            for departing in ready:
                departing.flush()
