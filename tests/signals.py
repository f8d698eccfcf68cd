"""The signals that are sent while a test runs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import define, field

from fakeplat.domain import signals

KINDS = (signals.Signal, signals.RecordSignal, signals.ChangeSignal)
NAMES = {id(value): name for name, value in vars(signals).items() if isinstance(value, KINDS)}


@define
class SentSignals:
    """The signals that were sent, in their order: names and arguments. Those of refused requests are among them."""

    sent: list[tuple[str, tuple[Any, ...]]] = field(factory=list)

    def __iter__(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        return iter(self.sent)

    def list_arguments(self, name: str) -> list[tuple[Any, ...]]:
        """Return the arguments of each signal of a name."""
        return [arguments for sent, arguments in self.sent if sent == name]

    def list_records(self, name: str) -> list[Any]:
        """Return the only argument of each signal of a name."""
        return [record for (record,) in self.list_arguments(name)]

    def clear(self) -> None:
        self.sent.clear()


def record_signals(monkeypatch: pytest.MonkeyPatch) -> SentSignals:
    """Record the signals that are sent from now on; their receivers are called as ever."""
    recorded = SentSignals()

    def wrap(send: Callable[..., None]) -> Callable[..., None]:
        def record_and_send(signal: Any, ctx: Any, *arguments: Any) -> None:
            # A signal by class sends a signal without a name, for the class of the record.
            if id(signal) in NAMES:
                recorded.sent.append((NAMES[id(signal)], arguments))
            send(signal, ctx, *arguments)

        return record_and_send

    for kind in KINDS:
        monkeypatch.setattr(kind, "send", wrap(kind.__dict__["send"]))
    return recorded
