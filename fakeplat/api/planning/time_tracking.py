"""Time tracking of issues and merge requests: estimates and spent time.

Source: docs/platform/namespaces.md, docs/platform/groups.md.
"""

from typing import Any, Final

from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.scopes import VISIBLE_MERGE_REQUEST
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain import time_tracking
from fakeplat.domain.notes import noteables
from fakeplat.entities.issues.issuables import time_stats
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

area: Final = Area("Time tracking", login=Login.ALWAYS)
TRACKED: Final = (ISSUE, VISIBLE_MERGE_REQUEST)


class Duration(Params):
    """A duration, such as ``3h30m``."""

    duration: str


@area.operation("POST", "time_estimate", scope=TRACKED, params=Duration, status=200, refusals=(400, 403))
def set_time_estimate(ctx: WriteContext, project: Project, record: Issue | MergeRequest, p: Duration) -> dict[str, Any]:
    """Set a time estimate."""
    authorize(ctx, noteables.noteable_of(record).administers, project)
    return time_stats(ctx.world, time_tracking.update_estimate(ctx, record, p.duration))


@area.operation("POST", "reset_time_estimate", scope=TRACKED, status=200, refusals=(403,))
def reset_time_estimate(ctx: WriteContext, project: Project, record: Issue | MergeRequest) -> dict[str, Any]:
    """Reset the time estimate."""
    authorize(ctx, noteables.noteable_of(record).administers, project)
    return time_stats(ctx.world, time_tracking.set_estimate(ctx, record, 0))


@area.operation("POST", "add_spent_time", scope=TRACKED, params=Duration, refusals=(400, 403))
def add_spent_time(ctx: WriteContext, project: Project, record: Issue | MergeRequest, p: Duration) -> dict[str, Any]:
    """Add spent time."""
    authorize(ctx, noteables.noteable_of(record).administers, project)
    return time_stats(ctx.world, time_tracking.spend_time(ctx, record, p.duration))


@area.operation("POST", "reset_spent_time", scope=TRACKED, status=200, refusals=(403,))
def reset_spent_time(ctx: WriteContext, project: Project, record: Issue | MergeRequest) -> dict[str, Any]:
    """Reset the spent time."""
    authorize(ctx, noteables.noteable_of(record).administers, project)
    return time_stats(ctx.world, time_tracking.reset_spent(ctx, record))
