"""Quick actions for merge requests only: merging, drafts, target branch, approval.

Source: docs/platform/merge-requests.md, docs/platform/external.md ('Commands').
"""

from typing import Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.merge_requests import approvals, merging
from fakeplat.domain.notes.noteables import MERGE_REQUEST
from fakeplat.domain.quick_actions.noteable_commands import MAX_TITLE_LENGTH
from fakeplat.domain.quick_actions.quick_actions import CommandContext, Outcome, command
from fakeplat.domain.repository import branches
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import strip_draft_prefix
from fakeplat.policy.behaviours import DRAFT_TOGGLES, READY_QUICK_ACTION

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


@command("submit_review", on=MERGE_REQUESTS, exists=True)
def submit_review(_context: CommandContext, _argument: str) -> Outcome:
    """Publish the caller's pending comments; there are never any, so it always succeeds."""
    return "Submitted the current review."
