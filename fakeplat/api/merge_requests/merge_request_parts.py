"""Parts of a merge request: commits, versions, participants, issues, time, to-dos and subscriptions.

Source: docs/platform/merge-requests.md.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.issues import issuables
from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.merge_requests.merge_request_lists import area
from fakeplat.api.merge_requests.merge_requests import UnifiedDiff, build_diff_options, build_single_options
from fakeplat.api.scopes import (
    MERGE_REQUEST,
    MERGE_REQUEST_WITH_ACCESS,
    PROJECT,
    PROJECT_WITH_REPOSITORY,
    VISIBLE_MERGE_REQUEST,
    get_issue,
)
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.release import Lifetime
from fakeplat.domain.integrations import issue_trackers
from fakeplat.domain.integrations.issue_trackers import ExternalIssue
from fakeplat.domain.issues import related_merge_requests
from fakeplat.domain.merge_requests import closing_issues, related_issues
from fakeplat.domain.notes import noteables, participants, todos
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.entities.issues.issuables import time_stats
from fakeplat.entities.issues.issues import IssueClosedOnMerge
from fakeplat.entities.merge_requests.merge_requests import (
    DiffVersionDetail,
    DiffVersionView,
    MergeRequestBasic,
    MergeRequestFull,
    MergeRequestView,
    ReviewerView,
)
from fakeplat.entities.notes.todos import TodoView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import DiffVersion, MergeRequest, Reviewer
from fakeplat.model.notes import Todo
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_READ_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext

# The name of the path parameter is part of error messages, such as ``issue_id is invalid``.
ISSUE_BY_ID: Final = PROJECT / Segment("issues/:issue_id", kind="integer", locate=get_issue, word="issue")


@area.operation("GET", "commits", scope=MERGE_REQUEST, params=Paged, view=CommitBasic, many=True)
def list_merge_request_commits(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[ProjectCommit]:
    """List the commits of a merge request, newest first."""
    return diff_versions.list_commits(ctx.world, merge_request, diff_versions.latest_refs(ctx.world, merge_request))


@area.operation(
    "GET",
    "versions",
    scope=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    params=Paged,
    view=DiffVersionView,
    many=True,
    refusals=(403,),
)
def list_merge_request_versions(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[DiffVersion]:
    """List the diff versions of a merge request, newest first."""
    return diff_versions.list_versions(ctx.world, merge_request)


@area.operation(
    "GET",
    "versions/:version_id",
    scope=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    params=UnifiedDiff,
    view=DiffVersionDetail,
    options=build_diff_options,
    refusals=(403, 404),
)
def get_merge_request_version(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest, version_id: int
) -> DiffVersion:
    """Get a diff version of a merge request with its commits and differences."""
    version = ctx.world.diff_versions.get(version_id)
    # Ids of versions are global, so one of another merge request has to be refused as unknown.
    if version is None or version.merge_request_id != merge_request.id:
        raise RecordNotFound(reason=f"merge request {merge_request.iid} has no version {version_id}")
    return version


@area.operation("GET", "reviewers", scope=MERGE_REQUEST, params=Paged, view=ReviewerView, many=True, since="<=16.5")
def list_merge_request_reviewers(
    _ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[Reviewer]:
    """List the reviewers of a merge request, and how far they are."""
    return merge_request.reviewers


@area.operation("GET", "participants", scope=MERGE_REQUEST, params=Paged, view=UserBasic, many=True)
def list_merge_request_participants(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> Sequence[User]:
    """List the participants of a merge request."""
    return participants.list_participants(ctx, merge_request)


@area.operation(
    "GET",
    "closes_issues",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=IssueClosedOnMerge,
    many=True,
    refusals=(403,),
)
def list_issues_closed_on_merge(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[Issue | ExternalIssue]:
    """List the visible issues that a merge request closes when merged; those of an external tracker come last."""
    # The stored issues were visible to whoever changed the merge request, not necessarily to the caller.
    visible = [
        issue for issue in closing_issues.list_closing_issues(ctx, merge_request) if noteables.is_visible(ctx, issue)
    ]
    return [*visible, *issue_trackers.list_closed_by(ctx, merge_request)]


@area.operation(
    "GET",
    "related_issues",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=IssueClosedOnMerge,
    many=True,
    since="<=17.5",
    refusals=(403,),
)
def list_merge_request_related_issues(
    ctx: ReadContext, _project: Project, merge_request: MergeRequest
) -> Sequence[Issue | ExternalIssue]:
    """List the visible issues that the texts, commits and comments of a merge request mention."""
    return related_issues.list_related_issues(ctx, merge_request)


@area.operation(
    "POST",
    "subscribe",
    scope=MERGE_REQUEST_WITH_ACCESS,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(304, 403),
)
def subscribe_merge_request(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Subscribe to a merge request."""
    return _set_subscription(ctx, merge_request, subscribed=True)


@area.operation(
    "POST",
    "unsubscribe",
    scope=MERGE_REQUEST_WITH_ACCESS,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(304, 403),
)
def unsubscribe_merge_request(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Unsubscribe from a merge request."""
    return _set_subscription(ctx, merge_request, subscribed=False)


def _set_subscription(ctx: WriteContext, merge_request: MergeRequest, *, subscribed: bool) -> MergeRequest:
    # Subscribing to a merge request requires the right to update it; subscribing to an issue does not.
    noteables.authorize_update(ctx, merge_request)
    issuables.set_subscription(ctx, merge_request, subscribed=subscribed)
    return merge_request


@area.operation("POST", "todo", scope=MERGE_REQUEST_WITH_ACCESS, view=TodoView, refusals=(304, 403))
def create_merge_request_todo(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> Todo:
    """Create a to-do for a merge request."""
    return todos.mark_for_later(ctx, merge_request)


class ListCommitMergeRequests(Paged):
    """The state of the merge requests of a commit."""

    state: Annotated[Literal["opened", "closed", "locked", "merged", "all"] | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "GET",
    "repository/commits/:sha/merge_requests",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListCommitMergeRequests,
    view=MergeRequestBasic,
    options=build_single_options,
    many=True,
    refusals=(403, 404),
    job_token=JOBS_READ_REPOSITORIES,
)
def list_commit_merge_requests(
    ctx: ReadContext, project: Project, sha: str, p: ListCommitMergeRequests
) -> Sequence[MergeRequest]:
    """List the merge requests of a commit, newest first."""
    authorize(ctx, Ability.READ_MERGE_REQUESTS, project)
    full_sha = commits.get_commit(ctx.world, project, sha).commit.sha
    found = diff_versions.list_containing(ctx.world, project, full_sha)
    return [each for each in found if p.state in (None, "all", each.state)]


@area.operation(
    "GET",
    "related_merge_requests",
    scope=ISSUE_BY_ID,
    login=Login.NEVER,
    params=Paged,
    view=MergeRequestFull,
    many=True,
)
def list_issue_related_merge_requests(ctx: ReadContext, _project: Project, issue: Issue) -> Sequence[MergeRequest]:
    """List the visible merge requests related to an issue."""
    return [
        merge_request
        for merge_request in related_merge_requests.list_related_merge_requests(ctx, issue)
        if noteables.is_visible(ctx, merge_request)
    ]


@area.operation(
    "GET",
    "closed_by",
    scope=ISSUE,
    login=Login.NEVER,
    params=Paged,
    view=MergeRequestBasic,
    options=build_single_options,
    many=True,
)
def list_issue_closing_merge_requests(ctx: ReadContext, project: Project, issue: Issue) -> Sequence[MergeRequest]:
    """List the project's merge requests that close an issue when merged, newest first."""
    closing_merge_requests = ctx.world.merge_requests.where("closes", issue.id).in_reverse()
    return [
        merge_request
        for merge_request in closing_merge_requests
        if merge_request.project_id == project.id and noteables.is_visible(ctx, merge_request)
    ]


@area.operation("GET", "time_stats", scope=VISIBLE_MERGE_REQUEST)
def get_merge_request_time_stats(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> dict[str, Any]:
    """Get the estimated and spent time of a merge request."""
    return time_stats(ctx.world, merge_request)
