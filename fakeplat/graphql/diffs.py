"""How merge requests differ from their targets. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import repositories
from fakeplat.graphql.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.diffs import Stats

DIFF_REFS = Type("DiffRefs", "The three commits of a difference.")
DIFF_REFS.attributes(
    {
        "baseSha: String!": "Where the branches part.",
        "headSha: String!": "The source's head.",
        "startSha: String!": "Where the target stood.",
    }
)
DIFF_STATS = Type("DiffStats", "How much of a file differs.")
DIFF_STATS.attributes(
    {"path: String!": "The file.", "additions: Int!": "Lines that came.", "deletions: Int!": "Lines that went."}
)
DIFF_SUMMARY = Type("DiffStatsSummary", "How much differs in all.")
DIFF_SUMMARY.attributes(
    {
        "additions: Int!": "Lines that came.",
        "deletions: Int!": "Lines that went.",
        "changes: Int!": "Lines that came or went.",
        "fileCount: Int!": "How many files differ.",
    }
)


@frozen
class Refs:
    """The commits of a difference under their names on the wire."""

    base_sha: str
    start_sha: str
    head_sha: str


@frozen
class FileStats:
    """How much of a file differs."""

    path: str
    additions: int
    deletions: int


@frozen
class Summary:
    """How much differs in all."""

    additions: int
    deletions: int
    changes: int
    file_count: int


def _refs(ctx: ReadContext, merge_request: MergeRequest) -> DiffRefs | None:
    return diff_versions.latest_refs(ctx.world, merge_request)


@MERGE_REQUEST.field("diffHeadSha: String")
def diff_head_sha(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The head of the source branch, as last seen."""
    return diff_versions.head_sha(ctx.world, merge_request)


@MERGE_REQUEST.field("diffRefs: DiffRefs")
def diff_refs(ctx: ReadContext, merge_request: MergeRequest) -> Refs | None:
    """The commits of its difference."""
    found = _refs(ctx, merge_request)
    return Refs(*found) if found else None


@MERGE_REQUEST.field("diffStats(path: String): [DiffStats!]")
def diff_stats(ctx: ReadContext, merge_request: MergeRequest, path: str | None = None) -> Sequence[FileStats]:
    """How much of each file differs, or of one."""
    found = diff_versions.list_diffs(ctx.world, merge_request, _refs(ctx, merge_request), raw=True)
    each = (FileStats(one.new_path, one.file.additions, one.file.deletions) for one in found)
    return [one for one in each if not path or one.path == path]


@MERGE_REQUEST.field("diffStatsSummary: DiffStatsSummary")
def diff_stats_summary(ctx: ReadContext, merge_request: MergeRequest) -> Summary | None:
    """How much differs in all."""
    found = _stats(ctx, merge_request)
    return Summary(found.additions, found.deletions, found.total, found.files) if found else None


def _stats(ctx: ReadContext, merge_request: MergeRequest) -> "Stats | None":
    refs = _refs(ctx, merge_request)
    if refs is None:
        return None
    from fakeplat.git.diffs import count_lines

    objects = repositories.open_repository(ctx.world, project_of(ctx, merge_request)).objects
    return count_lines(objects, objects.commit(refs.base).tree, objects.commit(refs.head).tree)


@MERGE_REQUEST.field("commitCount: Int")
def commit_count(ctx: ReadContext, merge_request: MergeRequest) -> int:
    """How many commits only the source has."""
    return len(diff_versions.list_commits(ctx.world, merge_request, _refs(ctx, merge_request)))
