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
            _age_objects()
            gc.enable()


def _age_objects() -> None:
    """Move all objects to the oldest generation, as if they had survived; otherwise all are traversed at once now."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
