"""What somebody is asked to look at."""

from typing import Any, Literal

from fakeplat.core.store.frozen import frozen

Action = Literal[
    "assigned", "mentioned", "build_failed", "marked", "approval_required", "unmergeable", "directly_addressed"
]
TodoState = Literal["pending", "done"]


@frozen
class Todo:
    """A to-do of ``user_id`` about a thing, ``subject`` (kind, id); ``note_id``: the note that asks for it, if one."""

    id: int
    user_id: int
    author_id: int
    project_id: int
    subject: tuple[Any, ...]
    action: Action
    created_at: str
    updated_at: str
    note_id: int | None = None
    state: TodoState = "pending"
