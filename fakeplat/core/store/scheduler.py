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
class ScheduledTask:
    """Work to do at a moment (ms): its kind, what it is about (table, id), and its arguments.

    ``in_progress``: the subject is unfinished, so that reading it under the auto clock brings the work forward.
    """

    id: int
    at: int
    kind: str
    subject: Subject
    in_progress: bool = False
    args: Mapping[str, Any] = field(factory=dict)


TaskHandler = Callable[[Any, ScheduledTask], None]
_KINDS: dict[str, TaskHandler] = {}


def task_handler(kind: str) -> Callable[[TaskHandler], TaskHandler]:
    """Register what is done for a kind of work: a function of the acting context and the `ScheduledTask`."""

    def register(function: TaskHandler) -> TaskHandler:
        if kind in _KINDS:
            raise ValueError(f"two kinds of work are named {kind}")
        _KINDS[kind] = function
        return function

    return register


def run_task(doing: Any, due: ScheduledTask) -> None:
    """Do what is due."""
    _KINDS[due.kind](doing, due)
