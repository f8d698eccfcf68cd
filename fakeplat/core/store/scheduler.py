"""Scheduled tasks: work that runs when the world's clock reaches a time.

A kind of task is a function registered with `task_handler`. Tasks are records like any others, so drafts, snapshots
and exports contain them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject


@frozen
class ScheduledTask:
    """A task to run at a time (ms): its kind, its subject (table, id), and its arguments.

    ``in_progress``: the subject is unfinished, so reading it under the auto clock runs the task early. ``recurring``:
    the task schedules itself again, without end, or guards against what may never happen, so nobody waits for it.
    """

    id: int
    at: int
    kind: str
    subject: Subject
    in_progress: bool = False
    args: Mapping[str, Any] = field(factory=dict)
    recurring: bool = False


TaskHandler = Callable[[Any, ScheduledTask], None]
_HANDLERS: dict[str, TaskHandler] = {}


def task_handler(kind: str) -> Callable[[TaskHandler], TaskHandler]:
    """Register the handler of a kind of task: a function of the write context and the `ScheduledTask`."""

    def register(function: TaskHandler) -> TaskHandler:
        if kind in _HANDLERS:
            raise ValueError(f"a task handler for {kind!r} is already registered")
        _HANDLERS[kind] = function
        return function

    return register


def has_handler(kind: str) -> bool:
    """Return whether a handler is registered for a kind of task."""
    return kind in _HANDLERS


def run_task(ctx: object, task: ScheduledTask) -> None:
    """Run a task with the handler of its kind."""
    _HANDLERS[task.kind](ctx, task)
