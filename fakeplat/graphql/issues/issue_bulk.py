"""Changes of several issues at once. Source: docs/platform/graphql.md ('Issues')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.domain.issuables.issuable_records import StateEvent
from fakeplat.domain.issues import issues
from fakeplat.domain.issues.issues import IssueParams
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_container, require_parent
from fakeplat.graphql.planning.labels import label_titles
from fakeplat.graphql.schema_builder import Enumeration, Scalar, mutation
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "15.9"
_UNTIL: Final = "<=18.9"
_MOST: Final = 100
Scalar("IssueParentID", "The global ID of a project or group with issues.", since=_SINCE, until=_UNTIL)
Enumeration(
    "IssuableSubscriptionEvent",
    "A change of the caller's subscription.",
    {"SUBSCRIBE": ("subscribe", "Subscribe to it."), "UNSUBSCRIBE": ("unsubscribe", "Unsubscribe from it.")},
    since=_SINCE,
    until=_UNTIL,
)


class BulkChanges(TypedDict, total=False):
    """What changes in all issues."""

    assignee_ids: Sequence[str] | None
    milestone_id: str | None
    state_event: StateEvent | None
    add_label_ids: Sequence[str] | None
    remove_label_ids: Sequence[str] | None
    subscription_event: str | None


@mutation(
    "issuesBulkUpdate",
    input_fields='''
"""The global ID of the project, or on paid tiers of the group."""
parentId: IssueParentID!
"""The IDs of at most 100 issues; those that the caller may not change are left out."""
ids: [IssueID!]!
"""The IDs of the assignees, who replace the present ones."""
assigneeIds: [UserID!]
"""The ID of the milestone; null removes it."""
milestoneId: MilestoneID
"""Whether to close or reopen them."""
stateEvent: IssueStateEvent
"""The IDs of labels to add."""
addLabelIds: [LabelID!]
"""The IDs of labels to remove."""
removeLabelIds: [LabelID!]
"""Whether the caller subscribes to them."""
subscriptionEvent: IssuableSubscriptionEvent
''',
    payload_fields='"""How many issues were changed."""\nupdatedIssueCount: Int',
    since=_SINCE,
    until=_UNTIL,
)
def update_issues(
    ctx: WriteContext, parent_id: str, ids: Sequence[str], **changes: Unpack[BulkChanges]
) -> Mapping[str, Any]:
    """Change several issues of a project or group."""
    if len(ids) > _MOST:
        raise GraphQLError(f"No more than {_MOST} issues can be updated at the same time")
    parent = require_parent(ctx, find_container(ctx, parent_id, "IssueParent"), parent_id)
    numbers = dict.fromkeys(parse_id(ctx, text, "Issue", "WorkItem") for text in ids)
    chosen = [issue for issue in map(ctx.world.issues.get, numbers) if issue is not None]
    changeable = [issue for issue in chosen if _is_within(ctx, parent, issue) and _may_change(ctx, issue)]
    for issue in changeable:
        _change(ctx, issue, changes)
    return {"updated_issue_count": len(changeable)}


def _is_within(ctx: ReadContext, parent: Project | Group, issue: Issue) -> bool:
    if isinstance(parent, Project):
        return issue.project_id == parent.id
    groups = {parent.id, *(group.id for group in list_descendants(ctx.world, parent))}
    return ctx.world.projects[issue.project_id].namespace_id in groups


def _may_change(ctx: ReadContext, issue: Issue) -> bool:
    return noteables.is_visible(ctx, issue) and noteables.can_update(ctx, issue).allowed


def _change(ctx: WriteContext, issue: Issue, changes: BulkChanges) -> None:
    project, fields = ctx.world.projects[issue.project_id], IssueParams()
    assignees, event = changes.get("assignee_ids"), changes.get("state_event")
    if assignees is not None:
        fields["assignee_ids"] = [parse_id(ctx, text, "User") for text in assignees]
    if "milestone_id" in changes:
        text = changes["milestone_id"]
        fields["milestone_id"] = None if text is None else parse_id(ctx, text, "Milestone")
    if event is not None:
        fields["state_event"] = event
    if (added := changes.get("add_label_ids")) is not None:
        fields["add_labels"] = label_titles(ctx, project, added)
    if (removed := changes.get("remove_label_ids")) is not None:
        fields["remove_labels"] = label_titles(ctx, project, removed)
    changed = issues.update(ctx, project, issue, **fields)
    if (subscription := changes.get("subscription_event")) is not None:
        _subscribe(ctx, changed, wanted=subscription == "subscribe")


def _subscribe(ctx: WriteContext, issue: Issue, *, wanted: bool) -> None:
    is_subscribed = subscriptions.is_notified(ctx.world, issue, ctx.user)
    if is_subscribed != wanted:
        subject = noteables.subject_of(issue)
        subscriptions.subscribe(ctx, subject, ctx.signed_in_user, subscribed=wanted, now=is_subscribed)
