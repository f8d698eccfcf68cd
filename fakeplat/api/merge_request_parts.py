"""What belongs to a merge request: commits, versions, people, issues, time, the caller's interest.

Source: docs/platform/merge-requests.md.
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.issues import ISSUE
from fakeplat.api.merge_request_lists import area
from fakeplat.api.merge_requests import single
from fakeplat.api.scopes import (
    MERGE_REQUEST,
    MERGE_REQUEST_WITH_ACCESS,
    PROJECT,
    PROJECT_WITH_REPOSITORY,
    VISIBLE_MERGE_REQUEST,
    find_issue,
)
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.domain.issues import related_merge_requests
from fakeplat.domain.merge_requests import closing, diff_versions
from fakeplat.domain.merge_requests.merge_requests import KIND
from fakeplat.domain.notes import noteables, participants, subscriptions, todos
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.entities.commits import CommitBasic
from fakeplat.entities.issues import IssueBasic
from fakeplat.entities.merge_requests import (
    DiffVersionDetail,
    DiffVersionView,
    MergeRequestBasic,
    MergeRequestFull,
    MergeRequestView,
)
from fakeplat.entities.planned import time_stats
from fakeplat.entities.todos import TodoView
from fakeplat.entities.users import UserBasic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import DiffVersion, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.todos import Todo
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand

ISSUE_BY_ID: Final = PROJECT / Segment("issues/:issue_id", kind="integer", locate=find_issue, word="issue")


@area.operation("GET", "commits", under=MERGE_REQUEST, takes=Paged, shows=CommitBasic, many=True)
def list_merge_request_commits(cx: Context, project: Project, merge_request: MergeRequest) -> Sequence[CommitOf]:
    """List the commits of a merge request, newest first."""
    del project
    return diff_versions.commits(cx.world, merge_request, diff_versions.refs(cx.world, merge_request))


@area.operation(
    "GET",
    "versions",
    under=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    takes=Paged,
    shows=DiffVersionView,
    many=True,
    refuses=(403,),
)
def list_merge_request_versions(cx: Context, project: Project, merge_request: MergeRequest) -> Sequence[DiffVersion]:
    """List the diff versions of a merge request, newest first."""
    del project
    return diff_versions.every(cx.world, merge_request)


@area.operation(
    "GET",
    "versions/:version_id",
    under=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    shows=DiffVersionDetail,
    refuses=(403, 404),
)
def get_merge_request_version(
    cx: Context, project: Project, merge_request: MergeRequest, version_id: int
) -> DiffVersion:
    """Get a diff version of a merge request with its commits and differences."""
    del project
    found = cx.world.diff_versions.get(version_id)
    if found is None or found.merge_request_id != merge_request.id:
        raise RecordNotFound(reason=f"merge request {merge_request.iid} has no version {version_id}")
    return found


@area.operation("GET", "participants", under=MERGE_REQUEST, takes=Paged, shows=UserBasic, many=True)
def list_merge_request_participants(cx: Context, project: Project, merge_request: MergeRequest) -> Sequence[User]:
    """List the participants of a merge request."""
    del project
    return participants.of(cx, merge_request)


@area.operation(
    "GET", "closes_issues", under=MERGE_REQUEST_WITH_ACCESS, takes=Paged, shows=IssueBasic, many=True, refuses=(403,)
)
def list_issues_closed_on_merge(cx: Context, project: Project, merge_request: MergeRequest) -> Sequence[Issue]:
    """List the visible issues that a merge request closes when merged."""
    del project
    return [issue for issue in closing.of(cx, merge_request) if noteables.visible(cx, issue)]


@area.operation(
    "POST", "subscribe", under=MERGE_REQUEST_WITH_ACCESS, shows=MergeRequestView, options=single, refuses=(304, 403)
)
def subscribe_merge_request(cx: Doing, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Subscribe to a merge request."""
    del project
    return _subscribed(cx, merge_request, wanted=True)


@area.operation(
    "POST", "unsubscribe", under=MERGE_REQUEST_WITH_ACCESS, shows=MergeRequestView, options=single, refuses=(304, 403)
)
def unsubscribe_merge_request(cx: Doing, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Unsubscribe from a merge request."""
    del project
    return _subscribed(cx, merge_request, wanted=False)


def _subscribed(cx: Doing, merge_request: MergeRequest, *, wanted: bool) -> MergeRequest:
    noteables.demand_updating(cx, merge_request)
    user = cx.someone
    now = subscriptions.hears_of(cx.world, merge_request, user)
    subscriptions.subscribe(cx, (KIND, merge_request.id), user, wanted=wanted, now=now)
    return merge_request


@area.operation("POST", "todo", under=MERGE_REQUEST_WITH_ACCESS, shows=TodoView, refuses=(304, 403))
def create_merge_request_todo(cx: Doing, project: Project, merge_request: MergeRequest) -> Todo:
    """Create a to-do for a merge request."""
    del project
    return todos.mark(cx, merge_request)


@area.operation(
    "GET",
    "repository/commits/:sha/merge_requests",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=Paged,
    shows=MergeRequestBasic,
    options=single,
    many=True,
    refuses=(403, 404),
)
def list_commit_merge_requests(cx: Context, project: Project, sha: str) -> Sequence[MergeRequest]:
    """List the merge requests of a commit, newest first."""
    demand(cx, May.READ_MERGE_REQUESTS, project)
    found = commits.get(cx.world, project, sha).commit.sha
    return diff_versions.holding(cx.world, project, found)


@area.operation(
    "GET",
    "related_merge_requests",
    under=ISSUE_BY_ID,
    login=Login.NEVER,
    takes=Paged,
    shows=MergeRequestFull,
    many=True,
)
def list_issue_related_merge_requests(cx: Context, project: Project, issue: Issue) -> Sequence[MergeRequest]:
    """List the visible merge requests related to an issue."""
    del project
    return [one for one in related_merge_requests.of(cx, issue) if noteables.visible(cx, one)]


@area.operation(
    "GET", "closed_by", under=ISSUE, login=Login.NEVER, takes=Paged, shows=MergeRequestBasic, options=single, many=True
)
def list_issue_closing_merge_requests(cx: Context, project: Project, issue: Issue) -> Sequence[MergeRequest]:
    """List the project's merge requests that close an issue when merged, newest first."""
    found = cx.world.merge_requests.where("closes", issue.id).backwards()
    return [one for one in found if one.project_id == project.id and noteables.visible(cx, one)]


@area.operation("GET", "time_stats", under=VISIBLE_MERGE_REQUEST)
def get_merge_request_time_stats(cx: Context, project: Project, merge_request: MergeRequest) -> dict[str, Any]:
    """Get the estimated and spent time of a merge request."""
    del cx, project
    return time_stats(merge_request)
