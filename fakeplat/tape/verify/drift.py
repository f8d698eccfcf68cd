"""Drift: where a played answer is another than the recorded one; and the report of it.

The JSON form of a report (``fakeplat verify --json``) is described in docs/fidelity.md.
"""

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

import orjson
from attrs import define, field

from fakeplat.core.store.frozen import frozen

FORMAT: Final = 1
_LONGEST: Final = 120


class DriftKind(Enum):
    """What a difference is."""

    STATUS = "status"
    HEADER = "header"
    MISSING = "missing"
    EXTRA = "extra"
    TYPE = "type"
    VALUE = "value"
    REFERENCE = "reference"
    ORDER = "order"
    UNPLAYED = "unplayed"


@frozen
class Difference:
    """One difference. ``path`` is a JSON path, a header's name or empty."""

    kind: DriftKind
    path: str
    recorded: Any = None
    played: Any = None

    def __str__(self) -> str:
        return _SENTENCES[self.kind].format(
            path=self.path, recorded=_short(self.recorded), played=_short(self.played), what=self.recorded
        )


_SENTENCES: Final = {
    DriftKind.STATUS: "status {recorded} ≠ {played}",
    DriftKind.HEADER: "{path}: {recorded} ≠ {played}",
    DriftKind.MISSING: "{path}: missing, was {recorded}",
    DriftKind.EXTRA: "{path}: extra, {played}",
    DriftKind.TYPE: "{path}: {recorded} ≠ {played}, another type",
    DriftKind.VALUE: "{path}: {recorded} ≠ {played}",
    DriftKind.REFERENCE: "{path}: {recorded} ≠ {played}, not the same thing as before",
    DriftKind.ORDER: "{path}: other order, {recorded} ≠ {played}",
    DriftKind.UNPLAYED: "not played: {what}",
}


def _short(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    text = orjson.dumps(value, default=str).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@frozen
class Drift:
    """A difference in an exchange. ``number`` counts from 1; ``line`` is that of the tape's file."""

    number: int
    line: int
    operation: str
    method: str
    path: str
    status: int
    difference: Difference

    def __str__(self) -> str:
        where = f"({self.method} {self.path}, line {self.line})"
        return f"{self.operation}  {self.status}  {self.difference}  {where}"

    def data(self) -> dict[str, Any]:
        """As JSON."""
        found = self.difference
        return {
            "exchange": self.number,
            "line": self.line,
            "operation": self.operation,
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "kind": found.kind.value,
            "where": found.path,
            "recorded": found.recorded,
            "played": found.played,
        }


@define
class Report:
    """What verifying found. ``played`` counts the exchanges by operation."""

    tape: str
    upstream: str
    against: str
    played: Counter[str] = field(factory=Counter)
    drifts: list[Drift] = field(factory=list)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        drifted = Counter(drift.operation for drift in self.drifts)
        return {
            "format": FORMAT,
            "tape": self.tape,
            "upstream": self.upstream,
            "against": self.against,
            "exchanges": self.played.total(),
            "operations": {
                name: {"exchanges": count, "drifts": drifted[name]} for name, count in sorted(self.played.items())
            },
            "drifts": [drift.data() for drift in self.drifts],
        }

    def lines(self) -> Iterator[str]:
        """As text: the drifts operation by operation, then the sum."""
        drifted = sorted({drift.operation for drift in self.drifts})
        for operation in drifted:
            for drift in self.drifts:
                if drift.operation == operation:
                    yield str(drift)
        total, operations = self.played.total(), len(self.played)
        yield f"{_counted(total, 'exchange')} of {_counted(operations, 'operation')}: " + (
            f"{_counted(len(self.drifts), 'drift')} in {_counted(len(drifted), 'operation')}" if drifted else "no drift"
        )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
