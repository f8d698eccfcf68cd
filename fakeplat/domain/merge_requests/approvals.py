"""Approving merge requests. Source: docs/platform/merge-requests.md ('Approvals').

On the free tier every user who may change a merge request may approve it, including its author. On paid tiers project
settings exclude users, rules require approvals, and a push resets all approvals unless the project keeps them.
"""

from fakeplat.core.operations.errors import NotFound, NotModified, RecordNotFound, Unauthorized
from fakeplat.domain import events, signals
from fakeplat.domain.merge_requests import (
    approval_access,
    approval_settings,
    approval_states,
    merge_request_history,
    merging,
    reviewers,
)
from fakeplat.domain.merge_requests.merge_requests import KIND
from fakeplat.domain.notes import todos
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import Approval, MergeRequest
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import REPEATED_APPROVALS_ARE_UNMODIFIED, REVIEWERS_APPROVE, RULES_OF_MERGED_ARE_FIXED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature


def list_approvals(world: World, merge_request: MergeRequest) -> list[Approval]:
    """Return the approvals of a merge request, oldest first."""
    return list(world.approvals.where("merge_request", merge_request.id))


def find_approval(world: World, merge_request: MergeRequest, user: User | None) -> Approval | None:
    """Return a user's approval; None without one or without a user."""
    return world.approvals.find("pair", (merge_request.id, user.id)) if user else None


def can_approve(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    """Return whether the caller may approve and has not approved yet."""
    user = ctx.viewer
    if user is None or find_approval(ctx.world, merge_request, user) is not None:
        return False
    if is_fixed(ctx.world, merge_request):
        return False
    may_approve = approval_access.may_approve(ctx, merge_request).allowed
    return may_approve and not _is_barred(ctx.world, merge_request, user)


def is_fixed(world: World, merge_request: MergeRequest) -> bool:
    """Return whether its approvals do not change any more, because it is merged."""
    return merge_request.state == "merged" and world.profile.has(RULES_OF_MERGED_ARE_FIXED)


def _is_barred(world: World, merge_request: MergeRequest, user: User) -> bool:
    paid = has_feature(world, "premium", world.projects[merge_request.project_id])
    return paid and user.id in approval_states.list_barred_approvers(world, merge_request)


def approve(
    ctx: WriteContext, merge_request: MergeRequest, sha: str | None, password: str | None = None
) -> MergeRequest:
    """Approve as the caller.

    409 if ``sha`` is not the head; 401 if the caller may not approve, has approved already, or does not send the
    password that the project requires.
    """
    # The platform compares heads before it looks at permissions, so an outdated sha is 409 for everybody.
    merging.check_head(ctx.world, merge_request, sha)
    if ctx.profile.has(REPEATED_APPROVALS_ARE_UNMODIFIED) and find_approval(ctx.world, merge_request, ctx.user):
        raise NotModified(reason=lambda: f"{caller_name(ctx)} has already approved it")
    if not can_approve(ctx, merge_request):
        raise Unauthorized(reason=lambda: f"{caller_name(ctx)} has already approved it or may not approve it")
    if requires_password(ctx.world, merge_request) and (not password or password != ctx.signed_in_user.password):
        raise Unauthorized(reason=lambda: f"approval_password is not the password of {caller_name(ctx)}")
    user, now = ctx.signed_in_user, ctx.now_iso
    insert_approval(ctx, merge_request, user, now)
    merge_request_history.write_system_note(ctx, merge_request, user, "approved this merge request")
    todos.finish_pending(ctx, user, (KIND, merge_request.id))
    events.record_event(ctx, user, "approved", ctx.world.projects[merge_request.project_id], (KIND, merge_request.id))
    changed = ctx.world.merge_requests.change(merge_request, updated_at=now)
    changed = reviewers.withdraw_change_request(ctx, changed, user)
    has_states = ctx.profile.has(REVIEWERS_APPROVE)
    changed = reviewers.set_state(ctx, changed, user, "approved" if has_states else "reviewed")
    signals.merge_request_approved.send(ctx, changed)
    # A receiver may have merged it.
    return ctx.world.merge_requests[changed.id]


def requires_password(world: World, merge_request: MergeRequest) -> bool:
    """Return whether approvers must give their password."""
    project = world.projects[merge_request.project_id]
    return approval_settings.requires_password(world, project) and has_feature(world, "premium", project)


def insert_approval(ctx: WriteContext, merge_request: MergeRequest, user: User, created_at: str) -> Approval:
    """Insert an approval unless it exists, without permission checks."""
    table = ctx.world.approvals
    return find_approval(ctx.world, merge_request, user) or table.add(
        Approval(table.next_id(), merge_request.id, user.id, created_at)
    )


def unapprove(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Revoke the caller's approval; 404 without one, later 304."""
    approval = find_approval(ctx.world, merge_request, ctx.user)
    if approval is None:
        refused = NotModified if ctx.profile.has(REPEATED_APPROVALS_ARE_UNMODIFIED) else NotFound
        raise refused(reason=lambda: f"{caller_name(ctx)} has not approved it")
    if is_fixed(ctx.world, merge_request):
        raise NotFound(reason="it is merged")
    was_approved = not approval_states.list_unmet_rules(ctx.world, merge_request)
    purge(ctx, approval)
    merge_request_history.write_system_note(ctx, merge_request, ctx.signed_in_user, "unapproved this merge request")
    changed = ctx.world.merge_requests.change(merge_request, updated_at=ctx.now_iso)
    if ctx.profile.has(REVIEWERS_APPROVE):
        changed = reviewers.set_state(ctx, changed, ctx.signed_in_user, "unapproved")
    signals.merge_request_unapproved.send(ctx, changed, was_approved)
    return changed


def request_review(ctx: WriteContext, merge_request: MergeRequest, user: User) -> MergeRequest:
    """Ask a reviewer once more, which revokes their approval; 404 for somebody else."""
    if reviewers.find_reviewer(merge_request, user) is None:
        raise RecordNotFound(reason=f"{user.username} is not a reviewer")
    changed = reviewers.set_state(ctx, merge_request, user, "unreviewed")
    approval = find_approval(ctx.world, changed, user)
    if approval is not None:
        purge(ctx, approval)
    signals.review_requested.send(ctx, changed, user, approval is not None)
    return ctx.world.merge_requests[changed.id]


def request_changes(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Request changes as a reviewer, which revokes the own approval; 404 for somebody else."""
    user = ctx.signed_in_user
    if reviewers.find_reviewer(merge_request, user) is None:
        raise RecordNotFound(reason=lambda: f"{caller_name(ctx)} is not a reviewer")
    merge_request_history.write_system_note(ctx, merge_request, user, "requested changes")
    if find_approval(ctx.world, merge_request, user) is not None:
        merge_request = unapprove(ctx, merge_request)
    return reviewers.set_state(ctx, merge_request, user, "requested_changes")


def request_changes_as_other(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Request changes without being a reviewer, which paid tiers remember."""
    user = ctx.signed_in_user
    merge_request_history.write_system_note(ctx, merge_request, user, "requested changes")
    if not has_feature(ctx.world, "premium", ctx.world.projects[merge_request.project_id]):
        return merge_request
    ids = tuple(dict.fromkeys((*merge_request.change_requester_ids, user.id)))
    return ctx.world.merge_requests.change(merge_request, change_requester_ids=ids)


def reset_as_bot(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Reset the approvals in the name of a project's bot; 401 for anybody else, and of what is merged."""
    if merge_request.state == "merged":
        raise Unauthorized(reason="it is merged")
    if ctx.signed_in_user.kind != "project_bot" or not approval_access.may_approve(ctx, merge_request).allowed:
        raise Unauthorized(reason=lambda: f"{caller_name(ctx)} is not a bot that may approve it")
    purge(ctx, *list_approvals(ctx.world, merge_request))


def reset_after_push(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Reset the approvals after a push (paid tiers only), unless the project keeps them."""
    project = ctx.world.projects[merge_request.project_id]
    if approval_settings.resets_on_push(ctx.world, project) and has_feature(ctx.world, "premium", project):
        purge(ctx, *list_approvals(ctx.world, merge_request))
