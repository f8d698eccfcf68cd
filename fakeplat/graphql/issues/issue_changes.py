"""Mutations of issues. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotFound, Refusal
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.alerts import incident_statuses
from fakeplat.domain.epics import epic_access, epic_issues, promotion
from fakeplat.domain.issuables import creation_limit
from fakeplat.domain.issuables.issuable_records import StateEvent
from fakeplat.domain.issues import issue_moves, issue_order, issues
from fakeplat.domain.issues.issues import IssueParams
from fakeplat.domain.merge_requests import issue_from_threads
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.namespaces import find_project_by_path as find_project
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuable_changes import (
    TIME_ESTIMATE,
    build_identity_fields,
    combine_assignees,
    read_estimate,
    set_estimate,
    set_subscription,
)
from fakeplat.graphql.lookups import require_group, require_issue, require_project
from fakeplat.graphql.operation_mode import REPLACE
from fakeplat.graphql.planning.labels import label_titles
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.issues import EscalationStatus, Issue, Kind, Severity
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

_NO_INCIDENT: Final = "Feature unavailable for provided issue"
_GIVES: Final = '"""The issue."""\nissue: Issue'
_WHICH: Final = build_identity_fields("issue")
# The domain functions take the names of the attributes in REST.
_RENAMED: Final = {"locked": "discussion_locked", "type": "kind"}
_EXCLUSIVE_LABELS: Final = "labelIds is mutually exclusive with any of addLabelIds or removeLabelIds"
_NEEDS_MERGE_REQUEST: Final = (
    "to resolve a discussion please also provide `merge_request_to_resolve_discussions_of` parameter"
)
_TYPE: Final = '"""The type."""\ntype: IssueType @lifetime(since: "<=14.0")'


class IssueInput(TypedDict, total=False):
    """The input of both mutations that change several attributes."""

    title: str | None
    description: str | None
    confidential: bool | None
    locked: bool | None
    due_date: str | None
    milestone_id: str | None
    weight: int | None
    health_status: str | None
    type: Kind | None


class NewIssueInput(IssueInput, total=False):
    """The input of createIssue."""

    iid: int | None
    created_at: str | None
    labels: list[str] | None
    label_ids: list[str] | None
    assignee_ids: list[str] | None
    merge_request_to_resolve_discussions_of: str | None
    discussion_to_resolve: str | None
    move_before_id: str | None
    move_after_id: str | None
    epic_id: str | None


class IssueChangesInput(IssueInput, total=False):
    """The input of updateIssue."""

    add_label_ids: list[str] | None
    remove_label_ids: list[str] | None
    label_ids: list[str] | None
    time_estimate: str | None
    state_event: StateEvent | None


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
"""The ID of the merge request whose threads the issue resolves."""
mergeRequestToResolveDiscussionsOf: MergeRequestID
"""The ID of the only thread to resolve."""
discussionToResolve: String
"""The ID of the issue that comes before it in the order by hand."""
moveBeforeId: IssueID @lifetime(since: "<=14.9")
"""The ID of the issue that comes after it in the order by hand."""
moveAfterId: IssueID @lifetime(since: "<=14.9")
"""The ID of the epic; paid tiers only."""
epicId: EpicID @lifetime(since: "<=13.6")
'''
    + _TYPE,
    payload_fields=_GIVES,
)
def create_issue(ctx: WriteContext, project_path: str, **attributes: Unpack[NewIssueInput]) -> Payload:
    """Create an issue."""
    project = require_project(ctx, project_path)
    author = ctx.signed_in_user
    creation_limit.authorize_issue(ctx, project)
    label_ids = attributes.get("label_ids")
    if attributes.get("labels") is not None and label_ids is not None:
        raise GraphQLError("Only one of labels or labelIds arguments is allowed")
    # In a new issue there is nothing to remove, so null is the same as no value.
    merge_request = attributes.pop("merge_request_to_resolve_discussions_of", None)
    discussion_id = attributes.pop("discussion_to_resolve", None)
    if discussion_id and merge_request is None:
        raise GraphQLError(_NEEDS_MERGE_REQUEST)
    neighbours = [attributes.pop("move_before_id", None), attributes.pop("move_after_id", None)]
    fields = _to_parameters(ctx, {name: value for name, value in attributes.items() if value is not None})
    if label_ids is not None:
        fields["labels"] = label_titles(ctx, project, label_ids)
    iid = _find_iid(ctx, project, merge_request) if merge_request is not None else None
    if "epic_id" in fields:
        fields["epic_id"] = _require_epic(ctx, project, fields["epic_id"])
    issue = issue_from_threads.create_issue(ctx, project, author, iid, discussion_id, **fields)
    before_id, after_id = (None if text is None else parse_id(ctx, text, "Issue", "WorkItem") for text in neighbours)
    # Issues that are not there, or that the caller does not see, do not matter.
    with suppress(Refusal):
        issue = issue_order.reorder(ctx, issue, before_id, after_id)
    return {"issue": issue}


def _require_epic(ctx: ReadContext, project: Project, text: str) -> int:
    """Return the id of an epic that the caller may choose for issues of a project."""
    id_ = parse_id(ctx, text, "Epic")
    try:
        return epic_issues.get_eligible(ctx, project, ctx.world.epics.get(id_)).id
    except NotFound as refusal:
        raise MutationFailed([f"Couldn't find Epic with 'id'={id_}"], {"issue": None}) from refusal


def _find_iid(ctx: ReadContext, project: Project, text: str) -> int | None:
    """Return the number of the merge request of a project with a global id."""
    merge_request = ctx.world.merge_requests.get(parse_id(ctx, text, "MergeRequest"))
    is_own = merge_request is not None and merge_request.project_id == project.id
    return merge_request.iid if merge_request is not None and is_own else None


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
"""The IDs of the labels, which replace all others."""
labelIds: [ID!] @lifetime(since: "<=14.3")
{TIME_ESTIMATE}
{_TYPE}
''',
    payload_fields=_GIVES,
)
def update_issue(ctx: WriteContext, project_path: str, iid: str, **attributes: Unpack[IssueChangesInput]) -> Payload:
    """Update an issue."""
    added, removed = attributes.get("add_label_ids"), attributes.get("remove_label_ids")
    if attributes.get("label_ids") is not None and (added or removed):
        raise GraphQLError(_EXCLUSIVE_LABELS)
    has_estimate, estimate = "time_estimate" in attributes, read_estimate(attributes.pop("time_estimate", None))

    def change(project: Project, issue: Issue) -> Issue:
        fields = _to_parameters(ctx, {name: value for name, value in attributes.items() if _is_change(name, value)})
        for ids, parameter in (
            (attributes.get("label_ids"), "labels"),
            (attributes.get("add_label_ids"), "add_labels"),
            (attributes.get("remove_label_ids"), "remove_labels"),
        ):
            if ids is not None:
                # In the schema these arguments have the plain type ``ID``, so ids of both forms arrive here.
                fields[parameter] = label_titles(ctx, project, map(_label_gid, ids))
        changed = issues.update(ctx, project, issue, **fields)
        return set_estimate(ctx, changed, estimate) if has_estimate else changed

    return _change_issue(ctx, project_path, iid, change)


_NULLABLE: Final = ("description", "due_date", "milestone_id", "weight", "health_status")
_IDS: Final = ("label_ids", "add_label_ids", "remove_label_ids")


def _is_change(name: str, value: object) -> bool:
    """Return whether a value is a change; null is one only for fields that can be removed."""
    return value is not None or name in _NULLABLE


def _label_gid(text: str) -> str:
    """Return the global id of a label, which may be given as a plain id."""
    return text if parse_number(text) is None else f"gid://platform/Label/{text}"


def _to_parameters(ctx: ReadContext, attributes: Mapping[str, object]) -> dict[str, Any]:
    """Convert input to the parameters of the domain functions, except for ids of labels."""
    fields: dict[str, Any] = {_RENAMED.get(name, name): value for name, value in attributes.items() if name not in _IDS}
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


def _update(ctx: WriteContext, project_path: str, iid: str, **params: Unpack[IssueParams]) -> Payload:
    """Update an issue that the caller may update, and return the payload."""
    return _change_issue(ctx, project_path, iid, lambda project, issue: issues.update(ctx, project, issue, **params))


@mutation(
    "issueSetConfidential",
    input_fields=f'{_WHICH}\n"""Whether the issue is confidential."""\nconfidential: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_confidential(ctx: WriteContext, project_path: str, iid: str, confidential: bool) -> Payload:
    """Set whether an issue is confidential."""
    return _update(ctx, project_path, iid, confidential=confidential)


@mutation(
    "issueSetLocked",
    input_fields=f'{_WHICH}\n"""Whether comments are restricted to members."""\nlocked: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_locked(ctx: WriteContext, project_path: str, iid: str, locked: bool) -> Payload:
    """Set whether comments on an issue are restricted to members."""
    return _update(ctx, project_path, iid, discussion_locked=locked)


@mutation(
    "issueSetDueDate",
    input_fields=f'''{_WHICH}
"""The due date."""
dueDate: Time! @lifetime(until: "13.12")
"""The due date; null removes it."""
dueDate: Time @lifetime(since: "13.12")
''',
    payload_fields=_GIVES,
)
def issue_set_due_date(ctx: WriteContext, project_path: str, iid: str, due_date: str | None = None) -> Payload:
    """Set the due date of an issue."""
    # The argument is a timestamp, of which only the date counts.
    date = due_date[:10] if due_date else None
    return _update(ctx, project_path, iid, due_date=date)


@mutation(
    "issueSetWeight",
    input_fields=f'''{_WHICH}
"""The weight; paid tiers only."""
weight: Int! @lifetime(until: "<=14.1")
"""The weight, or null to remove it; paid tiers only."""
weight: Int @lifetime(since: "<=14.1")
''',
    payload_fields=_GIVES,
)
def issue_set_weight(ctx: WriteContext, project_path: str, iid: str, weight: int | None = None) -> Payload:
    """Set the weight of an issue."""
    return _update(ctx, project_path, iid, weight=weight)


@mutation(
    "issueSetEpic",
    input_fields=f'''{_WHICH}
"""The epic; without one, the issue is taken out of its epic."""
epicId: ID @lifetime(until: "<=13.6")
"""The epic; without one, the issue is taken out of its epic."""
epicId: EpicID @lifetime(since: "<=13.6")
''',
    payload_fields=_GIVES,
)
def issue_set_epic(ctx: WriteContext, project_path: str, iid: str, epic_id: str | None = None) -> Payload:
    """Put an issue into an epic, or take it out of its epic."""
    epic = ctx.world.epics.get(parse_id(ctx, epic_id, "Epic")) if epic_id is not None else None
    if epic_id is not None and (epic is None or not epic_access.is_visible(ctx, epic)):
        raise ResourceNotAvailable(f"there is no epic {epic_id}, or the caller does not see it")

    def set_epic(_project: Project, issue: Issue) -> Issue:
        epic_issues.change_epic(ctx, issue, epic.id if epic is not None else None)
        return ctx.world.issues[issue.id]

    return _change_issue(ctx, project_path, iid, set_epic)


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

    def change(project: Project, issue: Issue) -> Issue:
        assignee_ids = combine_assignees(ctx, issue, assignee_usernames, operation_mode)
        return issues.update(ctx, project, issue, assignee_ids=assignee_ids)

    return _change_issue(ctx, project_path, iid, change)


@mutation(
    "issueSetSubscription",
    input_fields=f'{_WHICH}\n"""Whether the caller is subscribed."""\nsubscribedState: Boolean!',
    payload_fields=_GIVES,
)
def issue_set_subscription(ctx: WriteContext, project_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Subscribe to an issue, or unsubscribe from it."""
    _, issue = require_issue(ctx, project_path, iid)
    set_subscription(ctx, issue, subscribed=subscribed_state)
    return {"issue": issue}


@mutation(
    "issueSetSeverity",
    input_fields=f'{_WHICH}\n"""The severity of the incident."""\nseverity: IssuableSeverity!',
    payload_fields=_GIVES,
    since="<=13.6",
)
def issue_set_severity(ctx: WriteContext, project_path: str, iid: str, severity: Severity) -> Payload:
    """Set the severity of an incident; nothing changes for other issues."""

    def change(_project: Project, issue: Issue) -> Issue:
        return issues.update_fields(ctx, issue, severity=severity) if issue.kind == "incident" else issue

    return _change_issue(ctx, project_path, iid, change)


@mutation(
    "issueSetEscalationStatus",
    input_fields=f'{_WHICH}\n"""The status of the incident."""\nstatus: IssueEscalationStatus!',
    payload_fields=_GIVES,
    since="<=15.0",
)
def issue_set_escalation_status(ctx: WriteContext, project_path: str, iid: str, status: EscalationStatus) -> Payload:
    """Set the status of an incident."""
    project, issue = require_issue(ctx, project_path, iid)
    authorize(ctx, Ability.UPDATE_ESCALATION_STATUS, project)
    if issue.kind != "incident":
        raise GraphQLError(_NO_INCIDENT)
    with collect_errors(issue=issue):
        return {"issue": incident_statuses.set_status(ctx, issue, status)}


@mutation(
    "issueMove",
    input_fields=f'{_WHICH}\n"""The full path of the other project."""\ntargetProjectPath: ID!',
    payload_fields=_GIVES,
    since="<=13.6",
)
def issue_move(ctx: WriteContext, project_path: str, iid: str, target_project_path: str) -> Payload:
    """Move an issue to another project."""
    project, issue = require_issue(ctx, project_path, iid)
    # What the caller may do there is up to the move itself, whose refusal is an error of the payload.
    target = find_project(ctx.world, target_project_path)
    if target is None:
        raise ResourceNotAvailable(lambda: f"there is no project {target_project_path!r}")
    with collect_errors(issue=issue):
        return {"issue": issue_moves.move(ctx, project, issue, target)}


@mutation(
    "promoteToEpic",
    input_fields=f'{_WHICH}\n"""The full path of the group; by default that of the project."""\ngroupPath: ID',
    payload_fields=f'{_GIVES}\n"""The epic."""\nepic: Epic',
    since="<=13.6",
)
def promote_to_epic(ctx: WriteContext, project_path: str, iid: str, group_path: str | None = None) -> Payload:
    """Make an epic of an issue, which is closed."""
    _, issue = require_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    group = None if group_path is None else require_group(ctx, group_path)
    with collect_errors(issue=issue, epic=None):
        epic = promotion.promote(ctx, issue, group)
    return {"issue": ctx.world.issues[issue.id], "epic": epic}
