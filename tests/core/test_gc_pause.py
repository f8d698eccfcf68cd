"""The pause of the garbage collector, and the exit without most of its work."""

import gc
import subprocess
import sys

import pytest

from fakeplat.core.gc_pause import gc_paused


def test_a_pause_with_few_objects_counts_no_frozen_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting visits each of them, and each new issue pauses the collector."""
    counted: list[None] = []

    def count() -> int:
        counted.append(None)
        return 1

    monkeypatch.setattr(gc, "get_freeze_count", count)
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert [] == counted
    with gc_paused():
        rows = [[number] for number in range(20_000)]
    assert (20_000, [None]) == (len(rows), counted)


EXIT = """
import atexit, gc
from fakeplat.core.gc_pause import shorten_exit

class Finalized:
    def __init__(self):
        self.itself = self

    def __del__(self):
        print("finalized")

atexit.register(lambda: print("frozen", gc.get_freeze_count() > 10_000))
shorten_exit()
shorten_exit()
gc.disable()
Finalized()
"""


def test_a_shortened_exit_finalizes_garbage() -> None:
    """Once; then all objects that still exist are set aside, whoever asked for it how often."""
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=True)
    assert ["finalized", "frozen True"] == done.stdout.splitlines()
