"""Actions on issues besides editing, and participants. Source: docs/platform/issues.md."""

from collections.abc import Sequence

from fakeplat.api import missing
from fakeplat.api.issues import issuables
from fakeplat.api.issues.issues import ISSUE, ISSUE_WITH_NAMED_404, area
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.domain.issues import issue_moves, issue_order
from fakeplat.domain.notes import noteables, participants
from fakeplat.domain.people import user_agents
from fakeplat.entities.issues.issues import FROM_OUTSIDE, SINGLE, IssueView
from fakeplat.entities.people.users import UserAgentView, UserBasic
from fakeplat.model.issues import Issue
from fakeplat.model.people import User, UserAgentDetail
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext


def _single_options(_ctx: ReadContext, _p: Params, _issue: Issue | None) -> tuple[str, ...]:
    return (SINGLE,)


def _moved_options(ctx: ReadContext, p: Params, issue: Issue | None) -> tuple[str, ...]:
    # The new issue is not in the project of the path, so its reference is shown in full.
    return (*_single_options(ctx, p, issue), FROM_OUTSIDE)


class MoveIssue(Params):
    """The target project."""

    to_project_id: int


@area.operation(
    "POST",
    "move",
    scope=ISSUE_WITH_NAMED_404,
    params=MoveIssue,
    view=IssueView,
    options=_moved_options,
    refusals=(400, 404, 429),
)
def move_issue(ctx: WriteContext, project: Project, issue: Issue, p: MoveIssue) -> Issue:
    """Move an issue to another project and return the new issue."""
    return issue_moves.move(ctx, project, issue, _get_target(ctx, p.to_project_id))


def _get_target(ctx: ReadContext, id_: int) -> Project:
    # Only an unknown id is 404 here; for a project that is hidden from the caller the answer is 400.
    target = ctx.world.projects.get(id_)
    if target is None:
        raise NotFound("Project", reason=missing.project(ctx, str(id_)))
    return target


class CloneIssue(Params):
    """The target project, and whether notes are copied."""

    to_project_id: int
    with_notes: bool = False


@area.operation(
    "POST",
    "clone",
    scope=ISSUE_WITH_NAMED_404,
    params=CloneIssue,
    view=IssueView,
    options=_moved_options,
    refusals=(400, 404, 429),
    since="<=18.9",
)
def clone_issue(ctx: WriteContext, _project: Project, issue: Issue, p: CloneIssue) -> Issue:
    """Create a copy of an issue in a project and return it."""
    return issue_moves.clone(ctx, issue, _get_target(ctx, p.to_project_id), with_notes=p.with_notes)


class ReorderIssue(Params):
    """The ids of the issues to place the issue between."""

    move_after_id: int | None = None
    move_before_id: int | None = None

    rules = (at_least_one_of("move_after_id", "move_before_id"),)


@area.operation(
    "PUT",
    "reorder",
    scope=ISSUE_WITH_NAMED_404,
    params=ReorderIssue,
    view=IssueView,
    options=_single_options,
    refusals=(403, 422),
)
def reorder_issue(ctx: WriteContext, _project: Project, issue: Issue, p: ReorderIssue) -> Issue:
    """Reorder an issue: before the one with move_after_id, behind the one with move_before_id."""
    noteables.authorize_update(ctx, issue)
    return issue_order.reorder(ctx, issue, p.move_before_id, p.move_after_id)


@area.operation("POST", "subscribe", scope=ISSUE, view=IssueView, options=_single_options, refusals=(304,))
def subscribe_issue(ctx: WriteContext, _project: Project, issue: Issue) -> Issue:
    """Subscribe to an issue."""
    return _set_subscription(ctx, issue, subscribed=True)


@area.operation("POST", "unsubscribe", scope=ISSUE, view=IssueView, options=_single_options, refusals=(304,))
def unsubscribe_issue(ctx: WriteContext, _project: Project, issue: Issue) -> Issue:
    """Unsubscribe from an issue."""
    return _set_subscription(ctx, issue, subscribed=False)


def _set_subscription(ctx: WriteContext, issue: Issue, *, subscribed: bool) -> Issue:
    issuables.set_subscription(ctx, issue, subscribed=subscribed)
    return issue


@area.operation("GET", "participants", scope=ISSUE, params=Paged, view=UserBasic, many=True)
def list_issue_participants(ctx: ReadContext, _project: Project, issue: Issue) -> Sequence[User]:
    """List the participants of an issue."""
    return participants.list_participants(ctx, issue)


@area.operation(
    "GET",
    "user_agent_detail",
    scope=ISSUE,
    ability=Ability.READ_USER_AGENT,
    login=Login.ALWAYS,
    view=UserAgentView,
    refusals=(404,),
)
def get_issue_user_agent_detail(ctx: ReadContext, _project: Project, issue: Issue) -> UserAgentDetail:
    """Get the user agent that created an issue. Administrators only."""
    return user_agents.get_user_agent(ctx, ("issue", issue.id), f"issue {issue.iid}")
