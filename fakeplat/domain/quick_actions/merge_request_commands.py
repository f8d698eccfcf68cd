"""Quick actions for merge requests only: merging, drafts, target branch, approval.

Source: docs/platform/merge-requests.md, docs/platform/external.md ('Commands').
"""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.merge_requests import approvals, merging, reviewers
from fakeplat.domain.notes.noteables import MERGE_REQUEST
from fakeplat.domain.quick_actions.noteable_commands import MAX_TITLE_LENGTH, find_assignable_users, join_usernames
from fakeplat.domain.quick_actions.quick_actions import CommandContext, Outcome, command
from fakeplat.domain.repository import branches
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import Reviewer, strip_draft_prefix
from fakeplat.model.people import User
from fakeplat.policy.behaviours import (
    DRAFT_TOGGLES,
    MERGE_WHEN_CHECKS_PASS,
    READY_QUICK_ACTION,
    REQUEST_CHANGES_QUICK_ACTION,
    REVIEWER_QUICK_ACTIONS,
    REVIEWS_ARE_REQUESTED_AGAIN,
    REVIEWS_HAVE_VERDICTS,
    UNAPPROVE_QUICK_ACTION,
)
from fakeplat.policy.features import has_feature

MERGE_REQUESTS: Final = (MERGE_REQUEST.kind,)
_DRAFT: Final = "Draft: "
_STRATEGY_TEXTS: Final[dict[merging.MergeTiming, str]] = {
    "now": "Merged this merge request.",
    "later": "Scheduled to merge this merge request (Merge when pipeline succeeds).",
}


@command("merge", on=MERGE_REQUESTS, exists=True)
def merge(context: CommandContext, _argument: str) -> Outcome:
    """Merge the merge request: when the pipeline succeeds if one is in progress, else immediately."""
    # Preceding commands count, so that /draft and /merge in one text merge a draft.
    strategy = merging.merge_strategy(context.ctx, context.updated_record)
    if strategy is None:
        return None
    context.changes["merge"] = diff_versions.head_sha(context.ctx.world, context.record)
    if strategy == "later" and context.ctx.profile.has(MERGE_WHEN_CHECKS_PASS):
        return "Scheduled to merge this merge request (Merge when checks pass)."
    return _STRATEGY_TEXTS[strategy]


@command("draft", "wip", on=MERGE_REQUESTS)
def draft(context: CommandContext, _argument: str) -> Outcome:
    """Set the draft mark in the title; in older releases toggle it."""
    if not context.ctx.profile.has(DRAFT_TOGGLES):
        return _set_draft(context, is_draft=True)
    current_title = context.value_of("title", "")
    plain_title = strip_draft_prefix(current_title)
    becomes_draft = current_title == plain_title
    title = f"{_DRAFT}{current_title}" if becomes_draft else plain_title
    if not _may_change(context) or not plain_title.strip() or len(title) > MAX_TITLE_LENGTH:
        return None
    # A title from /title stays visible in responses; a mere toggle shows only wip_event.
    if "title" not in context.changes:
        context.hidden.add("title")
    context.changes["title"] = title
    context.reported["wip_event"] = "wip" if becomes_draft else "unwip"
    return f"{'Marked' if becomes_draft else 'Unmarked'} this merge request as a draft."


@command("ready", on=MERGE_REQUESTS, lifetime=READY_QUICK_ACTION)
def ready(context: CommandContext, _argument: str) -> Outcome:
    """Remove the draft mark from the title."""
    return _set_draft(context, is_draft=False)


def _set_draft(context: CommandContext, *, is_draft: bool) -> Outcome:
    current_title = context.value_of("title", "")
    plain_title = strip_draft_prefix(current_title)
    title = f"{_DRAFT}{plain_title}" if is_draft else plain_title
    if not _may_change(context) or not plain_title.strip() or len(title) > MAX_TITLE_LENGTH:
        return None
    if is_draft == (current_title != plain_title):
        return "No change to this merge request's draft status."
    if "title" not in context.changes:
        context.hidden.add("title")
    context.changes["title"] = title
    context.reported["wip_event"] = "draft" if is_draft else "ready"
    return f"Marked this merge request as {'a draft' if is_draft else 'ready'}."


@command("target_branch", on=MERGE_REQUESTS)
def target_branch(context: CommandContext, argument: str) -> Outcome:
    """Change the target branch."""
    branch = argument.strip()
    if (
        not _may_change(context)
        or (context.record is not None and context.record.state == "merged")
        or not _branch_exists(context, branch)
    ):
        return None
    context.changes["target_branch"] = branch
    return f"Set target branch to {branch}."


def _may_change(context: CommandContext) -> bool:
    """Return whether the caller may change the merge request; its creator may while it is created."""
    return context.record is None or context.may_update


def _branch_exists(context: CommandContext, branch: str) -> bool:
    try:
        return branches.find_branch(context.ctx.world, context.project, branch) is not None
    except Refusal:
        return False


@command("approve", on=MERGE_REQUESTS, exists=True)
def approve(context: CommandContext, _argument: str) -> Outcome:
    """Approve the merge request."""
    if "approve" in context.changes or not approvals.can_approve(context.ctx, context.record):
        return None
    # A command has no place for the password that the project requires.
    if approvals.requires_password(context.ctx.world, context.record):
        return None
    context.changes["approve"] = True
    context.hidden.add("approve")
    return "Approved the current merge request."


@command("unapprove", on=MERGE_REQUESTS, exists=True, lifetime=UNAPPROVE_QUICK_ACTION)
def unapprove(context: CommandContext, _argument: str) -> Outcome:
    """Revoke the caller's approval."""
    ctx = context.ctx
    if "unapprove" in context.changes or not approvals.find_approval(ctx.world, context.record, ctx.signed_in_user):
        return None
    _change_silently(context, "unapprove", True)
    return "Unapproved the current merge request."


@command("submit_review", on=MERGE_REQUESTS, exists=True)
def submit_review(context: CommandContext, argument: str) -> Outcome:
    """Publish the caller's draft notes; in later releases also approve, or request changes."""
    _change_silently(context, "submit_review", True)
    verdict = argument.strip()
    outcome = None
    if verdict == "approve" and context.ctx.profile.has(REVIEWS_HAVE_VERDICTS):
        outcome = approve(context, "") or "Failed to approve the current merge request."
    elif verdict == "requested_changes" and context.ctx.profile.has(REVIEWS_HAVE_VERDICTS):
        outcome = request_changes(context, "")
    return " ".join(filter(None, ("Submitted the current review.", outcome)))


# Reviewers


@command("assign_reviewer", "reviewer", on=MERGE_REQUESTS, lifetime=REVIEWER_QUICK_ACTIONS)
def assign_reviewer(context: CommandContext, argument: str) -> Outcome:
    """Add reviewers; on the free tier replace the reviewer."""
    if not context.administers:
        return None
    users = _find_reviewers(context, argument)
    if not users:
        cause = "specified" if context.ctx.profile.has(REVIEWS_ARE_REQUESTED_AGAIN) else "found"
        return f"Failed to assign a reviewer because no user was {cause}."
    before = [reviewer.user_id for reviewer in _reviewers(context)] if _is_paid(context) else []
    _set_reviewers(context, [*before, *(user.id for user in users)])
    return f"Assigned {join_usernames(users)} as reviewer{'s' if len(users) > 1 else ''}."


@command("request_review", on=MERGE_REQUESTS, lifetime=REVIEWER_QUICK_ACTIONS)
def request_review(context: CommandContext, argument: str) -> Outcome:
    """Add reviewers, and ask those who are reviewers already once more."""
    if not context.ctx.profile.has(REVIEWS_ARE_REQUESTED_AGAIN):
        return assign_reviewer(context, argument)
    if not context.administers:
        return None
    users = _find_reviewers(context, argument)
    if not users:
        return "Failed to request a review because no user was specified."
    known = {reviewer.user_id for reviewer in _reviewers(context)}
    asked_again = [user.id for user in users if user.id in known]
    if asked_again:
        _change_silently(context, "review_request", tuple(asked_again))
    if len(asked_again) < len(users):
        _set_reviewers(context, [*known, *(user.id for user in users)])
    return f"Requested a review from {join_usernames(users)}."


@command("unassign_reviewer", "remove_reviewer", on=MERGE_REQUESTS, lifetime=REVIEWER_QUICK_ACTIONS)
def unassign_reviewer(context: CommandContext, argument: str) -> Outcome:
    """Remove all reviewers or, on a paid tier, only the named ones."""
    current_ids = [reviewer.user_id for reviewer in _reviewers(context)]
    if not current_ids or not context.administers:
        return None
    named_ids = [user.id for user in find_assignable_users(context, argument)] if _is_paid(context) else []
    removed_ids = named_ids or current_ids
    _set_reviewers(context, [id_ for id_ in current_ids if id_ not in removed_ids])
    removed = join_usernames(context.ctx.world.users[id_] for id_ in removed_ids)
    return f"Removed reviewer{'s' if len(removed_ids) > 1 else ''} {removed}."


@command("request_changes", on=MERGE_REQUESTS, exists=True, lifetime=REQUEST_CHANGES_QUICK_ACTION)
def request_changes(context: CommandContext, _argument: str) -> Outcome:
    """Request changes as a reviewer."""
    if reviewers.find_reviewer(context.record, context.ctx.signed_in_user) is None:
        return None
    _change_silently(context, "request_changes", True)
    return "Changes requested to the current merge request."


def _find_reviewers(context: CommandContext, argument: str) -> list[User]:
    users = find_assignable_users(context, argument)
    return users if _is_paid(context) else users[:1]


def _is_paid(context: CommandContext) -> bool:
    return has_feature(context.ctx.world, "premium", context.project)


def _reviewers(context: CommandContext) -> tuple[Reviewer, ...]:
    """Return the reviewers after the commands so far."""
    current: tuple[Reviewer, ...] = context.value_of("reviewers", ())
    return current


def _set_reviewers(context: CommandContext, ids: Iterable[int]) -> None:
    chosen = tuple(dict.fromkeys(ids))
    _change_silently(context, "reviewers", reviewers.build_reviewers(context.ctx, chosen, _reviewers(context)))
    context.reported["reviewer_ids"] = list(chosen)


def _change_silently(context: CommandContext, name: str, value: object) -> None:
    """Make a change that responses do not show under its own name."""
    context.changes[name] = value
    context.hidden.add(name)
