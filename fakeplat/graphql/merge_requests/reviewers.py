"""Reviewers of merge requests, and what stands in the way of a merge. Source: docs/platform/graphql.md."""

from collections.abc import Sequence

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approvals, detailed_merge_status, merge_commits
from fakeplat.domain.notes import noteables
from fakeplat.domain.repository import protection
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.people import users
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.merge_requests import MergeRequest, Reviewer
from fakeplat.model.people import User
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Enumeration(
    "MergeRequestReviewState",
    "How far a reviewer is.",
    {
        "UNREVIEWED": ("unreviewed", "Nothing was reviewed yet."),
        "REVIEWED": ("reviewed", "A review was published."),
        "REQUESTED_CHANGES": ("requested_changes", "Changes were requested.", Lifetime(since="<=16.9")),
        "APPROVED": ("approved", "The merge request was approved.", Lifetime(since="<=18.5")),
        "UNAPPROVED": ("unapproved", "The approval was revoked.", Lifetime(since="<=18.5")),
        "REVIEW_STARTED": ("review_started", "A review was started.", Lifetime(since="<=18.5")),
    },
    since="<=14.0",
)
Enumeration(
    "DetailedMergeStatus",
    "What stands in the way of a merge.",
    {
        "UNCHECKED": ("unchecked", "It was not checked yet."),
        "CHECKING": ("checking", "It is being checked."),
        "MERGEABLE": ("mergeable", "Nothing does."),
        "BROKEN_STATUS": ("broken_status", "The branches cannot be merged.", Lifetime(until="<=18.5")),
        "CI_MUST_PASS": ("ci_must_pass", "The pipeline must succeed."),
        "CI_STILL_RUNNING": ("ci_still_running", "The pipeline is still running."),
        "DISCUSSIONS_NOT_RESOLVED": ("discussions_not_resolved", "Discussions must be resolved."),
        "DRAFT_STATUS": ("draft_status", "It is a draft."),
        "NOT_OPEN": ("not_open", "It is not open."),
        "NOT_APPROVED": ("not_approved", "Approvals are missing."),
        "BLOCKED_STATUS": ("blocked_status", "Another one must be merged first."),
        "EXTERNAL_STATUS_CHECKS": ("external_status_checks", "External services must agree."),
        "COMMITS_STATUS": ("commits_status", "There are no commits to merge.", Lifetime(since="<=18.5")),
        "CONFLICT": ("conflict", "The branches are in conflict.", Lifetime(since="<=18.5")),
        "NEED_REBASE": ("need_rebase", "The branch must be rebased.", Lifetime(since="<=18.5")),
        "MERGE_TIME": ("merge_time", "Its time has not come.", Lifetime(since="<=18.5")),
        "REQUESTED_CHANGES": ("requested_changes", "A reviewer requested changes.", Lifetime(since="<=18.5")),
        "TITLE_NOT_MATCHING": ("title_regex", "The project does not allow the title.", Lifetime(since="<=18.5")),
    },
    since="<=15.8",
)
# Names that releases have in REST only, before the enumeration got them.
_EARLIER_NAMES = {
    "merge_request_blocked": "blocked_status",
    "status_checks_must_pass": "external_status_checks",
}


@frozen
class ReviewerOfMergeRequest:
    """A user as a reviewer of a merge request."""

    merge_request: MergeRequest
    reviewer: Reviewer
    user: User

    @property
    def id(self) -> int:
        """The id of the user."""
        return self.user.id


REVIEWER = Type("MergeRequestReviewer", "A reviewer of a merge request.", gid="User", since="<=14.0")
INTERACTION = Type("UserMergeRequestInteraction", "What a user may do and has done.", since="13.11")


@REVIEWER.field("username: String!")
def username(_ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """The username."""
    return reviewer.user.username


@REVIEWER.field("name: String!")
def name(_ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """The display name."""
    return reviewer.user.name


@REVIEWER.field("state: UserState!")
def state(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """The state of the account."""
    return users.state(ctx, reviewer.user)


@REVIEWER.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str | None:
    """The URL of the avatar."""
    return users.avatar_url(ctx, reviewer.user)


@REVIEWER.field("webUrl: String!")
def web_url(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """The URL of the user's profile."""
    return users.web_url(ctx, reviewer.user)


@REVIEWER.field("webPath: String!")
def web_path(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """The path of the user's profile."""
    return users.web_path(ctx, reviewer.user)


@REVIEWER.field("publicEmail: String")
def public_email(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str | None:
    """The public e-mail address."""
    return users.public_email(ctx, reviewer.user)


@REVIEWER.field("mergeRequestInteraction: UserMergeRequestInteraction")
def interaction(_ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> ReviewerOfMergeRequest:
    """What the reviewer may do and has done."""
    return reviewer


@INTERACTION.field("canMerge: Boolean!")
def can_merge(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> bool:
    """Whether the user may merge it."""
    project = project_of(ctx, reviewer.merge_request)
    return protection.can_merge(ctx.as_user(reviewer.user), project, reviewer.merge_request.target_branch)


@INTERACTION.field("canUpdate: Boolean!")
def can_update(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> bool:
    """Whether the user may update it."""
    return noteables.can_update(ctx.as_user(reviewer.user), reviewer.merge_request).allowed


@INTERACTION.field("approved: Boolean!")
def has_approved(ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> bool:
    """Whether the user has approved it."""
    return approvals.find_approval(ctx.world, reviewer.merge_request, reviewer.user) is not None


@INTERACTION.field("reviewed: Boolean!")
def has_reviewed(_ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> bool:
    """Whether the user has published a review."""
    return reviewer.reviewer.state not in ("unreviewed", "review_started")


@INTERACTION.field("reviewState: MergeRequestReviewState", since="<=14.0")
def review_state(_ctx: ReadContext, reviewer: ReviewerOfMergeRequest) -> str:
    """How far the reviewer is."""
    return reviewer.reviewer.state


@MERGE_REQUEST.field("reviewers: UserConnection", since="13.8", until="<=14.0")
def reviewing_users(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User]:
    """The reviewers."""
    return [ctx.world.users[id_] for id_ in merge_request.reviewer_ids]


@MERGE_REQUEST.field("reviewers: MergeRequestReviewerConnection", since="<=14.0")
def reviewers(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[ReviewerOfMergeRequest]:
    """The reviewers, and how far they are."""
    return [
        ReviewerOfMergeRequest(merge_request, reviewer, ctx.world.users[reviewer.user_id])
        for reviewer in merge_request.reviewers
    ]


@MERGE_REQUEST.field("allowsMultipleReviewers: Boolean!", since="<=16.9")
@MERGE_REQUEST.field("allowsMultipleAssignees: Boolean!", since="<=16.9")
def allows_several(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether there may be several of them."""
    return has_feature(ctx.world, "premium", project_of(ctx, merge_request))


@MERGE_REQUEST.field("detailedMergeStatus: DetailedMergeStatus", since="<=15.8")
def detailed_status(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """What stands in the way of a merge."""
    status = detailed_merge_status.get_status(ctx, merge_request)
    return _EARLIER_NAMES.get(status, status)


@MERGE_REQUEST.field("mergeable: Boolean!", since="13.7")
def is_mergeable(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether it can be merged now."""
    return detailed_merge_status.get_status(ctx, merge_request) == "mergeable"


@MERGE_REQUEST.field("mergeUser: User", since="<=13.9")
def merge_user(ctx: ReadContext, merge_request: MergeRequest) -> User | None:
    """The user who merged it, or set it to be merged."""
    return ctx.world.users.get(merge_request.merged_by_id or merge_request.merge_user_id or 0)


@MERGE_REQUEST.field("preparedAt: Time", since="<=16.2")
def prepared_at(_ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Timestamp of the preparation, which takes no time."""
    return merge_request.created_at


@MERGE_REQUEST.field("squashOnMerge: Boolean!", since="<=13.8")
def squash_on_merge(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Whether merging makes one commit of all."""
    return merge_commits.is_squashed(project_of(ctx, merge_request), merge_request)


MERGE_REQUEST.attributes({"squash: Boolean!": "Whether merging makes one commit of all."}, since="<=13.9")
MERGE_REQUEST.attributes({"mergeAfter: Time": "Time before which it is not merged."}, since="<=18.5")
MERGE_REQUEST.attributes({"closedAt: Time": "Timestamp of closing."}, since="<=18.5")
