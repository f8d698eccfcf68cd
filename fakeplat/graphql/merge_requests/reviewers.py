"""Reviewers of merge requests, and what stands in the way of a merge. Source: docs/platform/graphql.md."""

from collections.abc import Sequence

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approvals, detailed_merge_status, merge_commits
from fakeplat.domain.merge_requests.reviewers import list_change_requesters
from fakeplat.domain.notes import awards, noteables
from fakeplat.domain.people.users import find_by_email
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.graphql.issues import issuables
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.people import users
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.issues import Award
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
        "JIRA_ASSOCIATION": ("jira_association_missing", "No issue of Jira is named.", Lifetime(since="<=16.9")),
        "LOCKED_LFS_FILES": ("locked_lfs_files", "Others have locked files.", Lifetime(since="<=18.5")),
        "LOCKED_PATHS": ("locked_paths", "Others have locked paths.", Lifetime(since="<=18.5")),
        "MERGE_TIME": ("merge_time", "Its time has not come.", Lifetime(since="<=18.5")),
        "REQUESTED_CHANGES": ("requested_changes", "A reviewer requested changes.", Lifetime(since="<=18.5")),
        "TITLE_NOT_MATCHING": ("title_regex", "The project does not allow the title.", Lifetime(since="<=18.5")),
    },
    since="<=15.8",
)
_ROLES = "<=14.0"
_LATER_ROLES = "<=14.10"
"""The releases that brought types for users with a role in a merge request."""
# Names that releases have in REST only, before the enumeration got them.
_EARLIER_NAMES = {
    "merge_request_blocked": "blocked_status",
    "status_checks_must_pass": "external_status_checks",
}


@frozen
class UserOfMergeRequest:
    """A user with a role in a merge request; ``reviewer`` is what is known of a reviewer."""

    merge_request: MergeRequest
    user: User
    reviewer: Reviewer | None = None

    @property
    def id(self) -> int:
        """The id of the user."""
        return self.user.id


def _user_of(row: UserOfMergeRequest) -> User:
    return row.user


def _user_type(name: str, description: str, since: str) -> Type:
    return Type(
        name,
        description,
        gid="User",
        implements=("User",),
        since=since,
        base=users.USER,
        to_base=_user_of,
        has_count=True,
        count_since="<=18.5",
    )


REVIEWER = _user_type("MergeRequestReviewer", "A reviewer of a merge request.", _ROLES)
ASSIGNEE = _user_type("MergeRequestAssignee", "An assignee of a merge request.", _ROLES)
AUTHOR = _user_type("MergeRequestAuthor", "The author of a merge request.", _LATER_ROLES)
PARTICIPANT = _user_type("MergeRequestParticipant", "A participant in a merge request.", _LATER_ROLES)
INTERACTION = Type("UserMergeRequestInteraction", "What a user may do and has done.", since="13.11")


@AUTHOR.field("mergeRequestInteraction: UserMergeRequestInteraction")
@ASSIGNEE.field("mergeRequestInteraction: UserMergeRequestInteraction")
@PARTICIPANT.field("mergeRequestInteraction: UserMergeRequestInteraction")
@REVIEWER.field("mergeRequestInteraction: UserMergeRequestInteraction")
def interaction(_ctx: ReadContext, row: UserOfMergeRequest) -> UserOfMergeRequest:
    """What the user may do and has done."""
    return row


@INTERACTION.field("canMerge: Boolean!")
def can_merge(ctx: ReadContext, row: UserOfMergeRequest) -> bool:
    """Whether the user may merge it."""
    project = project_of(ctx, row.merge_request)
    return protection.can_merge(ctx.as_user(row.user), project, row.merge_request.target_branch)


@INTERACTION.field("canUpdate: Boolean!")
def can_update(ctx: ReadContext, row: UserOfMergeRequest) -> bool:
    """Whether the user may update it."""
    return noteables.can_update(ctx.as_user(row.user), row.merge_request).allowed


@INTERACTION.field("approved: Boolean!")
def has_approved(ctx: ReadContext, row: UserOfMergeRequest) -> bool:
    """Whether the user has approved it."""
    return approvals.find_approval(ctx.world, row.merge_request, row.user) is not None


@INTERACTION.field("reviewed: Boolean!")
def has_reviewed(_ctx: ReadContext, row: UserOfMergeRequest) -> bool:
    """Whether the user has published a review."""
    return row.reviewer is not None and row.reviewer.state not in ("unreviewed", "review_started")


@INTERACTION.field("reviewState: MergeRequestReviewState", since="<=14.0")
def review_state(_ctx: ReadContext, row: UserOfMergeRequest) -> str | None:
    """How far the reviewer is; null for other users."""
    return row.reviewer.state if row.reviewer is not None else None


@MERGE_REQUEST.field("changeRequesters: UserConnection", since="<=18.9")
def change_requesters(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User] | None:
    """The users who ask for changes; paid tiers only."""
    if not has_feature(ctx.world, "premium", project_of(ctx, merge_request)):
        return None
    return [ctx.world.users[id_] for id_ in list_change_requesters(merge_request)]


@MERGE_REQUEST.field("reviewers: UserConnection", since="13.8", until="<=14.0")
def reviewing_users(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User]:
    """The reviewers."""
    return [ctx.world.users[id_] for id_ in merge_request.reviewer_ids]


@MERGE_REQUEST.field("reviewers: MergeRequestReviewerConnection", since="<=14.0")
def reviewers(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[UserOfMergeRequest]:
    """The reviewers, and how far they are."""
    return [
        UserOfMergeRequest(merge_request, ctx.world.users[reviewer.user_id], reviewer)
        for reviewer in merge_request.reviewers
    ]


@MERGE_REQUEST.field("author: MergeRequestAuthor", since=_LATER_ROLES)
def author(ctx: ReadContext, merge_request: MergeRequest) -> UserOfMergeRequest | None:
    """The author."""
    user = issuables.author(ctx, merge_request)
    return None if user is None else UserOfMergeRequest(merge_request, user)


@MERGE_REQUEST.field("assignees: MergeRequestAssigneeConnection", since=_ROLES)
def assignees(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[UserOfMergeRequest]:
    """The assignees."""
    return [UserOfMergeRequest(merge_request, user) for user in issuables.assignees(ctx, merge_request)]


@MERGE_REQUEST.field("participants: MergeRequestParticipantConnection", since=_LATER_ROLES)
def participants(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[UserOfMergeRequest]:
    """The participants: author, assignees, commenters and mentioned users."""
    reviewers_by_id = {reviewer.user_id: reviewer for reviewer in merge_request.reviewers}
    found = issuables.participants_of(ctx, merge_request)
    return [UserOfMergeRequest(merge_request, user, reviewers_by_id.get(user.id)) for user in found]


@MERGE_REQUEST.field("committers: UserConnection", since="<=14.10")
def committers(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[User]:
    """The users whose commits it has, the newest user first."""
    emails = diff_versions.list_committer_emails(ctx.world, merge_request)
    found = {user.id: user for email in emails if (user := find_by_email(ctx.world, email)) is not None}
    return [found[id_] for id_ in sorted(found, reverse=True)]


@MERGE_REQUEST.field("awardEmoji: AwardEmojiConnection", since="<=16.2")
def award_emoji(ctx: ReadContext, merge_request: MergeRequest) -> Sequence[Award]:
    """The reactions, oldest first."""
    return awards.list_awards(ctx, noteables.subject_of(merge_request))


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
    return merge_commits.is_squashed(ctx.world, merge_request)


MERGE_REQUEST.attributes({"squash: Boolean!": "Whether merging makes one commit of all."}, since="<=13.9")
MERGE_REQUEST.attributes({"mergeAfter: Time": "Time before which it is not merged."}, since="<=18.5")
MERGE_REQUEST.attributes({"closedAt: Time": "Timestamp of closing."}, since="<=18.5")
