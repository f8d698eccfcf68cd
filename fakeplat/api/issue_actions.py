"""What can be done with an issue beyond editing it, and who has a part in it. Source: facts and more on issues."""

from collections.abc import Sequence
from typing import Any

from fakeplat.api import missing
from fakeplat.api.issues import ISSUE, ISSUE_BY_NAME, area, demand_update
from fakeplat.core.errors import NotFound
from fakeplat.core.operation import Login
from fakeplat.core.paging import Paged
from fakeplat.core.params import Params, at_least_one_of
from fakeplat.domain import issue_moves, issue_order, participants, subscriptions, time_tracking, user_agents
from fakeplat.entities.issues import ELSEWHERE, SINGLE, IssueView
from fakeplat.entities.planned import time_stats
from fakeplat.entities.user_agents import UserAgentView
from fakeplat.entities.users import UserBasic
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand


def _single(cx: Context, p: Params, issue: Issue | None) -> tuple[str, ...]:
    del cx, p, issue
    return (SINGLE,)


def _arrived(cx: Context, p: Params, issue: Issue | None) -> tuple[str, ...]:
    return (*_single(cx, p, issue), ELSEWHERE)


class MoveIssue(Params):
    """Where to."""

    to_project_id: int


@area.operation(
    "POST", "move", under=ISSUE_BY_NAME, takes=MoveIssue, shows=IssueView, options=_arrived, refuses=(400, 404)
)
def move_issue(cx: Doing, project: Project, issue: Issue, p: MoveIssue) -> Issue:
    """Move an issue to another project; gives the new one."""
    target = cx.world.projects.get(p.to_project_id)
    if target is None:
        raise NotFound("Project", reason=missing.project(cx, str(p.to_project_id)))
    return issue_moves.move(cx, project, issue, target)


class ReorderIssue(Params):
    """Between which issues, by their ids."""

    move_after_id: int | None = None
    move_before_id: int | None = None

    rules = (at_least_one_of("move_after_id", "move_before_id"),)


@area.operation(
    "PUT",
    "reorder",
    under=ISSUE_BY_NAME,
    takes=ReorderIssue,
    shows=IssueView,
    options=_single,
    refuses=(403, 422),
)
def reorder_issue(cx: Doing, project: Project, issue: Issue, p: ReorderIssue) -> Issue:
    """Put an issue between others: before the one with move_after_id, behind the one with move_before_id."""
    demand_update(cx, project, issue)
    return issue_order.reorder(cx, issue, p.move_before_id, p.move_after_id)


@area.operation("POST", "subscribe", under=ISSUE, shows=IssueView, options=_single, refuses=(304,))
def subscribe_issue(cx: Doing, project: Project, issue: Issue) -> Issue:
    """Hear of an issue."""
    del project
    return _subscribed(cx, issue, wanted=True)


@area.operation("POST", "unsubscribe", under=ISSUE, shows=IssueView, options=_single, refuses=(304,))
def unsubscribe_issue(cx: Doing, project: Project, issue: Issue) -> Issue:
    """Hear no more of an issue."""
    del project
    return _subscribed(cx, issue, wanted=False)


def _subscribed(cx: Doing, issue: Issue, *, wanted: bool) -> Issue:
    user = cx.someone
    now = subscriptions.hears_of(cx.world, issue, user)
    subscriptions.subscribe(cx, ("issue", issue.id), user, wanted=wanted, now=now)
    return issue


@area.operation("GET", "participants", under=ISSUE, takes=Paged, shows=UserBasic, many=True)
def list_issue_participants(cx: Context, project: Project, issue: Issue, p: Paged) -> Sequence[User]:
    """List who has a part in an issue."""
    del project, p
    return participants.of(cx, issue)


@area.operation(
    "GET",
    "user_agent_detail",
    under=ISSUE,
    may=May.READ_USER_AGENT,
    login=Login.ALWAYS,
    shows=UserAgentView,
    refuses=(404,),
)
def get_issue_user_agent_detail(cx: Context, project: Project, issue: Issue) -> UserAgentDetail:
    """Get with what an issue was written. Administrators only."""
    del project
    found = user_agents.of(cx.world, ("issue", issue.id))
    if found is None:
        raise NotFound("UserAgentDetail", reason=f"issue {issue.iid} did not come with a user agent")
    return found


class Duration(Params):
    """A span of work, as 3h30m."""

    duration: str


@area.operation("POST", "time_estimate", under=ISSUE, takes=Duration, status=200, refuses=(400, 403))
def set_issue_time_estimate(cx: Doing, project: Project, issue: Issue, p: Duration) -> dict[str, Any]:
    """Say how long an issue should take."""
    demand(cx, May.ADMIN_ISSUE, project)
    return time_stats(time_tracking.estimate(cx, issue, p.duration))


@area.operation("POST", "reset_time_estimate", under=ISSUE, status=200, refuses=(403,))
def reset_issue_time_estimate(cx: Doing, project: Project, issue: Issue) -> dict[str, Any]:
    """Take back how long an issue should take."""
    demand(cx, May.ADMIN_ISSUE, project)
    return time_stats(time_tracking.set_estimate(cx, issue, 0))


@area.operation("POST", "add_spent_time", under=ISSUE, takes=Duration, refuses=(400, 403))
def add_issue_spent_time(cx: Doing, project: Project, issue: Issue, p: Duration) -> dict[str, Any]:
    """Say how much more time an issue took."""
    demand(cx, May.ADMIN_ISSUE, project)
    return time_stats(time_tracking.spend(cx, issue, p.duration))


@area.operation("POST", "reset_spent_time", under=ISSUE, status=200, refuses=(403,))
def reset_issue_spent_time(cx: Doing, project: Project, issue: Issue) -> dict[str, Any]:
    """Forget how much time an issue took."""
    demand(cx, May.ADMIN_ISSUE, project)
    return time_stats(time_tracking.reset_spent(cx, issue))
