"""Diffs of merge requests. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.merge_requests import DiffRefs, DiffVersion, MergeRequest
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.diffs import Stats

DIFF_REFS = Type("DiffRefs", "The three commits of a diff.")
DIFF_REFS.attributes(
    {
        "baseSha: String": "The SHA of the merge base.",
        "headSha: String!": "The SHA of the head of the source branch.",
        "startSha: String!": "The SHA of the head of the target branch.",
    }
)
DIFF_STATS = Type("DiffStats", "Line counts of a file in a diff.")
DIFF_STATS.attributes(
    {
        "path: String!": "The path of the file.",
        "additions: Int!": "Number of added lines.",
        "deletions: Int!": "Number of deleted lines.",
    }
)
DIFF_SUMMARY = Type("DiffStatsSummary", "Line counts of a diff.")
DIFF_SUMMARY.attributes(
    {
        "additions: Int!": "Number of added lines.",
        "deletions: Int!": "Number of deleted lines.",
        "changes: Int!": "Number of changed lines.",
        "fileCount: Int!": "Number of changed files.",
    }
)


@frozen
class Refs:
    """The commits of a diff."""

    base_sha: str
    start_sha: str
    head_sha: str


@frozen
class FileStats:
    """Line counts of a file in a diff."""

    path: str
    additions: int
    deletions: int


@frozen
class Summary:
    """Line counts of a diff."""

    additions: int
    deletions: int
    changes: int
    file_count: int


def _latest_refs(ctx: ReadContext, merge_request: MergeRequest) -> DiffRefs | None:
    return diff_versions.latest_refs(ctx.world, merge_request)


@MERGE_REQUEST.field("diffHeadSha: String")
def diff_head_sha(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The SHA of the head of the source branch, as last seen."""
    return diff_versions.head_sha(ctx.world, merge_request)


@MERGE_REQUEST.field("diffRefs: DiffRefs")
def diff_refs(ctx: ReadContext, merge_request: MergeRequest) -> Refs | None:
    """The commits of the diff."""
    refs = _latest_refs(ctx, merge_request)
    return Refs(*refs) if refs else None


@MERGE_REQUEST.field("diffStats(path: String): [DiffStats!]")
def diff_stats(ctx: ReadContext, merge_request: MergeRequest, path: str | None = None) -> Sequence[FileStats]:
    """Line counts of each file, or of the one at a path."""
    diffs = diff_versions.list_diffs(ctx.world, merge_request, _latest_refs(ctx, merge_request), raw=True)
    stats = (FileStats(diff.new_path, diff.file.additions, diff.file.deletions) for diff in diffs)
    return [file_stats for file_stats in stats if not path or file_stats.path == path]


@MERGE_REQUEST.field("diffStatsSummary: DiffStatsSummary")
def diff_stats_summary(ctx: ReadContext, merge_request: MergeRequest) -> Summary | None:
    """Line counts of a diff."""
    stats = _count_lines(ctx, merge_request)
    return Summary(stats.additions, stats.deletions, stats.total, stats.files) if stats else None


def _count_lines(ctx: ReadContext, merge_request: MergeRequest) -> "Stats | None":
    refs = _latest_refs(ctx, merge_request)
    if refs is None:
        return None
    from fakeplat.git.diffs import count_lines

    objects = repositories.open_repository(ctx.world, project_of(ctx, merge_request)).objects
    return count_lines(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree)


@MERGE_REQUEST.field("commitCount: Int")
def commit_count(ctx: ReadContext, merge_request: MergeRequest) -> int:
    """Number of commits that are only in the source branch."""
    return len(diff_versions.list_commits(ctx.world, merge_request, _latest_refs(ctx, merge_request)))


VERSION = Type("MergeRequestDiff", "A version of the diff of a merge request.", since="16.2")
VERSION.attributes({"createdAt: Time!": "Timestamp of creation."})


@VERSION.field("updatedAt: Time!")
def updated_at(_ctx: ReadContext, version: DiffVersion) -> str:
    """Timestamp of the last update: a version does not change."""
    return version.created_at


@MERGE_REQUEST.field("mergeRequestDiffs: MergeRequestDiffConnection", since="16.2")
def list_diffs(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[DiffVersion]:
    """The versions of the diff, newest first."""
    return sorted(diff_versions.list_versions(ctx.world, merge_request), key=lambda version: -version.id)
