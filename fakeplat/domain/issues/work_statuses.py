"""Statuses of work items: what is done with an issue or a task. Source: docs/platform/work-items.md.

Each status has a category, which decides whether the work item is open. Closing and reopening give the status that
follows from the state.
"""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues import issues
from fakeplat.model.issues import Issue, WorkStatus
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Category = Literal["triage", "to_do", "in_progress", "done", "canceled"]
GID: Final = "WorkItems::Statuses::SystemDefined::Status"
TYPES: Final = ("issue", "task")
"""The kinds of issues that have statuses."""
ICONS: Final[dict[Category, str]] = {
    "triage": "status-neutral",
    "to_do": "status-waiting",
    "in_progress": "status-running",
    "done": "status-success",
    "canceled": "status-cancelled",
}


@frozen
class Status:
    """A status that every namespace has, with the platform's number."""

    id: int
    key: WorkStatus
    name: str
    category: Category
    color: str
    position: int = 0
    description: None = None

    @property
    def icon_name(self) -> str:
        """The name of the icon."""
        return ICONS[self.category]

    @property
    def is_open(self) -> bool:
        """Whether work items with the status are open."""
        return self.category not in ("done", "canceled")


STATUSES: Final = (
    Status(1, "to_do", "To do", "to_do", "#737278"),
    Status(2, "in_progress", "In progress", "in_progress", "#1f75cb"),
    Status(3, "done", "Done", "done", "#108548"),
    Status(4, "wont_do", "Won't do", "canceled", "#DD2B0E"),
    Status(5, "duplicate", "Duplicate", "canceled", "#DD2B0E"),
)
_BY_KEY: Final = {status.key: status for status in STATUSES}
DEFAULT_OPEN: Final = _BY_KEY["to_do"]
DEFAULT_CLOSED: Final = _BY_KEY["done"]
DEFAULT_DUPLICATE: Final = _BY_KEY["duplicate"]


def find_status(id_: int) -> Status | None:
    """Return the status with a number."""
    return next((status for status in STATUSES if status.id == id_), None)


def status_of(issue: Issue) -> Status:
    """Return the status of an issue: the one that it was given, or else the one that follows from its state."""
    if issue.work_status is not None:
        return _BY_KEY[issue.work_status]
    if issue.state == "opened":
        return DEFAULT_OPEN
    return DEFAULT_DUPLICATE if issue.moved_to_id is not None else DEFAULT_CLOSED


def has_statuses(ctx: ReadContext, issue: Issue) -> bool:
    """Return whether an issue has a status: paid tiers only."""
    return issue.kind in TYPES and has_feature(ctx.world, "premium", issue)


def set_status(ctx: WriteContext, issue: Issue, status: Status) -> Issue:
    """Give an issue a status, which closes or reopens it; ignored for those who may not, and on the free tier."""
    project = ctx.world.projects[issue.project_id]
    if not has_statuses(ctx, issue) or not can(ctx, Ability.ADMIN_ISSUE, project) or status_of(issue) == status:
        return issue
    moved = issues.reopen(ctx, issue) if status.is_open else issues.close(ctx, issue)
    return issues.update_fields(ctx, moved, work_status=status.key)


def mark_duplicate(ctx: WriteContext, issue: Issue) -> Issue:
    """Give an issue the status of duplicates, without a note."""
    if not has_statuses(ctx, issue):
        return issue
    return ctx.world.issues.change(issue, work_status=DEFAULT_DUPLICATE.key)
