"""What is due later: work kept in the world until its clock reaches the time.

A kind of work is a function registered under a name with `work`. What stands on the agenda is a record
like any other, so forks, snapshots and exports carry it along.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import field

from fakeplat.core.store.frozen import frozen

Subject = tuple[str, int]


@frozen
class Due:
    """Work to do at a moment (ms): its kind, what it is about (table, id), and its arguments.

    ``under_way``: the subject is unfinished, so that reading it under the auto clock brings the work forward.
    """

    id: int
    at: int
    kind: str
    subject: Subject
    under_way: bool = False
    args: Mapping[str, Any] = field(factory=dict)


Work = Callable[[Any, Due], None]
_KINDS: dict[str, Work] = {}


def work(kind: str) -> Callable[[Work], Work]:
    """Register what is done for a kind of work: a function of the acting context and the `Due`."""

    def register(function: Work) -> Work:
        if kind in _KINDS:
            raise ValueError(f"two kinds of work are named {kind}")
        _KINDS[kind] = function
        return function

    return register


def perform(doing: Any, due: Due) -> None:
    """Do what is due."""
    _KINDS[due.kind](doing, due)
