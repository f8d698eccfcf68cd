"""What later releases tell of the merge of a merge request: its checks, its branches, its train, and its messages.

Source: docs/platform/graphql.md.
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import (
    auto_merges,
    merge_commits,
    merge_trains,
    mergeability_checks,
    message_templates,
)
from fakeplat.domain.merge_requests.mergeability_checks import CheckResult
from fakeplat.domain.notes import resolution
from fakeplat.domain.repository import protection
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.entities import urls
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest, MergeStatus
from fakeplat.policy.context import ReadContext

Enumeration(
    "MergeabilityCheckStatus",
    "The result of a check of a merge request.",
    {
        "CHECKING": ("checking", "The check is not finished."),
        "FAILED": ("failed", "The check failed."),
        "INACTIVE": ("inactive", "The check is off."),
        "SUCCESS": ("success", "The check passed."),
    },
    since="16.5",
)
Enumeration(
    "MergeabilityCheckIdentifier",
    "A check of a merge request.",
    {check.name.upper(): (check.name, check.description, check.lifetime) for check in mergeability_checks.CHECKS},
    since="16.5",
)
Enumeration(
    "MergeStatus",
    "The mergeability of a merge request.",
    {
        "UNCHECKED": ("unchecked", "It was not checked."),
        "CHECKING": ("checking", "It is being checked."),
        "CAN_BE_MERGED": ("can_be_merged", "There are no conflicts."),
        "CANNOT_BE_MERGED": ("cannot_be_merged", "There are conflicts."),
        "CANNOT_BE_MERGED_RECHECK": ("cannot_be_merged_recheck", "There were conflicts, and it was not checked again."),
    },
    since="<=14.1",
)
CHECK: Final = Type("MergeRequestMergeabilityCheck", "A check of a merge request.", since="16.5")
CHECK.attributes(
    {
        "identifier: MergeabilityCheckIdentifier!": "What is checked.",
        "status: MergeabilityCheckStatus!": "The result.",
    }
)


@MERGE_REQUEST.field("mergeabilityChecks: [MergeRequestMergeabilityCheck!]!", since="16.5")
def list_mergeability_checks(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[CheckResult]:
    """The checks that decide whether it can be merged."""
    return mergeability_checks.list_results(ctx, merge_request)


@MERGE_REQUEST.field("mergeStatusEnum: MergeStatus", since="<=14.1")
def merge_status_enum(_ctx: ReadContext, merge_request: MergeRequest) -> MergeStatus:
    """The mergeability, as last checked."""
    status = merge_request.merge_status
    return "checking" if status == "cannot_be_merged_rechecking" else status


# Automatic merges and merge trains


@MERGE_REQUEST.field("autoMergeStrategy: String", since="<=13.9")
def auto_merge_strategy(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """How it will be merged."""
    return auto_merges.current_strategy(ctx, merge_request)


@MERGE_REQUEST.field("availableAutoMergeStrategies: [String!]", since="<=13.8")
def available_auto_merge_strategies(ctx: ReadContext, merge_request: MergeRequest) -> list[str]:
    """How the caller can have it merged later."""
    return auto_merges.list_strategies(ctx, merge_request)


@MERGE_REQUEST.field("mergeTrainsCount: Int", since="<=13.8")
def merge_trains_count(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """The number of merge requests on the train of its target branch; null without merge trains."""
    project = project_of(ctx, merge_request)
    if not merge_trains.are_enabled(ctx.world, project):
        return None
    return len(merge_trains.list_active(ctx.world, project.id, merge_request.target_branch))


@MERGE_REQUEST.field("hasCi: Boolean!", since="<=13.8")
def has_ci(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it has pipelines, or a configuration for them."""
    return auto_merges.has_ci(ctx.world, merge_request)


# Branches, commits and messages


@MERGE_REQUEST.field("divergedFromTargetBranch: Boolean!", since="13.10")
def diverged_from_target_branch(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the target branch has commits that the source branch lacks."""
    return diff_versions.count_diverged_commits(ctx.world, merge_request) > 0


@MERGE_REQUEST.field("targetBranchPath: String", since="<=18.5")
def target_branch_path(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The path of the target branch, if that exists."""
    if diff_versions.target_head_sha(ctx.world, merge_request) is None:
        return None
    project = ctx.world.projects[merge_request.project_id]
    return f"{urls.project_url(ctx, project).removeprefix(ctx.origin)}/-/branches/{quote(merge_request.target_branch)}"


@MERGE_REQUEST.field("sourceBranchProtected: Boolean!", since="<=13.7")
def source_branch_protected(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the source branch is protected."""
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    return source is not None and bool(protection.list_branch_rules(ctx.world, source, merge_request.source_branch))


@MERGE_REQUEST.field("squashReadOnly: Boolean!", since="<=18.5")
def squash_read_only(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the project or the rule of the target branch decides about squashing."""
    return merge_commits.choose_squash_option(ctx.world, merge_request) in ("always", "never")


@MERGE_REQUEST.field("defaultSquashCommitMessage: String", since="<=13.9")
def default_squash_commit_message(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """The default message of the squash commit."""
    return message_templates.squash_message(ctx, project_of(ctx, merge_request), merge_request)


@MERGE_REQUEST.field("commits: CommitConnection", since="14.7")
def commits_of(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[ProjectCommit]:
    """The commits, newest first."""
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    return diff_versions.list_commits(ctx.world, merge_request, refs)


@MERGE_REQUEST.field("commitsWithoutMergeCommits: CommitConnection", since="<=13.8")
def commits_without_merge_commits(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[ProjectCommit]:
    """The commits that merge nothing, newest first."""
    return [row for row in commits_of(ctx, merge_request) if len(row.commit.parents) < 2]


# Texts and counts


@MERGE_REQUEST.field("name: String", since="<=18.5")
def name(_ctx: ReadContext, merge_request: MergeRequest) -> str:
    """The title."""
    return merge_request.title


@MERGE_REQUEST.field("webPath: String!", since="<=18.5")
def web_path(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """The path of the page."""
    return f"/{urls.project_path(ctx, project_of(ctx, merge_request))}/-/merge_requests/{merge_request.iid}"


@MERGE_REQUEST.field("hidden: Boolean", since="<=18.5")
def hidden(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether its author is banned, so that others do not see it."""
    author = ctx.world.users.get(merge_request.author_id)
    return author is not None and author.state == "banned"


@MERGE_REQUEST.field("humanTimeEstimate: String", since="<=14.1")
def human_time_estimate(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The estimate as text."""
    return issues.format_duration(ctx.world, merge_request.time_estimate)


@MERGE_REQUEST.field("humanTotalTimeSpent: String", since="<=14.1")
def human_total_time_spent(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The time spent as text."""
    return issues.format_duration(ctx.world, merge_request.total_time_spent)


@MERGE_REQUEST.field("resolvableDiscussionsCount: Int", since="<=18.5")
def resolvable_discussions_count(ctx: ReadContext, merge_request: MergeRequest) -> int:
    """The number of threads that can be resolved."""
    return len(_list_threads(ctx, merge_request))


@MERGE_REQUEST.field("resolvedDiscussionsCount: Int", since="<=18.5")
def resolved_discussions_count(ctx: ReadContext, merge_request: MergeRequest) -> int:
    """The number of threads that are resolved."""
    return sum(_list_threads(ctx, merge_request).values())


def _list_threads(ctx: ReadContext, merge_request: MergeRequest) -> dict[str, bool]:
    """Return whether each thread that can be resolved is resolved, by the id of its discussion."""
    rows = [
        note for note in ctx.world.notes.where("subject", ("merge_request", merge_request.id)) if note.is_resolvable
    ]
    threads = {note.discussion_id for note in rows}
    return {
        id_: resolution.is_resolved(ctx.world, [note for note in rows if note.discussion_id == id_])
        for id_ in sorted(threads)
    }
