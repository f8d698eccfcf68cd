"""Issues and their links."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init
from fakeplat.core.store.references import Subject

Kind = Literal["issue", "incident", "test_case", "requirement", "task", "objective", "key_result"]
HEALTH_STATUSES: Final = ("on_track", "needs_attention", "at_risk")
Severity = Literal["unknown", "low", "medium", "high", "critical"]
WorkStatus = Literal["to_do", "in_progress", "done", "wont_do", "duplicate"]
EscalationStatus = Literal["triggered", "acknowledged", "resolved", "ignored"]


@fast_init
@frozen
class Issue:
    """An issue, incident, test case, task, objective or key result, under one name.

    Only incidents have a severity; tasks have an issue above them, objectives and key results an objective.

    ``last_edited_at`` is the time of the last change of the description, ``zoom_url`` the address of a meeting.
    ``child_position`` is the place among those below the same issue; without one it comes last.
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
    promoted_to_epic_id: int | None = None
    updated_by_id: int | None = None
    start_date: str | None = None
    iteration_id: int | None = None
    severity: Severity = "unknown"
    parent_issue_id: int | None = None
    child_position: int | None = None
    work_status: WorkStatus | None = None
    escalation_status: EscalationStatus | None = None
    sla_due_at: str | None = None
    last_edited_at: str | None = None
    last_edited_by_id: int | None = None
    zoom_url: str | None = None


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


@frozen
class Progress:
    """How far an objective or key result has come: percents, and the value between two others that they follow from.

    The percents of an objective are those of what is below it, once one of these changes.
    """

    id: int
    issue_id: int
    created_at: str
    updated_at: str
    progress: int = 0
    start_value: int = 0
    current_value: int = 0
    end_value: int = 100


@frozen
class WorkItemPreference:
    """How a user wants to see lists of work items in a project or group (``source``), of a type or of all.

    ``sort`` is the name of an order with its direction, as ``created_asc``.
    """

    id: int
    user_id: int
    source: Subject
    type_id: int | None = None
    sort: str | None = None
    display_settings: Mapping[str, Any] | None = None
