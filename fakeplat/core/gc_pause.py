"""Pausing the garbage collector, and sparing the exit of a process most of its work."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_MANY: Final = 10_000


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
