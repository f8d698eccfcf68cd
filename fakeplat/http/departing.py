"""Answers leave, at once or together."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Departing(Protocol):
    """What has answers that are ready."""

    def depart(self) -> None:
        """Send them."""


class Departures:
    """Where something is to be done before answers leave (``before``), those of one turn of the loop leave together.

    So a tape is written once for all of them, and no client has an answer that is not on it.
    """

    def __init__(self) -> None:
        self.before: Callable[[], None] | None = None
        self._ready: list[Departing] = []

    def hold(self, departing: Departing) -> bool:
        """Whether answers leave later; nothing holds them where nothing is to be done before."""
        if self.before is None:
            return False
        if not self._ready:
            asyncio.get_running_loop().call_soon(self.let_go)
        self._ready.append(departing)
        return True

    def let_go(self) -> None:
        """Let what is held leave now."""
        ready, self._ready = self._ready, []
        try:
            if self.before is not None:
                self.before()
        finally:  # no client waits for ever, whatever fails
            for departing in ready:
                departing.depart()
