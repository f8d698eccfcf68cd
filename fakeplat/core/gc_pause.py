"""When the garbage collector runs: not while records are created, and rarely under load or when a process exits."""

import asyncio
import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_MANY: Final = 10_000


# Requests create no reference cycles, so collections can be rare. The first one bounds the memory, and the pause.
_SERVER_THRESHOLDS: Final = (200_000, 20, 20)
_IDLE: Final = 0.25


async def collect_when_idle(count_requests: Callable[[], int], *, pause: float = _IDLE) -> None:
    """Collect garbage while no requests come, until this is cancelled; under load only when much has piled up.

    A collection visits all that new objects refer to. In a large world, that takes longer than creating them.
    """
    gc.freeze()  # what exists now lives as long as the process: no collection needs to visit it
    gc.set_threshold(*_SERVER_THRESHOLDS)
    before = count_requests()
    while True:
        await asyncio.sleep(pause)
        now = count_requests()
        if now == before and gc.get_count()[0] > _MANY:
            gc.collect(1)
        before = now


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector while many records are created."""
    # Each generation that fills up would be traversed again and again, although all of these records stay alive.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _age_objects()
            gc.enable()


def _age_objects() -> None:
    """Move many new objects to the oldest generation, as if they had survived; otherwise all are traversed at once now.

    A process that has frozen objects keeps its frozen ones apart.
    """
    if gc.get_count()[0] > _MANY and not FROZEN_OBJECTS.exist():
        gc.freeze()
        gc.unfreeze()


class FrozenObjects:
    """Whether this process has frozen objects."""

    def __init__(self) -> None:
        self._seen = False

    def exist(self) -> bool:
        """Return whether there are any, or have been."""
        # Python counts frozen objects one by one, so they are counted until there are some, and never again.
        self._seen = self._seen or gc.get_freeze_count() > 0
        return self._seen


FROZEN_OBJECTS: Final = FrozenObjects()


@cache
def shorten_exit() -> None:
    """Collect garbage once when the process exits, instead of several times with all modules."""
    atexit.register(_collect_and_freeze)


def _collect_and_freeze() -> None:
    # Garbage is finalized as always; of what still exists, Python promises nothing.
    gc.collect()
    gc.freeze()
