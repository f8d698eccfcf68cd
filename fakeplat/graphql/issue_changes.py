"""Mutations of issues. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people import users as people
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.labels import titles_of
from fakeplat.graphql.lookups import demand_issue, demand_project
from fakeplat.graphql.operation_mode import REPLACE, combine_ids
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

Enumeration(
    "IssueStateEvent",
    "What becomes of an issue.",
    {"CLOSE": ("close", "It is closed."), "REOPEN": ("reopen", "It is opened again.")},
)

_GIVES: Final = '"""The issue."""\nissue: Issue'
_WHICH: Final = '''
"""The full path of its project."""
projectPath: ID!
"""Its number within the project."""
iid: String!
'''
_SPELLED: Final = {"locked": "discussion_locked"}


@mutation(
    "createIssue",
    takes='''
"""The full path of the project that it is made in."""
projectPath: ID!
"""Its number within the project; for owners."""
iid: Int
"""What it is about."""
title: String!
"""The whole story, in Markdown."""
description: String
"""Whether only members with a say see it."""
confidential: Boolean
"""Whether only members may comment."""
locked: Boolean
"""When it was made; for owners."""
createdAt: Time
"""When it is to be done."""
dueDate: ISO8601Date
"""The titles of its labels."""
labels: [String!]
"""Its labels."""
labelIds: [LabelID!]
"""Its milestone."""
milestoneId: MilestoneID
"""Who is to do it."""
assigneeIds: [UserID!]
"""How much work it is; part of a paid tier."""
weight: Int
"""Whether it will be done in time; part of a paid tier."""
healthStatus: HealthStatus
''',
    gives=_GIVES,
)
def create_issue(ctx: WriteContext, project_path: str, **given: Any) -> Payload:
    """Create an issue."""
    project = demand_project(ctx, project_path)
    author = ctx.signed_in_user
    ctx.count_action("issues_create", author.id, ctx.world.settings.issues_create_limit)
    authorize(ctx, Ability.CREATE_ISSUE, project)
    if given.get("labels") is not None and given.get("label_ids") is not None:
        raise GraphQLError("Only one of labels or labelIds arguments is allowed")
    fields = _fields(ctx, {name: value for name, value in given.items() if value is not None})
    if "label_ids" in given and given["label_ids"] is not None:
        fields["labels"] = titles_of(ctx, project, given["label_ids"])
    return {"issue": issues.create(ctx, project, author, **fields)}


@mutation(
    "updateIssue",
    takes=f'''{_WHICH}
"""What it is about."""
title: String
"""The whole story, in Markdown."""
description: String
"""Whether only members with a say see it."""
confidential: Boolean
"""Whether only members may comment."""
locked: Boolean
"""When it is to be done."""
dueDate: ISO8601Date
"""Labels that it gets."""
addLabelIds: [ID!]
"""Labels that it loses."""
removeLabelIds: [ID!]
"""Its milestone; null takes it away."""
milestoneId: ID
"""Whether it is closed or opened again."""
stateEvent: IssueStateEvent
"""How much work it is; part of a paid tier."""
weight: Int
"""Whether it will be done in time; part of a paid tier."""
healthStatus: HealthStatus
''',
    gives=_GIVES,
)
def update_issue(ctx: WriteContext, project_path: str, iid: str, **given: Any) -> Payload:
    """Change an issue."""

    def change(project: Project, issue: Issue) -> Issue:
        fields = _fields(ctx, {name: value for name, value in given.items() if _says(name, value)})
        for name, parameter in (("add_label_ids", "add_labels"), ("remove_label_ids", "remove_labels")):
            if given.get(name) is not None:
                fields[parameter] = titles_of(ctx, project, map(_as_label, given[name]))
        return issues.update(ctx, project, issue, **fields)

    return _changed(ctx, project_path, iid, change)


_NULLABLE: Final = ("description", "due_date", "milestone_id", "weight", "health_status")
_IDS: Final = ("label_ids", "add_label_ids", "remove_label_ids")


def _says(name: str, value: object) -> bool:
    """Whether a value is a change; null is one only where something can be taken away."""
    return value is not None or name in _NULLABLE


def _as_label(text: str) -> str:
    """A label's id in the two forms that are taken: alone, and as a global id."""
    return text if number_of(text) is None else f"gid://platform/Label/{text}"


def _fields(ctx: ReadContext, given: Mapping[str, Any]) -> dict[str, Any]:
    """Input as the verbs take it, but for labels that ids name."""
    fields = {_SPELLED.get(name, name): value for name, value in given.items() if name not in _IDS}
    if fields.get("milestone_id") is not None:
        text = fields["milestone_id"]
        number = number_of(text)
        fields["milestone_id"] = id_of(ctx, text, "Milestone") if number is None else number
    if "assignee_ids" in fields:
        fields["assignee_ids"] = [id_of(ctx, text, "User") for text in fields["assignee_ids"]]
    return fields


def _changed(ctx: WriteContext, project_path: str, iid: str, change: Callable[[Project, Issue], Issue]) -> Payload:
    """What a change of an issue gives that the caller may update."""
    project, issue = demand_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    with collect_errors(issue=issue):
        return {"issue": change(project, issue)}


@mutation(
    "issueSetConfidential",
    takes=f'{_WHICH}\n"""Whether only members with a say see it."""\nconfidential: Boolean!',
    gives=_GIVES,
)
def issue_set_confidential(ctx: WriteContext, project_path: str, iid: str, confidential: bool) -> Payload:
    """Hide an issue from the public, or show it."""
    return _changed(ctx, project_path, iid, lambda p, one: issues.update(ctx, p, one, confidential=confidential))


@mutation("issueSetLocked", takes=f'{_WHICH}\n"""Whether only members may comment."""\nlocked: Boolean!', gives=_GIVES)
def issue_set_locked(ctx: WriteContext, project_path: str, iid: str, locked: bool) -> Payload:
    """Let only members comment on an issue, or everybody."""
    return _changed(ctx, project_path, iid, lambda p, one: issues.update(ctx, p, one, discussion_locked=locked))


@mutation(
    "issueSetDueDate",
    takes=f'{_WHICH}\n"""When it is to be done; null takes the date away."""\ndueDate: Time',
    gives=_GIVES,
)
def issue_set_due_date(ctx: WriteContext, project_path: str, iid: str, due_date: str | None = None) -> Payload:
    """Say when an issue is to be done."""
    day = due_date[:10] if due_date else None
    return _changed(ctx, project_path, iid, lambda p, one: issues.update(ctx, p, one, due_date=day))


@mutation(
    "issueSetWeight", takes=f'{_WHICH}\n"""How much work it is; part of a paid tier."""\nweight: Int!', gives=_GIVES
)
def issue_set_weight(ctx: WriteContext, project_path: str, iid: str, weight: int) -> Payload:
    """Say how much work an issue is."""
    return _changed(ctx, project_path, iid, lambda p, one: issues.update(ctx, p, one, weight=weight))


@mutation(
    "issueSetAssignees",
    takes=f'''{_WHICH}
"""The usernames."""
assigneeUsernames: [String!]!
"""What becomes of those who are to do it now."""
operationMode: MutationOperationMode = REPLACE
''',
    gives=_GIVES,
)
def issue_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Say who is to do an issue."""
    found = [people.find_by_username(ctx.world, name) for name in assignee_usernames]
    named = [user.id for user in found if user is not None]

    def change(project: Project, issue: Issue) -> Issue:
        ids = combine_ids(operation_mode, issue.assignee_ids, named)
        return issues.update(ctx, project, issue, assignee_ids=ids)

    return _changed(ctx, project_path, iid, change)


@mutation(
    "issueSetSubscription",
    takes=f'{_WHICH}\n"""Whether the caller wants to hear of it."""\nsubscribedState: Boolean!',
    gives=_GIVES,
)
def issue_set_subscription(ctx: WriteContext, project_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Hear of an issue, or no more."""
    _, issue = demand_issue(ctx, project_path, iid)
    now = subscriptions.is_notified(ctx.world, issue, ctx.user)
    if now != subscribed_state:
        subscriptions.subscribe(ctx, ("issue", issue.id), ctx.signed_in_user, wanted=subscribed_state, now=now)
    return {"issue": issue}
