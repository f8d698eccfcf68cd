"""Payloads of issues."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.domain import urls
from fakeplat.domain.hooks.payloads import blocks, issuables
from fakeplat.domain.hooks.payloads.blocks import Block, Later, later
from fakeplat.domain.hooks.payloads.issuables import Columns
from fakeplat.domain.issues import work_items
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.policy.behaviours import HOOKS_NAME_TYPES, TASKS_ARE_WORK_ITEMS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

IssueAction = Literal["open", "update", "close", "reopen"]
_STATE_IDS: Final = {"opened": 1, "closed": 2}
_COLUMNS: Final[Columns] = {
    "author_id": lambda ctx, issue: issue.author_id,
    "closed_at": lambda ctx, issue: issue.closed_at,
    "confidential": lambda ctx, issue: issue.confidential,
    "created_at": lambda ctx, issue: issue.created_at,
    "description": lambda ctx, issue: issue.description,
    "discussion_locked": lambda ctx, issue: issue.discussion_locked,
    "due_date": lambda ctx, issue: issue.due_date,
    "id": lambda ctx, issue: issue.id,
    "iid": lambda ctx, issue: issue.iid,
    # Nobody records who edited a text last.
    "last_edited_at": lambda ctx, issue: None,
    "last_edited_by_id": lambda ctx, issue: None,
    "milestone_id": lambda ctx, issue: issue.milestone_id,
    "moved_to_id": lambda ctx, issue: issue.moved_to_id,
    "duplicated_to_id": lambda ctx, issue: None,
    "project_id": lambda ctx, issue: issue.project_id,
    "relative_position": lambda ctx, issue: issue.relative_position,
    "state_id": lambda ctx, issue: _STATE_IDS[issue.state],
    "time_estimate": lambda ctx, issue: issue.time_estimate,
    "title": lambda ctx, issue: issue.title,
    "updated_at": lambda ctx, issue: issue.updated_at,
    "updated_by_id": lambda ctx, issue: None,
}


def build_attributes(ctx: ReadContext, issue: Issue) -> Block:
    """Return what payloads say of an issue itself."""
    project = ctx.world.projects[issue.project_id]
    return {
        **issuables.read_columns(ctx, _COLUMNS, issue),
        "description": blocks.make_images_absolute(ctx, project, issue.description),
        **({"weight": issue.weight} if has_feature(ctx.world, "premium", project) else {}),
        "url": issue_url(ctx, issue),
        **issuables.build_times(ctx, issue),
        "assignee_ids": list(issue.assignee_ids),
        "assignee_id": issue.assignee_ids[0] if issue.assignee_ids else None,
        "labels": blocks.build_labels(ctx, issue.label_ids),
        "state": issue.state,
        **({"type": work_items.type_of(issue).name} if ctx.profile.has(HOOKS_NAME_TYPES) else {}),
        **blocks.read_later(ctx, _LATER, issue),
    }


_LATER: Final[Mapping[str, Later[Issue]]] = {
    "severity": later("<=15.11", lambda ctx, issue: issue.severity),
    "time_change": later("<=15.11", lambda ctx, issue: 0),
    "human_time_change": later("<=15.11", lambda ctx, issue: None),
}


def issue_url(ctx: ReadContext, issue: Issue) -> str:
    """Return the URL of an issue."""
    return f"{urls.project_url(ctx, ctx.world.projects[issue.project_id])}/-/issues/{issue.iid}"


def build_changes(ctx: ReadContext, before: Issue | None, after: Issue) -> dict[str, Any]:
    """Return what differs between two versions of an issue."""
    return issuables.build_changes(ctx, _COLUMNS, before, after)


def build_issue_event(
    ctx: ReadContext, before: Issue | None, after: Issue, user: User | None, action: IssueAction | None
) -> Block:
    """Return the payload of an event of an issue, as it is now; a test has neither action nor changes."""
    issue = ctx.world.issues[after.id]
    kind = "work_item" if issue.kind == "task" and ctx.profile.has(TASKS_ARE_WORK_ITEMS) else "issue"
    return issuables.build_event(
        ctx,
        issue,
        user,
        kind=kind,
        event_type=f"confidential_{kind}" if issue.confidential else kind,
        attributes={
            **build_attributes(ctx, issue),
            **issuables.build_time_change(ctx, before, issue),
            **({} if action is None else {"action": action}),
        },
        changes={} if action is None else build_changes(ctx, before, after),
    )
