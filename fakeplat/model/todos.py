"""To-do items."""

from typing import Any, Literal

from fakeplat.core.store.frozen import frozen

Action = Literal[
    "assigned", "mentioned", "build_failed", "marked", "approval_required", "unmergeable", "directly_addressed"
]
TodoState = Literal["pending", "done"]


@frozen
class Todo:
    """A to-do item of ``user_id``. ``subject`` is (kind, id); ``note_id`` is the note that caused it, if any.

    Those about epics have a group instead of a project.
    """

    id: int
    user_id: int
    author_id: int
    project_id: int | None
    subject: tuple[Any, ...]
    action: Action
    created_at: str
    updated_at: str
    note_id: int | None = None
    state: TodoState = "pending"
    group_id: int | None = None
