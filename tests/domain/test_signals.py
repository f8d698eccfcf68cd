"""Signals call their receivers in the order in which these were connected."""

from typing import Any, cast

import pytest

from fakeplat.domain import signals
from fakeplat.domain.signals import RecordSignal, Signal
from fakeplat.policy.context import WriteContext

CX = cast(WriteContext, object())


def test_receivers_are_called_in_their_order() -> None:
    """Receivers are called in order with the context and the arguments."""
    calls: list[tuple[str, Any, int]] = []
    signal = Signal[[int]]()
    signal.connect(
        lambda ctx, number: calls.append(("first", ctx, number)), lambda ctx, n: calls.append(("second", ctx, n))
    )
    signal.send(CX, 7)
    assert [("first", CX, 7), ("second", CX, 7)] == calls


def test_a_signal_is_connected_once() -> None:
    """Connecting a signal a second time raises ValueError."""
    signal = Signal[[int]]()
    signal.connect(lambda ctx, number: None)
    with pytest.raises(ValueError, match="connected only once"):
        signal.connect(lambda ctx, number: None)


def test_a_signal_without_receivers_does_nothing() -> None:
    """Sending a signal that has no receivers does nothing."""
    Signal[[int]]().send(CX, 7)


def test_modules_are_imported_until_one_connects_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are imported in order, each once, until one connects the record's class."""
    imported: list[str] = []
    signal = RecordSignal("first", "second", "third")

    def import_receivers(module: str) -> None:
        imported.append(module)
        if module == "second":
            signal.connect(int, lambda ctx, record: imported.append(f"called with {record}"))

    monkeypatch.setattr(signals, "_import_receivers", import_receivers)
    signal.send(CX, 7)
    signal.send(CX, 8)
    assert ["first", "second", "called with 7", "called with 8"] == imported


def test_each_class_of_records_has_receivers_of_its_own() -> None:
    """A record signal calls only the receivers of the record's class."""
    calls: list[object] = []
    signal = RecordSignal()
    signal.connect(int, lambda ctx, record: calls.append(record))
    signal.connect(str, lambda ctx, record: calls.append(record.upper()))
    for record in (7, "a", 1.5):
        signal.send(CX, record)
    assert [7, "A"] == calls
