"""Issues and their links."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init
from fakeplat.core.store.references import Subject

Kind = Literal["issue", "incident", "test_case", "requirement", "task"]
HEALTH_STATUSES: Final = ("on_track", "needs_attention", "at_risk")
Severity = Literal["unknown", "low", "medium", "high", "critical"]
WorkStatus = Literal["to_do", "in_progress", "done", "wont_do", "duplicate"]
EscalationStatus = Literal["triggered", "acknowledged", "resolved", "ignored"]


@fast_init
@frozen
class Issue:
    """An issue, incident, test case or task; only incidents have a severity, and only tasks an issue above them.

    Time tracking is in seconds. Issues are sorted by ascending relative position. ``work_status`` and, of incidents,
    ``escalation_status`` are None as long as they follow from the state.
    """

    id: int
    iid: int
    project_id: int
    title: str
    author_id: int
    created_at: str
    updated_at: str
    description: str | None = None
    state: str = "opened"
    kind: Kind = "issue"
    assignee_ids: tuple[int, ...] = ()
    label_ids: tuple[int, ...] = ()
    milestone_id: int | None = None
    closed_at: str | None = None
    closed_by_id: int | None = None
    due_date: str | None = None
    confidential: bool = False
    discussion_locked: bool | None = None
    weight: int | None = None
    health_status: str | None = None
    relative_position: int | None = None
    time_estimate: int = 0
    total_time_spent: int = 0
    moved_to_id: int | None = None
    duplicated_to_id: int | None = None
    updated_by_id: int | None = None
    start_date: str | None = None
    iteration_id: int | None = None
    severity: Severity = "unknown"
    parent_issue_id: int | None = None
    work_status: WorkStatus | None = None
    escalation_status: EscalationStatus | None = None


@frozen
class Award:
    """An award emoji from a user. ``subject`` is (kind, id)."""

    id: int
    subject: Subject
    user_id: int
    name: str
    created_at: str
    updated_at: str


@frozen
class CustomEmoji:
    """An emoji that a user added to a group, for what is in the group: an image at an address outside."""

    id: int
    group_id: int
    name: str
    url: str
    creator_id: int
    created_at: str
    updated_at: str


@frozen
class Timelog:
    """Time that a user spent, or a correction with negative seconds. ``subject`` is (kind, id)."""

    id: int
    subject: Subject
    user_id: int
    time_spent: int
    created_at: str
    updated_at: str
    spent_at: str | None = None
    summary: str | None = None
    note_id: int | None = None


@frozen
class Subscription:
    """A user's explicit choice to be subscribed or not. ``subject`` is (kind, id)."""

    id: int
    user_id: int
    subject: Subject
    subscribed: bool


@frozen
class IssueLink:
    """A link between two issues. ``blocks``: the source blocks the target."""

    id: int
    source_id: int
    target_id: int
    created_at: str
    updated_at: str
    link_type: Literal["relates_to", "blocks"] = "relates_to"
