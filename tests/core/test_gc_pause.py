"""The pause of the garbage collector."""

import gc

import pytest

from fakeplat.core.gc_pause import gc_paused


def test_a_pause_with_few_objects_counts_no_frozen_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting visits each of them, and each new issue pauses the collector."""
    counted: list[None] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(None) or 1)
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert [] == counted
    with gc_paused():
        rows = [[number] for number in range(20_000)]
    assert (20_000, [None]) == (len(rows), counted)
