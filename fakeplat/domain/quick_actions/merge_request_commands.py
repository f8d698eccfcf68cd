"""Quick actions on merge requests alone: merging, drafts, where they go, approval.

Source: docs/platform/merge-requests.md, docs/platform/external.md ('Commands').
"""

from typing import Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.merge_requests import approvals, diff_versions, merging
from fakeplat.domain.notes.noteables import MERGE_REQUEST
from fakeplat.domain.quick_actions.noteable_commands import LONGEST_TITLE
from fakeplat.domain.quick_actions.quick_actions import CommandContext, Outcome, command
from fakeplat.domain.repository import branches
from fakeplat.model.merge_requests import undrafted

MERGE_REQUESTS: Final = (MERGE_REQUEST.kind,)
_DRAFT: Final = "Draft: "
_WAYS: Final[dict[merging.Way, str]] = {
    "now": "Merged this merge request.",
    "later": "Scheduled to merge this merge request (Merge when pipeline succeeds).",
}


@command("merge", on=MERGE_REQUESTS, exists=True)
def merge(on: CommandContext, argument: str) -> Outcome:
    """Merge it: when the pipeline succeeds if one is under way, else now."""
    del argument
    way = merging.merge_strategy(on.ctx, on.after)
    if way is None:
        return None
    on.changes["merge"] = diff_versions.head_sha(on.ctx.world, on.record)
    return _WAYS[way]


@command("draft", "wip", on=MERGE_REQUESTS)
def draft(on: CommandContext, argument: str) -> Outcome:
    """Say in its title that the work is not done, or say so no more."""
    del argument
    before = on.now("title", "")
    ready = undrafted(before)
    marks = before == ready
    title = f"{_DRAFT}{before}" if marks else ready
    if not _may_change(on) or not ready.strip() or len(title) > LONGEST_TITLE:
        return None
    if "title" not in on.changes:
        on.untold.add("title")
    on.changes["title"] = title
    on.named["wip_event"] = "wip" if marks else "unwip"
    return f"{'Marked' if marks else 'Unmarked'} this merge request as a draft."


@command("target_branch", on=MERGE_REQUESTS)
def target_branch(on: CommandContext, argument: str) -> Outcome:
    """Have it go to another branch."""
    branch = argument.strip()
    if not _may_change(on) or (on.record is not None and on.record.state == "merged") or not _is_there(on, branch):
        return None
    on.changes["target_branch"] = branch
    return f"Set target branch to {branch}."


def _may_change(on: CommandContext) -> bool:
    """Who makes one may say what it is like."""
    return on.record is None or on.may_update


def _is_there(on: CommandContext, branch: str) -> bool:
    try:
        return branches.find_branch(on.ctx.world, on.project, branch) is not None
    except Refusal:
        return False


@command("approve", on=MERGE_REQUESTS, exists=True)
def approve(on: CommandContext, argument: str) -> Outcome:
    """Approve it."""
    del argument
    if "approve" in on.changes or not approvals.can_approve(on.ctx, on.record):
        return None
    if approvals.requires_password(on.ctx.world, on.record):
        return None
    on.changes["approve"] = True
    on.untold.add("approve")
    return "Approved the current merge request."


@command("submit_review", on=MERGE_REQUESTS, exists=True)
def submit_review(on: CommandContext, argument: str) -> Outcome:
    """Publish the comments that the caller keeps back; there are none, and so it always succeeds."""
    del on, argument
    return "Submitted the current review."
