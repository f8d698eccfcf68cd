"""Reviewers of merge requests, and how far they are. Source: docs/platform/merge-requests.md ('Reviewers')."""

from collections.abc import Collection, Sequence

from fakeplat.core.store import records
from fakeplat.model.merge_requests import MergeRequest, Reviewer, ReviewState
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

NOBODY = 0
"""Stands for no reviewer in a list of ids."""


def resolve_ids(ctx: ReadContext, project: Project, ids: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the reviewers that a parameter asks for: only the first on the free tier; None for no change."""
    if not ids or (len(ids) == 1 and ids[0] == NOBODY):
        return ()
    chosen = ids if has_feature(ctx.world, "premium", project) else ids[:1]
    users = (ctx.world.users.get(id_) for id_ in chosen)
    readers = [user for user in users if user and can(ctx.as_user(user), Ability.READ_MERGE_REQUESTS, project)]
    return tuple(dict.fromkeys(user.id for user in readers)) or None


def build_reviewers(ctx: WriteContext, ids: Collection[int], before: Sequence[Reviewer] = ()) -> tuple[Reviewer, ...]:
    """Return the reviewers with some ids; those who are reviewers already keep their state."""
    known = {reviewer.user_id: reviewer for reviewer in before}
    return tuple(known.get(id_) or Reviewer(id_, ctx.now_iso) for id_ in ids)


def find_reviewer(merge_request: MergeRequest, user: User) -> Reviewer | None:
    """Return a user as a reviewer; None for somebody else."""
    return next((reviewer for reviewer in merge_request.reviewers if reviewer.user_id == user.id), None)


def has_requested_changes(merge_request: MergeRequest) -> bool:
    """Return whether somebody wants changes before the merge."""
    return bool(list_change_requesters(merge_request))


def list_change_requesters(merge_request: MergeRequest) -> tuple[int, ...]:
    """Return the ids of those who want changes before the merge: reviewers and others."""
    asking = [reviewer.user_id for reviewer in merge_request.reviewers if reviewer.state == "requested_changes"]
    return tuple(dict.fromkeys((*asking, *merge_request.change_requester_ids)))


def withdraw_change_request(ctx: WriteContext, merge_request: MergeRequest, user: User) -> MergeRequest:
    """Withdraw a user's request for changes, if there is one; a reviewer has to review again."""
    if user.id in merge_request.change_requester_ids:
        others = tuple(id_ for id_ in merge_request.change_requester_ids if id_ != user.id)
        merge_request = ctx.world.merge_requests.change(merge_request, change_requester_ids=others)
    reviewer = find_reviewer(merge_request, user)
    if reviewer is None or reviewer.state != "requested_changes":
        return merge_request
    return set_state(ctx, merge_request, user, "unreviewed")


def set_state(ctx: WriteContext, merge_request: MergeRequest, user: User, state: ReviewState) -> MergeRequest:
    """Set how far a reviewer is, without any effect; no-op for somebody else."""
    changed = tuple(
        records.evolve_record(reviewer, state=state) if reviewer.user_id == user.id else reviewer
        for reviewer in merge_request.reviewers
    )
    return (
        merge_request
        if changed == merge_request.reviewers
        else ctx.world.merge_requests.change(merge_request, reviewers=changed)
    )


def mark_reviewed(ctx: WriteContext, merge_request: MergeRequest, user: User) -> MergeRequest:
    """Note that a reviewer has commented; an approval or a request for changes counts more."""
    reviewer = find_reviewer(merge_request, user)
    if reviewer is None or reviewer.state not in ("unreviewed", "review_started", "unapproved"):
        return merge_request
    return set_state(ctx, merge_request, user, "reviewed")


def start_review(ctx: WriteContext, merge_request: MergeRequest, user: User) -> MergeRequest:
    """Note that a reviewer has begun to write comments; an approval stays."""
    reviewer = find_reviewer(merge_request, user)
    if reviewer is None or reviewer.state == "approved":
        return merge_request
    return set_state(ctx, merge_request, user, "review_started")
