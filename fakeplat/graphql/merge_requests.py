"""Merge requests. Source: docs/platform/graphql.md, docs/platform/merge-requests.md.

In GraphQL anonymous callers read those of public projects; only REST asks for a login (ruling 1).
"""

from collections.abc import Sequence

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.merge_requests import approvals, diff_versions, merge_checks, merging
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes import resolution as resolving
from fakeplat.entities.approvals import ApprovalsFree, ApprovalsPaid
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.issuables import MERGE_REQUEST, project_of, view
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Enumeration(
    "MergeRequestState",
    "What became of a merge request.",
    {
        "opened": ("opened", "Waits to be merged."),
        "closed": ("closed", "Will not be merged."),
        "locked": ("locked", "Is being merged."),
        "merged": ("merged", "Was merged."),
        "all": ("all", "Any of these, in a filter."),
    },
)

MERGE_REQUEST.attributes(
    {
        "iid: String!": "Its number within the project.",
        "state: MergeRequestState!": "What became of it.",
        "mergedAt: Time": "When it was merged.",
        "sourceBranch: String!": "The branch to be merged.",
        "targetBranch: String!": "Where it is to be merged.",
        "workInProgress: Boolean!": "Whether its title says that the work is not done.",
        "mergeWhenPipelineSucceeds: Boolean": "Whether it is merged once the pipeline succeeds.",
        "shouldRemoveSourceBranch: Boolean": "Whether who merged it wanted the source branch removed.",
        "forceRemoveSourceBranch: Boolean": "Whether its author wants the source branch removed.",
        "mergeError: String": "Why merging failed.",
        "allowCollaboration: Boolean": "Whether those who may merge may push to the fork's branch.",
        "rebaseCommitSha: String": "The head after the last rebase.",
        "rebaseInProgress: Boolean!": "Whether it is being rebased.",
        "sourceProjectId: Int": "The project of the source branch.",
    }
)


@MERGE_REQUEST.field("project: Project!")
@MERGE_REQUEST.field("targetProject: Project!")
def target_project(ctx: ReadContext, merge_request: MergeRequest) -> Project:
    """The project that it wants to change."""
    return project_of(ctx, merge_request)


@MERGE_REQUEST.field("projectId: Int!")
@MERGE_REQUEST.field("targetProjectId: Int!")
def target_project_id(ctx: ReadContext, merge_request: MergeRequest) -> int:
    """The id of the project that it wants to change."""
    del ctx
    return merge_request.project_id


@MERGE_REQUEST.field("sourceProject: Project")
def source_project(ctx: ReadContext, merge_request: MergeRequest) -> Project | None:
    """The project of the source branch, if the caller sees it."""
    id_ = merge_request.source_project_id
    found = ctx.world.projects.get(id_) if id_ is not None else None
    return found if found is not None and can_see(ctx, found) else None


@MERGE_REQUEST.field("mergeStatus: String")
def merge_status(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Whether it can be merged, as far as is known."""
    del ctx
    return merge_checks.public_status(merge_request.merge_status)


@MERGE_REQUEST.field("conflicts: Boolean!")
def conflicts(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the branches are in conflict."""
    return bool(view(ctx, merge_request).has_conflicts())


@MERGE_REQUEST.field("mergeOngoing: Boolean!")
def merge_ongoing(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it is being merged."""
    del ctx
    return merge_request.state == "locked"


@MERGE_REQUEST.field("inProgressMergeCommitSha: String")
def in_progress_merge_commit_sha(ctx: ReadContext, merge_request: MergeRequest) -> None:
    """The commit of a merge under way; merging takes no time here."""
    del ctx, merge_request


@MERGE_REQUEST.field("autoMergeEnabled: Boolean!")
def auto_merge_enabled(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it is merged once the pipeline succeeds."""
    del ctx
    return merge_request.merge_when_pipeline_succeeds


@MERGE_REQUEST.field("mergeCommitSha: String")
def merge_commit_sha(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """The commit with which it was merged."""
    return diff_versions.merge_commit(ctx.world, merge_request)


@MERGE_REQUEST.field("mergeCommitMessage: String")
@MERGE_REQUEST.field("defaultMergeCommitMessage: String")
def default_merge_commit_message(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """What its merge commit says unless something else is wanted."""
    return merging.merge_message(ctx, merge_request)


@MERGE_REQUEST.field("mergeableDiscussionsState: Boolean")
def mergeable_discussions_state(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether its discussions let it be merged."""
    asked = project_of(ctx, merge_request).only_allow_merge_if_all_discussions_are_resolved
    return not asked or resolving.all_resolved(ctx.world, merge_request)


@MERGE_REQUEST.field("shouldBeRebased: Boolean!")
def should_be_rebased(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the project only takes what is up to date, and it is not."""
    asked = project_of(ctx, merge_request).merge_method != "merge"
    return asked and diff_versions.count_diverged_commits(ctx.world, merge_request) > 0


@MERGE_REQUEST.field("sourceBranchExists: Boolean!")
def source_branch_exists(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the source branch is there."""
    return diff_versions.source_head(ctx.world, merge_request) is not None


@MERGE_REQUEST.field("targetBranchExists: Boolean!")
def target_branch_exists(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether the target branch is there."""
    return diff_versions.target_head(ctx.world, merge_request) is not None


@MERGE_REQUEST.field("approvedBy: UserConnection")
def approved_by(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User]:
    """Who approved it."""
    return [ctx.world.users[one.user_id] for one in approvals.list_approvals(ctx.world, merge_request)]


@MERGE_REQUEST.field("approved: Boolean!")
def approved(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it has the approvals that it needs; on free tiers, whether it has any."""
    return bool(_approvals(ctx, merge_request).approved())


@MERGE_REQUEST.field("approvalsRequired: Int")
def approvals_required(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """How many approvals it needs; part of a paid tier."""
    found = _approvals(ctx, merge_request)
    return found.approvals_required() if isinstance(found, ApprovalsPaid) else None


@MERGE_REQUEST.field("approvalsLeft: Int")
def approvals_left(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """How many approvals it still needs; part of a paid tier."""
    found = _approvals(ctx, merge_request)
    return found.approvals_left() if isinstance(found, ApprovalsPaid) else None


def _approvals(ctx: ReadContext, merge_request: MergeRequest) -> ApprovalsFree:
    """What REST shows of its approvals."""
    paid = has_feature(ctx.world, "premium", project_of(ctx, merge_request))
    return (ApprovalsPaid if paid else ApprovalsFree)(merge_request, ctx)


# permissions

PERMISSIONS = Type("MergeRequestPermissions", "What the caller may do with a merge request.")
PERMISSIONS.attributes(
    {
        "readMergeRequest: Boolean!": "Read it.",
        "adminMergeRequest: Boolean!": "Assign, label and plan it.",
        "updateMergeRequest: Boolean!": "Change it.",
        "createNote: Boolean!": "Say something of it.",
    }
)


@frozen
class Permissions:
    """What the caller may do."""

    read_merge_request: bool
    admin_merge_request: bool
    update_merge_request: bool
    create_note: bool


@MERGE_REQUEST.field("userPermissions: MergeRequestPermissions!")
def user_permissions(ctx: ReadContext, merge_request: MergeRequest) -> Permissions:
    """What the caller may do with it."""
    return Permissions(
        read_merge_request=noteables.is_visible(ctx, merge_request),
        admin_merge_request=noteables.can_administer(ctx, merge_request),
        update_merge_request=noteables.can_update(ctx, merge_request).allowed,
        create_note=noteables.can_comment(ctx, merge_request).allowed,
    )


# single ones


@QUERY.field("mergeRequest(id: MergeRequestID!): MergeRequest", one=True, wakes=merge_checks.effect_of_reading)
def merge_request(ctx: ReadContext, id: str) -> MergeRequest | None:  # its name on the wire
    """The merge request with a global id."""
    found = ctx.world.merge_requests.get(id_of(ctx, id, "MergeRequest"))
    return found if found is not None and noteables.is_visible(ctx, found) else None


@PROJECT.field("mergeRequest(iid: String!): MergeRequest", one=True, wakes=merge_checks.effect_of_reading)
def merge_request_of_project(ctx: ReadContext, project: Project, iid: str) -> MergeRequest | None:
    """Its merge request with a number."""
    found = ctx.world.merge_requests.find("iid", (project.id, number_of(iid) or 0))
    return found if found is not None and can(ctx, Ability.READ_MERGE_REQUESTS, project) else None
