"""What users did, as their activity and that of projects shows it."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

Action = Literal[
    "created",
    "updated",
    "closed",
    "reopened",
    "pushed",
    "commented",
    "merged",
    "joined",
    "left",
    "destroyed",
    "expired",
    "approved",
]


@frozen
class PushData:
    """What was pushed. ``ref_count``: so many refs moved at once, none of which is named."""

    commit_count: int
    action: Literal["pushed", "created", "removed"]
    ref_type: Literal["branch", "tag"]
    commit_from: str | None = None
    commit_to: str | None = None
    ref: str | None = None
    commit_title: str | None = None
    ref_count: int | None = None


@frozen
class Event:
    """Somebody did something in a project or group, perhaps to something of a kind (``issue``, ``milestone`` …).

    ``target_id`` is None where the target is gone, or the place itself is meant.
    """

    id: int
    author_id: int
    action: Action
    created_at: str
    project_id: int | None = None
    group_id: int | None = None
    kind: str | None = None
    target_id: int | None = None
    push: PushData | None = None
