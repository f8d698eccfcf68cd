"""Mutations of issues. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people import users as people
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_issue, require_project
from fakeplat.graphql.operation_mode import REPLACE, combine_ids
from fakeplat.graphql.planning.labels import label_titles
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

Enumeration(
    "IssueStateEvent",
    "A change of an issue's state.",
    {"CLOSE": ("close", "Close the issue."), "REOPEN": ("reopen", "Reopen the issue.")},
)

_GIVES: Final = '"""The issue."""\nissue: Issue'
_WHICH: Final = '''
"""The full path of the project."""
projectPath: ID!
"""The number of the issue within the project."""
iid: String!
'''
# The domain functions take the names of the attributes in REST.
_RENAMED: Final = {"locked": "discussion_locked"}


@mutation(
    "createIssue",
    input_fields='''
"""The full path of the project to create the issue in."""
projectPath: ID!
"""The number of the issue within the project; only for owners."""
iid: Int
"""The title."""
title: String!
"""The description in Markdown."""
description: String
"""Whether the issue is confidential."""
confidential: Boolean
"""Whether comments are restricted to members."""
locked: Boolean
"""Timestamp of creation; only for owners."""
createdAt: Time
"""The due date."""
dueDate: ISO8601Date
"""The titles of labels."""
labels: [String!]
"""The IDs of labels."""
labelIds: [LabelID!]
"""The ID of the milestone."""
milestoneId: MilestoneID
"""The IDs of the assignees."""
assigneeIds: [UserID!]
"""The weight; paid tiers only."""
weight: Int
"""The health status; paid tiers only."""
healthStatus: HealthStatus
''',
    payload_fields=_GIVES,
)
def create_issue(ctx: WriteContext, project_path: str, **attributes: Any) -> Payload:
    """Create an issue."""
    project = require_project(ctx, project_path)
    author = ctx.signed_in_user
    # Refused attempts count too: the limit comes before the check of permissions.
    ctx.count_action("issues_create", author.id, ctx.world.settings.issues_create_limit)
    authorize(ctx, Ability.CREATE_ISSUE, project)
    if attributes.get("labels") is not None and attributes.get("label_ids") is not None:
        raise GraphQLError("Only one of labels or labelIds arguments is allowed")
    # In a new issue there is nothing to remove, so null is the same as no value.
    fields = _to_parameters(ctx, {name: value for name, value in attributes.items() if value is not None})
    if "label_ids" in attributes and attributes["label_ids"] is not None:
        fields["labels"] = label_titles(ctx, project, attributes["label_ids"])
    return {"issue": issues.create(ctx, project, author, **fields)}


@mutation(
    "updateIssue",
    input_fields=f'''{_WHICH}
"""The title."""
title: String
"""The description in Markdown."""
description: String
"""Whether the issue is confidential."""
confidential: Boolean
"""Whether comments are restricted to members."""
locked: Boolean
"""The due date."""
dueDate: ISO8601Date
"""The IDs of labels to add."""
addLabelIds: [ID!]
"""The IDs of labels to remove."""
removeLabelIds: [ID!]
"""The ID of the milestone; null removes it."""
milestoneId: ID
"""Whether to close or reopen the issue."""
stateEvent: IssueStateEvent
"""The weight; paid tiers only."""
weight: Int
"""The health status; paid tiers only."""
healthStatus: HealthStatus
''',
    payload_fields=_GIVES,
)
def update_issue(ctx: WriteContext, project_path: str, iid: str, **attributes: Any) -> Payload:
    """Update an issue."""

    def change(project: Project, issue: Issue) -> Issue:
        fields = _to_parameters(ctx, {name: value for name, value in attributes.items() if _is_change(name, value)})
        for name, parameter in (("add_label_ids", "add_labels"), ("remove_label_ids", "remove_labels")):
            if attributes.get(name) is not None:
                # In the schema these arguments have the plain type ``ID``, so ids of both forms arrive here.
                fields[parameter] = label_titles(ctx, project, map(_label_gid, attributes[name]))
        return issues.update(ctx, project, issue, **fields)

    return _change_issue(ctx, project_path, iid, change)


_NULLABLE: Final = ("description", "due_date", "milestone_id", "weight", "health_status")
_IDS: Final = ("label_ids", "add_label_ids", "remove_label_ids")


def _is_change(name: str, value: object) -> bool:
    """Return whether a value is a change; null is one only for fields that can be removed."""
    return value is not None or name in _NULLABLE


def _label_gid(text: str) -> str:
    """Return the global id of a label, which may be given as a plain id."""
    return text if parse_number(text) is None else f"gid://platform/Label/{text}"


def _to_parameters(ctx: ReadContext, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Convert input to the parameters of the domain functions, except for ids of labels."""
    fields = {_RENAMED.get(name, name): value for name, value in attributes.items() if name not in _IDS}
    if fields.get("milestone_id") is not None:
        text = fields["milestone_id"]
        id_ = parse_number(text)
        fields["milestone_id"] = parse_id(ctx, text, "Milestone") if id_ is None else id_
    if "assignee_ids" in fields:
        fields["assignee_ids"] = [parse_id(ctx, text, "User") for text in fields["assignee_ids"]]
    return fields


def _change_issue(ctx: WriteContext, project_path: str, iid: str, change: Callable[[Project, Issue], Issue]) -> Payload:
    """Change an issue that the caller may update, and return the payload."""
    project, issue = require_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    with collect_errors(issue=issue):
        return {"issue": change(project, issue)}


@mutation(
    "issueSetConfidential",
    input_fields=f'{_WHICH}\n"""Whether the issue is confidential."""\nconfidential: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_confidential(ctx: WriteContext, project_path: str, iid: str, confidential: bool) -> Payload:
    """Set whether an issue is confidential."""
    return _change_issue(
        ctx, project_path, iid, lambda project, issue: issues.update(ctx, project, issue, confidential=confidential)
    )


@mutation(
    "issueSetLocked",
    input_fields=f'{_WHICH}\n"""Whether comments are restricted to members."""\nlocked: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_locked(ctx: WriteContext, project_path: str, iid: str, locked: bool) -> Payload:
    """Set whether comments on an issue are restricted to members."""
    return _change_issue(
        ctx, project_path, iid, lambda project, issue: issues.update(ctx, project, issue, discussion_locked=locked)
    )


@mutation(
    "issueSetDueDate",
    input_fields=f'{_WHICH}\n"""The due date; null removes it."""\ndueDate: Time',
    payload_fields=_GIVES,
)
def issue_set_due_date(ctx: WriteContext, project_path: str, iid: str, due_date: str | None = None) -> Payload:
    """Set the due date of an issue."""
    # The argument is a timestamp, of which only the date counts.
    date = due_date[:10] if due_date else None
    return _change_issue(
        ctx, project_path, iid, lambda project, issue: issues.update(ctx, project, issue, due_date=date)
    )


@mutation(
    "issueSetWeight", input_fields=f'{_WHICH}\n"""The weight; paid tiers only."""\nweight: Int!', payload_fields=_GIVES
)
def issue_set_weight(ctx: WriteContext, project_path: str, iid: str, weight: int) -> Payload:
    """Set the weight of an issue."""
    return _change_issue(
        ctx, project_path, iid, lambda project, issue: issues.update(ctx, project, issue, weight=weight)
    )


@mutation(
    "issueSetAssignees",
    input_fields=f'''{_WHICH}
"""The usernames of the assignees."""
assigneeUsernames: [String!]!
"""How the list changes the current assignees."""
operationMode: MutationOperationMode = REPLACE
''',
    payload_fields=_GIVES,
)
def issue_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Set the assignees of an issue."""
    # The platform selects the users with these names, so names that nobody has are ignored, not refused.
    users = [people.find_by_username(ctx.world, name) for name in assignee_usernames]
    assignee_ids = [user.id for user in users if user is not None]

    def change(project: Project, issue: Issue) -> Issue:
        ids = combine_ids(operation_mode, issue.assignee_ids, assignee_ids)
        return issues.update(ctx, project, issue, assignee_ids=ids)

    return _change_issue(ctx, project_path, iid, change)


@mutation(
    "issueSetSubscription",
    input_fields=f'{_WHICH}\n"""Whether the caller is subscribed."""\nsubscribedState: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_subscription(ctx: WriteContext, project_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Subscribe to an issue, or unsubscribe from it."""
    _, issue = require_issue(ctx, project_path, iid)
    is_subscribed = subscriptions.is_notified(ctx.world, issue, ctx.user)
    # Without a change nothing is stored, so the subscription of an author or assignee stays an implicit one.
    if is_subscribed != subscribed_state:
        subscriptions.subscribe(
            ctx, ("issue", issue.id), ctx.signed_in_user, subscribed=subscribed_state, now=is_subscribed
        )
    return {"issue": issue}
