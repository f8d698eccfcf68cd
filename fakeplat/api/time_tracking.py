"""Time tracking of issues and merge requests: estimates and spent time.

Source: docs/platform/namespaces.md, docs/platform/groups.md.
"""

from typing import Any, Final

from fakeplat.api.issues import ISSUE
from fakeplat.api.scopes import VISIBLE_MERGE_REQUEST
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import time_tracking
from fakeplat.entities.planned import time_stats
from fakeplat.model.projects import Project
from fakeplat.policy.context import Doing
from fakeplat.policy.rulings import demand

area: Final = Area("Time tracking", login=Login.ALWAYS)
TRACKED: Final = (ISSUE, VISIBLE_MERGE_REQUEST)


class Duration(Params):
    """A span of work, as 3h30m."""

    duration: str


@area.operation("POST", "time_estimate", under=TRACKED, takes=Duration, status=200, refuses=(400, 403))
def set_time_estimate(cx: Doing, project: Project, record: Any, p: Duration) -> dict[str, Any]:
    """Set a time estimate."""
    demand(cx, noteables.of(record).administers, project)
    return time_stats(time_tracking.estimate(cx, record, p.duration))


@area.operation("POST", "reset_time_estimate", under=TRACKED, status=200, refuses=(403,))
def reset_time_estimate(cx: Doing, project: Project, record: Any) -> dict[str, Any]:
    """Reset the time estimate."""
    demand(cx, noteables.of(record).administers, project)
    return time_stats(time_tracking.set_estimate(cx, record, 0))


@area.operation("POST", "add_spent_time", under=TRACKED, takes=Duration, refuses=(400, 403))
def add_spent_time(cx: Doing, project: Project, record: Any, p: Duration) -> dict[str, Any]:
    """Add spent time."""
    demand(cx, noteables.of(record).administers, project)
    return time_stats(time_tracking.spend(cx, record, p.duration))


@area.operation("POST", "reset_spent_time", under=TRACKED, status=200, refuses=(403,))
def reset_spent_time(cx: Doing, project: Project, record: Any) -> dict[str, Any]:
    """Reset the spent time."""
    demand(cx, noteables.of(record).administers, project)
    return time_stats(time_tracking.reset_spent(cx, record))
