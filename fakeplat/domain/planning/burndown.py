"""Burndown events of a milestone: creation, closing and reopening of its issues, with their weights.

Source: docs/platform/external.md ('Burndown events').
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fakeplat.core.timestamps import add_days
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Milestone
from fakeplat.model.world import World


def list_events(world: World, milestone: Milestone, issues: Iterable[Issue]) -> list[dict[str, Any]]:
    """Return the events of a milestone's issues, issue by issue; none without a start and a due date.

    Events after the due date are omitted; events before the start date keep their time.
    """
    if milestone.start_date is None or milestone.due_date is None:
        return []
    # Timestamps compare as text with the start of the next day, which includes the due date itself.
    end = add_days(milestone.due_date, 1)
    return [event for issue in issues for event in _issue_events(world, issue) if event["created_at"] < end]


def _issue_events(world: World, issue: Issue) -> Iterator[dict[str, Any]]:
    yield _event(issue, issue.created_at, "created")
    changes = [event for event in world.state_events.where("subject", ("issue", issue.id)) if event.state != "merged"]
    for change in changes:
        yield _event(issue, change.created_at, change.state)
    # A scenario declares closed issues without recording state events.
    if not changes and issue.state == "closed":
        yield _event(issue, issue.closed_at or issue.updated_at, "closed")


def _event(issue: Issue, at: str, action: str) -> dict[str, Any]:
    return {"created_at": at, "weight": issue.weight, "action": action}
