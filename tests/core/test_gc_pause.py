"""The pauses of the garbage collector, its work while a server is idle, and the exit without most of it."""

import asyncio
import gc
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from fakeplat.core import gc_pause
from fakeplat.core.gc_pause import collect_when_idle, gc_paused


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The results of counting frozen objects, of which there are three; nothing was counted before."""
    counts: list[int] = []

    def count_frozen_objects() -> int:
        counts.append(3)
        return 3

    monkeypatch.setattr(gc, "get_freeze_count", count_frozen_objects)
    monkeypatch.setattr(gc_pause, "FROZEN_OBJECTS", gc_pause.FrozenObjects())
    return counts


def test_a_pause_with_few_objects_counts_no_frozen_ones(counts: list[int]) -> None:
    """Pausing the collector with few new objects does not count the frozen ones."""
    gc.collect(0)  # the tests before may have left many new objects
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert [] == counts


def test_frozen_objects_are_counted_once(counts: list[int]) -> None:
    """Pausing the collector several times counts the frozen objects once."""
    for _ in range(3):
        with gc_paused():
            rows = [[number] for number in range(20_000)]
        assert 20_000 == len(rows)
    assert [3] == counts


class Node:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def _thresholds() -> Iterator[None]:
    """Restore the thresholds of the collector."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


async def _make_garbage(count_requests: Callable[[], int]) -> bool:
    """Leave much garbage while a server handles requests; return whether it is gone a moment later."""
    collector = asyncio.create_task(collect_when_idle(count_requests, pause=0.01))
    await asyncio.sleep(0)
    garbage = weakref.ref(Node())
    rows = [[number] for number in range(20_000)]
    await asyncio.sleep(0.1)
    collector.cancel()
    return garbage() is None and 20_000 == len(rows)


@pytest.mark.usefixtures("_thresholds")
def test_garbage_is_collected_while_no_requests_come() -> None:
    """A server collects garbage once no request has come for a while."""
    assert asyncio.run(_make_garbage(lambda: 7))


@pytest.mark.usefixtures("_thresholds")
def test_garbage_waits_while_requests_come() -> None:
    """A server that handles requests collects no garbage, until much has piled up."""
    assert not asyncio.run(_make_garbage(count().__next__))


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
    """A shortened exit finalizes garbage once and freezes the objects that still exist."""
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=True)
    assert ["finalized", "frozen True"] == done.stdout.splitlines()
