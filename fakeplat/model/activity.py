"""What is recorded of the activity of users: events, and audit events."""

from collections.abc import Mapping
from typing import Any, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init

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
    """The details of a push. ``ref_count``: the number of refs in a push of many refs, whose names are not recorded."""

    commit_count: int
    action: Literal["pushed", "created", "removed"]
    ref_type: Literal["branch", "tag"]
    commit_from: str | None = None
    commit_to: str | None = None
    ref: str | None = None
    commit_title: str | None = None
    ref_count: int | None = None


@fast_init
@frozen
class Event:
    """An action of a user in a project or group, optionally on a target of a kind (``issue``, ``milestone`` …).

    ``target_id`` is None if the target was deleted, or is the project or group itself.
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


EntityType = Literal["Project", "User", "Group", "Gitlab::Audit::InstanceScope"]


@frozen
class AuditEvent:
    """An audit event, which outlives its author and the project, user or group that it is about."""

    id: int
    author_id: int
    entity_type: EntityType
    entity_id: int
    details: Mapping[str, Any]
    created_at: str
