"""How the issues of a milestone burn down: when each was made, closed and reopened, with its weight.

Source: docs/platform/external.md ('Burndown events').
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fakeplat.core.timestamps import add_days
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Milestone
from fakeplat.model.world import World


def list_events(world: World, milestone: Milestone, issues: Iterable[Issue]) -> list[dict[str, Any]]:
    """The events of some issues of a milestone, issue by issue; none where it lacks a start or a due date.

    What happened after the due date is left out; what was before the start stands at its own time.
    """
    if milestone.start_date is None or milestone.due_date is None:
        return []
    end = add_days(milestone.due_date, 1)
    return [event for issue in issues for event in _events(world, issue) if event["created_at"] < end]


def _events(world: World, issue: Issue) -> Iterator[dict[str, Any]]:
    yield _event(issue, issue.created_at, "created")
    changes = [one for one in world.state_events.where("subject", ("issue", issue.id)) if one.state != "merged"]
    for change in changes:
        yield _event(issue, change.created_at, change.state)
    if not changes and issue.state == "closed":
        yield _event(issue, issue.closed_at or issue.updated_at, "closed")


def _event(issue: Issue, at: str, action: str) -> dict[str, Any]:
    return {"created_at": at, "weight": issue.weight, "action": action}
