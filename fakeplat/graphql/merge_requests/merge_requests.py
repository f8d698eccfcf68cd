"""Merge requests. Source: docs/platform/graphql.md, docs/platform/merge-requests.md.

In GraphQL anonymous callers can read those of public projects; only REST requires sign-in (ruling 1).
"""

from collections.abc import Sequence

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import approvals, merge_checks, merging
from fakeplat.domain.notes import noteables, resolution
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.entities.merge_requests.approvals import ApprovalsFree, ApprovalsPaid
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of, view
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Enumeration(
    "MergeRequestState",
    "The state of a merge request.",
    {
        "opened": ("opened", "The merge request is open."),
        "closed": ("closed", "The merge request is closed."),
        "locked": ("locked", "The merge request is being merged."),
        "merged": ("merged", "The merge request is merged."),
        "all": ("all", "Any state, in a filter."),
    },
)

MERGE_REQUEST.attributes(
    {
        "iid: String!": "The number within the project.",
        "state: MergeRequestState!": "The state.",
        "mergedAt: Time": "Timestamp of merging.",
        "sourceBranch: String!": "The source branch.",
        "targetBranch: String!": "The target branch.",
        "mergeWhenPipelineSucceeds: Boolean": "Whether it will be merged when the pipeline succeeds.",
        "shouldRemoveSourceBranch: Boolean": "Whether merging removes the source branch, as requested with the merge.",
        "forceRemoveSourceBranch: Boolean": "Whether merging removes the source branch, as set on the merge request.",
        "mergeError: String": "The error of a failed merge.",
        "allowCollaboration: Boolean": "Whether members who can merge may push to the branch of the fork.",
        "rebaseCommitSha: String": "The SHA of the head after the last rebase.",
        "rebaseInProgress: Boolean!": "Whether a rebase is in progress.",
        "sourceProjectId: Int": "The ID of the project of the source branch.",
    }
)
MERGE_REQUEST.attributes(
    {"workInProgress: Boolean!": "Whether the title marks the merge request as a draft."}, until="<=14.8"
)


@MERGE_REQUEST.field("draft: Boolean!", since="13.12")
def is_draft(_ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the title marks the merge request as a draft."""
    return merge_request.work_in_progress


@MERGE_REQUEST.field("project: Project!")
@MERGE_REQUEST.field("targetProject: Project!")
def target_project(ctx: ReadContext, merge_request: MergeRequest) -> Project:
    """The target project."""
    return project_of(ctx, merge_request)


@MERGE_REQUEST.field("projectId: Int!")
@MERGE_REQUEST.field("targetProjectId: Int!")
def target_project_id(_ctx: ReadContext, merge_request: MergeRequest) -> int:
    """The ID of the target project."""
    return merge_request.project_id


@MERGE_REQUEST.field("sourceProject: Project")
def source_project(ctx: ReadContext, merge_request: MergeRequest) -> Project | None:
    """The source project, if it is visible to the caller."""
    id_ = merge_request.source_project_id
    project = ctx.world.projects.get(id_) if id_ is not None else None
    return project if project is not None and can_see(ctx, project) else None


@MERGE_REQUEST.field("mergeStatus: String")
def merge_status(_ctx: ReadContext, merge_request: MergeRequest) -> str:
    """The mergeability, as last checked."""
    return merge_checks.public_status(merge_request.merge_status)


@MERGE_REQUEST.field("conflicts: Boolean!")
def conflicts(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the branches conflict."""
    return bool(view(ctx, merge_request).has_conflicts())


@MERGE_REQUEST.field("mergeOngoing: Boolean!")
def merge_ongoing(_ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether a merge is in progress."""
    return merge_request.state == "locked"


@MERGE_REQUEST.field("inProgressMergeCommitSha: String")
def in_progress_merge_commit_sha(_ctx: ReadContext, _merge_request: MergeRequest) -> None:
    """The SHA of a merge in progress; always null, because merging takes no time here."""


@MERGE_REQUEST.field("autoMergeEnabled: Boolean!")
def auto_merge_enabled(_ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it will be merged when the pipeline succeeds."""
    return merge_request.merge_when_pipeline_succeeds


@MERGE_REQUEST.field("mergeCommitSha: String")
def merge_commit_sha(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The SHA of the merge commit."""
    return diff_versions.merge_commit_sha(ctx.world, merge_request)


@MERGE_REQUEST.field("mergeCommitMessage: String", until="13.6")
@MERGE_REQUEST.field("defaultMergeCommitMessage: String")
def default_merge_commit_message(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """The default message of the merge commit."""
    return merging.merge_message(ctx, merge_request)


@MERGE_REQUEST.field("mergeableDiscussionsState: Boolean")
def mergeable_discussions_state(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the discussions allow merging."""
    required = project_of(ctx, merge_request).only_allow_merge_if_all_discussions_are_resolved
    return not required or resolution.all_resolved(ctx.world, merge_request)


@MERGE_REQUEST.field("shouldBeRebased: Boolean!")
def should_be_rebased(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the project requires a rebase before merging."""
    required = project_of(ctx, merge_request).merge_method != "merge"
    return required and diff_versions.count_diverged_commits(ctx.world, merge_request) > 0


@MERGE_REQUEST.field("sourceBranchExists: Boolean!")
def source_branch_exists(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the source branch exists."""
    return diff_versions.source_head_sha(ctx.world, merge_request) is not None


@MERGE_REQUEST.field("targetBranchExists: Boolean!")
def target_branch_exists(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the target branch exists."""
    return diff_versions.target_head_sha(ctx.world, merge_request) is not None


@MERGE_REQUEST.field("approvedBy: UserConnection")
def approved_by(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User]:
    """The users who approved the merge request."""
    return [ctx.world.users[approval.user_id] for approval in approvals.list_approvals(ctx.world, merge_request)]


@MERGE_REQUEST.field("approved: Boolean!")
def approved(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether all required approvals were given; on free tiers, whether there is any."""
    return bool(_approvals_view(ctx, merge_request).approved())


@MERGE_REQUEST.field("approvalsRequired: Int")
def approvals_required(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """Number of required approvals; paid tiers only."""
    approvals_view = _approvals_view(ctx, merge_request)
    return approvals_view.approvals_required() if isinstance(approvals_view, ApprovalsPaid) else None


@MERGE_REQUEST.field("approvalsLeft: Int")
def approvals_left(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """Number of missing approvals; paid tiers only."""
    approvals_view = _approvals_view(ctx, merge_request)
    return approvals_view.approvals_left() if isinstance(approvals_view, ApprovalsPaid) else None


def _approvals_view(ctx: ReadContext, merge_request: MergeRequest) -> ApprovalsFree:
    """Return the REST view of the approvals."""
    paid = has_feature(ctx.world, "premium", project_of(ctx, merge_request))
    return (ApprovalsPaid if paid else ApprovalsFree)(merge_request, ctx)


# Permissions

PERMISSIONS = Type("MergeRequestPermissions", "Permissions of the caller on a merge request.")
PERMISSIONS.attributes(
    {
        "readMergeRequest: Boolean!": "Read the merge request.",
        "adminMergeRequest: Boolean!": "Set assignees, labels and milestone.",
        "updateMergeRequest: Boolean!": "Update the merge request.",
        "createNote: Boolean!": "Comment on the merge request.",
        "pushToSourceBranch: Boolean!": "Push to the source branch.",
        "removeSourceBranch: Boolean!": "Delete the source branch.",
        "cherryPickOnCurrentMergeRequest: Boolean!": "Bring what was merged to another branch.",
    }
)
PERMISSIONS.attributes({"canMerge: Boolean!": "Merge the merge request."}, since="<=13.6")
PERMISSIONS.attributes({"canApprove: Boolean!": "Approve the merge request."}, since="15.9")


@frozen
class Permissions:
    """Permissions of the caller."""

    read_merge_request: bool
    admin_merge_request: bool
    update_merge_request: bool
    create_note: bool
    push_to_source_branch: bool
    remove_source_branch: bool
    cherry_pick_on_current_merge_request: bool
    can_merge: bool
    can_approve: bool


@MERGE_REQUEST.field("userPermissions: MergeRequestPermissions!")
def user_permissions(ctx: ReadContext, merge_request: MergeRequest) -> Permissions:
    """Permissions of the caller."""
    return Permissions(
        read_merge_request=noteables.is_visible(ctx, merge_request),
        admin_merge_request=noteables.can_administer(ctx, merge_request),
        update_merge_request=noteables.can_update(ctx, merge_request).allowed,
        create_note=noteables.can_comment(ctx, merge_request).allowed,
        push_to_source_branch=merging.can_push_to_source_branch(ctx, merge_request),
        remove_source_branch=merging.can_remove_source_branch(ctx, merge_request),
        cherry_pick_on_current_merge_request=merging.can_pick(ctx, merge_request),
        can_merge=protection.can_merge(ctx, project_of(ctx, merge_request), merge_request.target_branch),
        can_approve=ctx.viewer is not None and approvals.can_approve(ctx, merge_request),
    )


# Lookups of single merge requests


@QUERY.field(
    "mergeRequest(id: MergeRequestID!): MergeRequest",
    single=True,
    read_effect=merge_checks.effect_of_reading,
    since="13.12",
)
def merge_request(ctx: ReadContext, id: str) -> MergeRequest | None:  # the argument's name on the wire
    """The merge request with a global ID."""
    record = ctx.world.merge_requests.get(parse_id(ctx, id, "MergeRequest"))
    return record if record is not None and noteables.is_visible(ctx, record) else None


@PROJECT.field("mergeRequest(iid: String!): MergeRequest", single=True, read_effect=merge_checks.effect_of_reading)
def merge_request_of_project(ctx: ReadContext, project: Project, iid: str) -> MergeRequest | None:
    """The merge request with a number within the project."""
    record = ctx.world.merge_requests.find("iid", (project.id, parse_number(iid) or 0))
    return record if record is not None and can(ctx, Ability.READ_MERGE_REQUESTS, project) else None
