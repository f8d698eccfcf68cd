"""Context commits of merge requests, and their differences as a list."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.merge_requests.merge_request_lists import area
from fakeplat.api.merge_requests.merge_requests import UnifiedDiff, build_diff_options
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS
from fakeplat.core.operations.http_messages import TEXT, RawBody
from fakeplat.core.operations.operation import Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, NotBlank, Params
from fakeplat.domain.merge_requests import context_commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.domain.reviews import diff_versions
from fakeplat.entities.repository.commits import CommitBasic, DiffView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext

_PATH: Final = "context_commits"


class ContextCommits(Params):
    """Hashes of commits."""

    commits: Annotated[CommaList[str], NotBlank]


@area.operation(
    "GET",
    _PATH,
    name="list_merge_request_context_commits",
    scope=MERGE_REQUEST,
    params=Paged,
    view=CommitBasic,
    many=True,
    since="<=13.10",
)
def list_context_commits(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> Sequence[ProjectCommit]:
    """List the context commits of a merge request."""
    return context_commits.list_commits(ctx.world, project, merge_request)


@area.operation(
    "POST",
    _PATH,
    name="create_merge_request_context_commits",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=ContextCommits,
    view=CommitBasic,
    many=True,
    since="<=13.10",
    refusals=(400, 403),
)
def create_context_commits(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: ContextCommits
) -> Sequence[ProjectCommit]:
    """Add context commits to a merge request."""
    return context_commits.add_commits(ctx, project, merge_request, p.commits)


@area.operation(
    "DELETE",
    _PATH,
    name="delete_merge_request_context_commits",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=ContextCommits,
    since="<=13.10",
    refusals=(400, 403),
)
def delete_context_commits(ctx: WriteContext, project: Project, merge_request: MergeRequest, p: ContextCommits) -> None:
    """Remove context commits from a merge request."""
    context_commits.remove_commits(ctx, project, merge_request, p.commits)


class ListDiffs(UnifiedDiff, Paged):
    """How to show the differences."""


@area.operation(
    "GET",
    "diffs",
    name="list_merge_request_diffs",
    scope=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    params=ListDiffs,
    view=DiffView,
    options=build_diff_options,
    many=True,
    since="15.7",
    refusals=(403,),
)
def list_diffs(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> Sequence[DiffOfFile]:
    """List the differences of the files of a merge request."""
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    return diff_versions.list_diffs(ctx.world, merge_request, refs)


@area.operation(
    "GET",
    "raw_diffs",
    name="list_merge_request_raw_diffs",
    scope=MERGE_REQUEST_WITH_ACCESS,
    login=Login.ALWAYS,
    since="17.9",
    refusals=(403,),
)
def get_raw_diffs(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> RawBody:
    """Get the differences of a merge request as git writes them."""
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    return RawBody(diff_versions.get_raw_diff(ctx.world, merge_request, refs), TEXT)
