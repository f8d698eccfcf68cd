"""Pausing the garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            gc.enable()
