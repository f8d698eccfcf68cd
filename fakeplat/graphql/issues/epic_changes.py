"""Mutations of epics. Source: docs/platform/graphql.md, docs/platform/epics.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.epics import epic_issues, epics
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.planning import labels
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import LABEL_KINDS, parse_number_or_id
from fakeplat.graphql.issues.epics import IssueOfEpic
from fakeplat.graphql.lookups import find_namespace, require_issue
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Payload = Mapping[str, Any]
NO_ATTRIBUTES: Final = "The list of epic attributes is empty"
Enumeration(
    "EpicStateEvent",
    "A change of an epic's state.",
    {"REOPEN": ("reopen", "Reopen the epic."), "CLOSE": ("close", "Close the epic.")},
)
_GIVES: Final = '"""The epic."""\nepic: Epic'
_ATTRIBUTES: Final = '''
"""The full path of the group."""
groupPath: ID!
"""The title."""
title: String
"""The description in Markdown."""
description: String
"""Whether it is confidential."""
confidential: Boolean
"""The first day."""
startDateFixed: String
"""The last day."""
dueDateFixed: String
"""Whether the first day is the one that was set."""
startDateIsFixed: Boolean
"""Whether the last day is the one that was set."""
dueDateIsFixed: Boolean
"""The IDs of labels to add."""
addLabelIds: [ID!]
"""The IDs of labels to remove."""
removeLabelIds: [ID!]
'''
_WHICH: Final = '"""The number of the epic within the group."""\niid: ID!\n'


class EpicInput(TypedDict, total=False):
    """The attributes of an epic in inputs."""

    title: str | None
    description: str | None
    confidential: bool | None
    start_date_fixed: str | None
    due_date_fixed: str | None
    start_date_is_fixed: bool | None
    due_date_is_fixed: bool | None
    add_label_ids: list[str] | None
    remove_label_ids: list[str] | None
    state_event: str | None


@mutation("createEpic", input_fields=_ATTRIBUTES, payload_fields=_GIVES)
def create_epic(ctx: WriteContext, group_path: str, **attributes: Unpack[EpicInput]) -> Payload:
    """Create an epic."""
    group = _require_group(ctx, group_path)
    authorize(ctx, Ability.ADMIN_EPIC, group)
    fields = _to_parameters(ctx, group, attributes)
    with collect_errors(epic=None):
        return {"epic": epics.create(ctx, group, ctx.signed_in_user, **{"title": "", **fields})}


@mutation(
    "updateEpic",
    input_fields=f'{_WHICH}{_ATTRIBUTES}"""Whether to close or reopen the epic."""\nstateEvent: EpicStateEvent',
    payload_fields=_GIVES,
)
def update_epic(ctx: WriteContext, group_path: str, iid: str, **attributes: Unpack[EpicInput]) -> Payload:
    """Change an epic."""
    epic = _require_epic(ctx, group_path, iid, Ability.ADMIN_EPIC)
    fields = _to_parameters(ctx, _require_group(ctx, group_path), attributes)
    with collect_errors(epic=epic):
        return {"epic": epics.update(ctx, epic, **fields)}


@mutation(
    "epicSetSubscription",
    input_fields=f'''{_WHICH}
"""The full path of the group."""
groupPath: ID!
"""Whether to subscribe or unsubscribe."""
subscribedState: Boolean!
''',
    payload_fields=_GIVES,
)
def set_subscription(ctx: WriteContext, group_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Subscribe the caller to an epic, or unsubscribe from it."""
    epic = _require_epic(ctx, group_path, iid, Ability.READ_EPIC)
    is_subscribed = subscriptions.is_notified(ctx.world, epic, ctx.user)
    # Without a change nothing is stored, so the subscription of an author stays an implicit one.
    if is_subscribed != subscribed_state:
        subject = noteables.subject_of(epic)
        subscriptions.subscribe(ctx, subject, ctx.signed_in_user, subscribed=subscribed_state, now=is_subscribed)
    return {"epic": epic}


@mutation(
    "epicAddIssue",
    input_fields=f'''{_WHICH}
"""The full path of the group."""
groupPath: ID!
"""The full path of the project."""
projectPath: ID!
"""The number of the issue within the project."""
issueIid: String!
''',
    payload_fields=f'{_GIVES}\n"""The issue in the epic."""\nepicIssue: EpicIssue',
)
def add_issue(ctx: WriteContext, group_path: str, iid: str, project_path: str, issue_iid: str) -> Payload:
    """Put an issue into an epic."""
    epic = _require_epic(ctx, group_path, iid, Ability.ADMIN_EPIC)
    _, issue = require_issue(ctx, project_path, issue_iid)
    with collect_errors(epic=epic, epic_issue=None):
        link = epic_issues.assign(ctx, epic, issue.id)
    return {"epic": ctx.world.epics[epic.id], "epic_issue": IssueOfEpic(link, ctx.world.issues[issue.id])}


def _require_group(ctx: ReadContext, full_path: str) -> Group:
    group = find_namespace(ctx, full_path)
    if not isinstance(group, Group) or not can_see(ctx, group) or not has_feature(ctx.world, "premium", group):
        raise NotFound("Group", reason=f"{full_path} is no group with epics that the caller can see")
    return group


def _require_epic(ctx: ReadContext, group_path: str, iid: str, ability: Ability) -> Epic:
    return epics.get_epic(ctx, _require_group(ctx, group_path), parse_number(iid) or 0, ability)


def _to_parameters(ctx: ReadContext, group: Group, attributes: EpicInput) -> dict[str, Any]:
    """Return the attributes under the names of the domain, labels by title."""
    fields: dict[str, Any] = dict(attributes)
    if not fields:
        raise GraphQLError(NO_ATTRIBUTES)
    titles = {label.id: label.title for label in labels.list_available(ctx.world, group)}
    for name, target in (("add_label_ids", "add_labels"), ("remove_label_ids", "remove_labels")):
        ids = fields.pop(name, None)
        if ids is not None:
            numbers = [parse_number_or_id(ctx, text, *LABEL_KINDS) for text in ids]
            fields[target] = [titles[number] for number in numbers if number in titles]
    return fields
