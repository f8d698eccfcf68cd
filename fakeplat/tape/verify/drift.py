"""Drift: differences between played and recorded responses, and their report.

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
_MAX_LENGTH: Final = 120


class DriftKind(Enum):
    """The kind of a difference."""

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
        return _FORMATS[self.kind].format(
            path=self.path,
            recorded=_to_short_json(self.recorded),
            played=_to_short_json(self.played),
            what=self.recorded,
        )


_FORMATS: Final = {
    DriftKind.STATUS: "status {recorded} ≠ {played}",
    DriftKind.HEADER: "{path}: {recorded} ≠ {played}",
    DriftKind.MISSING: "{path}: missing, was {recorded}",
    DriftKind.EXTRA: "{path}: extra, {played}",
    DriftKind.TYPE: "{path}: {recorded} ≠ {played}, different type",
    DriftKind.VALUE: "{path}: {recorded} ≠ {played}",
    DriftKind.REFERENCE: "{path}: {recorded} ≠ {played}, inconsistent with earlier responses",
    DriftKind.ORDER: "{path}: different order, {recorded} ≠ {played}",
    DriftKind.UNPLAYED: "not played: {what}",
}


def _to_short_json(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    text = orjson.dumps(value, default=str).decode()
    # Whole records would make the line of a drift unreadable.
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


@frozen
class Drift:
    """A difference in an exchange. ``number`` counts from 1; ``line`` is the line of the tape."""

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
        """Return the JSON form."""
        difference = self.difference
        return {
            "exchange": self.number,
            "line": self.line,
            "operation": self.operation,
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "kind": difference.kind.value,
            "where": difference.path,
            "recorded": difference.recorded,
            "played": difference.played,
        }


@define
class Report:
    """The result of a verification. ``played`` counts the exchanges by operation."""

    tape: str
    upstream: str
    against: str
    played: Counter[str] = field(factory=Counter)
    drifts: list[Drift] = field(factory=list)

    def data(self) -> dict[str, Any]:
        """Return the JSON form."""
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
        """Return the lines of text: the drifts by operation, then a summary."""
        drifted = sorted({drift.operation for drift in self.drifts})
        for operation in drifted:
            for drift in self.drifts:
                if drift.operation == operation:
                    yield str(drift)
        total, operations = self.played.total(), len(self.played)
        yield f"{_count(total, 'exchange')} of {_count(operations, 'operation')}: " + (
            f"{_count(len(self.drifts), 'drift')} in {_count(len(drifted), 'operation')}" if drifted else "no drift"
        )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
