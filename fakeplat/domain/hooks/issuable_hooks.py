"""Webhooks about issues, merge requests and notes. Source: docs/platform/webhooks.md.

Payloads show the record as it is now; what changed is told by the versions before and after one of its changes.
"""

from typing import TYPE_CHECKING

from fakeplat.domain.hooks import events
from fakeplat.domain.hooks.triggers import execute
from fakeplat.domain.hooks.webhooks import execute_of_group
from fakeplat.domain.merge_requests import approval_states
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Award, Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Milestone
from fakeplat.model.repository import ZERO_SHA
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.behaviours import EDITED_NOTES_ARE_TOLD_OF
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

if TYPE_CHECKING:
    from fakeplat.domain.hooks.payloads.emoji import AwardAction
    from fakeplat.domain.hooks.payloads.issues import IssueAction
    from fakeplat.domain.hooks.payloads.merge_requests import MergeRequestAction
    from fakeplat.domain.hooks.payloads.milestones import MilestoneAction
    from fakeplat.domain.hooks.payloads.notes import NoteAction


def execute_new_issue(ctx: WriteContext, issue: Issue) -> None:
    """Send the event of a new issue."""
    _execute_issue(ctx, None, issue, ctx.user, "open")


def execute_copied_issue(ctx: WriteContext, _old: Issue, new: Issue) -> None:
    """Send the event of the issue that a moved one became, or of the copy of one."""
    _execute_issue(ctx, None, new, ctx.user, "open")


def execute_updated_issue(ctx: WriteContext, before: Issue, after: Issue) -> None:
    """Send the event of an update of an issue."""
    _execute_issue(ctx, before, after, ctx.user, "update")


def execute_transitioned_issue(ctx: WriteContext, before: Issue, after: Issue, user: User | None) -> None:
    """Send the event of an issue that was closed or reopened."""
    _execute_issue(ctx, before, after, user, "close" if after.state == "closed" else "reopen")


def _execute_issue(
    ctx: WriteContext, before: Issue | None, after: Issue, user: User | None, action: "IssueAction"
) -> None:
    project, is_confidential = ctx.world.projects[after.project_id], ctx.world.issues[after.id].confidential
    event = events.CONFIDENTIAL_ISSUE if is_confidential else events.ISSUE
    execute(ctx, project, event, before, after, user, action)


def execute_changed_milestone(ctx: WriteContext, milestone: Milestone, action: "MilestoneAction") -> None:
    """Send the event of a milestone of a project, or of a group to the webhooks of groups."""
    kind, owner_id = milestone.source
    if kind == "project":
        execute(ctx, ctx.world.projects[owner_id], events.MILESTONE, milestone, action)
        return
    group = ctx.world.namespaces[owner_id]
    if isinstance(group, Group):
        execute_of_group(ctx, group, events.MILESTONE, milestone, action)


def execute_new_merge_request(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Send the event of a new merge request."""
    _execute_merge_request(ctx, None, merge_request, ctx.user, "open")


def execute_updated_merge_request(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Send the event of an update of a merge request."""
    _execute_merge_request(ctx, before, after, ctx.user, "update")


def execute_transitioned_merge_request(
    ctx: WriteContext, before: MergeRequest, after: MergeRequest, user: User | None
) -> None:
    """Send the event of a merge request that was closed, merged or reopened."""
    actions: dict[str, MergeRequestAction] = {"opened": "reopen", "closed": "close", "merged": "merge"}
    _execute_merge_request(ctx, before, after, user, actions[after.state])


def execute_pushed_merge_request(
    ctx: WriteContext, merge_request: MergeRequest, old_head: str, user: User | None
) -> None:
    """Send the event of commits in the source branch of a merge request."""
    _execute_merge_request(ctx, merge_request, merge_request, user, "update", old_head=old_head)


def execute_approved_merge_request(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Send the event of an approval; with approval rules, one that completes them has another name."""
    is_complete = not (_has_rules(ctx, merge_request) and approval_states.list_unmet_rules(ctx.world, merge_request))
    action: MergeRequestAction = "approved" if is_complete else "approval"
    _execute_merge_request(ctx, merge_request, merge_request, ctx.user, action)


def execute_unapproved_merge_request(ctx: WriteContext, merge_request: MergeRequest, was_approved: bool) -> None:
    """Send the event of a revoked approval; with approval rules, one that had completed them has another name."""
    is_final = was_approved or not _has_rules(ctx, merge_request)
    action: MergeRequestAction = "unapproved" if is_final else "unapproval"
    _execute_merge_request(ctx, merge_request, merge_request, ctx.user, action)


def _has_rules(ctx: WriteContext, merge_request: MergeRequest) -> bool:
    return has_feature(ctx.world, "premium", ctx.world.projects[merge_request.project_id])


def _execute_merge_request(
    ctx: WriteContext,
    before: MergeRequest | None,
    after: MergeRequest,
    user: User | None,
    action: "MergeRequestAction",
    *,
    old_head: str = ZERO_SHA,
) -> None:
    project = ctx.world.projects[after.project_id]
    execute(ctx, project, events.MERGE_REQUEST, before, after, user, action, old_head)


def execute_new_award(ctx: WriteContext, award: Award) -> None:
    """Send the event of an emoji that a user awarded."""
    _execute_award(ctx, award, "award")


def execute_revoked_award(ctx: WriteContext, award: Award) -> None:
    """Send the event of an emoji whose award was deleted."""
    _execute_award(ctx, award, "revoke")


def _execute_award(ctx: WriteContext, award: Award, action: "AwardAction") -> None:
    note = ctx.world.notes[award.subject[1]] if award.subject[0] == NOTE else None
    record = noteables.get_record(ctx.world, award.subject if note is None else note.subject)
    # Epics have no project, and so no events.
    if not isinstance(record, Epic | WikiPageMeta):
        project = noteables.project_of(ctx.world, record)
        execute(ctx, project, events.EMOJI, project, award, note, record, action)


def execute_new_note(ctx: WriteContext, note: Note) -> None:
    """Send the event of a comment."""
    _execute_note(ctx, note, "create")


def execute_edited_note(ctx: WriteContext, _before: Note, after: Note) -> None:
    """Send the event of a comment whose text changed."""
    if ctx.profile.has(EDITED_NOTES_ARE_TOLD_OF):
        _execute_note(ctx, after, "update")


def _execute_note(ctx: WriteContext, note: Note, action: "NoteAction") -> None:
    # Comments on epics and on pages of groups' wikis are no events.
    record = noteables.get_record(ctx.world, note.subject)
    if isinstance(record, Epic) or (isinstance(record, WikiPageMeta) and record.project_id is None):
        return
    project = noteables.project_of(ctx.world, record)
    event = events.CONFIDENTIAL_NOTE if noteables.is_confidential(note, record) else events.NOTE
    execute(ctx, project, event, project, note, action)
