"""Mutations of merge requests. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, Unprocessable
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.merge_requests.merge_requests import KIND, NO_FORK, SAME_BRANCH, TAKEN
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people import users as people
from fakeplat.graphql.errors import MutationFailed, collect_errors, texts_of
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.labels import titles_of
from fakeplat.graphql.lookups import demand_merge_request, demand_project
from fakeplat.graphql.operation_mode import REPLACE, combine_ids
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.merge_requests import MergeRequest, undrafted
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

Payload = Mapping[str, Any]
Change = Callable[[Project, MergeRequest], MergeRequest]

Enumeration(
    "MergeRequestNewState",
    "What becomes of a merge request.",
    {"OPEN": ("reopen", "It is opened again."), "CLOSED": ("close", "It is closed.")},
)

_DRAFT: Final = "Draft: "
_GIVES: Final = '"""The merge request."""\nmergeRequest: MergeRequest'
_WHICH: Final = '''
"""The full path of its project."""
projectPath: ID!
"""Its number within the project."""
iid: String!
'''
_MODE: Final = '"""What becomes of those that are there."""\noperationMode: MutationOperationMode = REPLACE'
_RULES: Final = {
    SAME_BRANCH: "Branch conflict",
    NO_FORK: "Validate fork",
    TAKEN.partition("{")[0]: "Validate branches",
}
"""Which rule of the platform's records a text comes from, by how it begins."""


@contextmanager
def _naming_rules(**shown: Any) -> Iterator[None]:
    """Texts about branches become texts in the payload, with the name of the rule before them."""
    try:
        with collect_errors(**shown):
            yield
    except MutationFailed as failed:
        refusal = failed.__cause__
        if isinstance(refusal, Conflict | Unprocessable):
            raise MutationFailed([_named(text) for text in texts_of(refusal)], shown) from refusal
        raise


def _named(text: str) -> str:
    rule = next((rule for start, rule in _RULES.items() if text.startswith(start)), "")
    return f"{rule} {text}".strip()


@mutation(
    "mergeRequestCreate",
    takes='''
"""The full path of the project of the source branch."""
projectPath: ID!
"""What it is about."""
title: String!
"""The branch to be merged."""
sourceBranch: String!
"""Where it is to be merged."""
targetBranch: String!
"""The whole story, in Markdown."""
description: String
"""The titles of its labels."""
labels: [String!]
''',
    gives=_GIVES,
)
def merge_request_create(ctx: WriteContext, project_path: str, **given: Any) -> Payload:
    """Ask to merge a branch."""
    project = demand_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project)
    fields = {name: value for name, value in given.items() if value is not None}
    with _naming_rules():
        return {"merge_request": merge_requests.create(ctx, project, ctx.signed_in_user, **fields)}


@mutation(
    "mergeRequestUpdate",
    takes=f'''{_WHICH}
"""What it is about."""
title: String
"""Where it is to be merged."""
targetBranch: String
"""The whole story, in Markdown."""
description: String
"""Whether it is closed or opened again."""
state: MergeRequestNewState
''',
    gives=_GIVES,
)
def merge_request_update(
    ctx: WriteContext, project_path: str, iid: str, state: str | None = None, **given: Any
) -> Payload:
    """Change a merge request."""
    fields = {name: value for name, value in {**given, "state_event": state}.items() if value is not None}
    return _changed(ctx, project_path, iid, lambda project, one: merge_requests.update(ctx, one, **fields))


def _changed(ctx: WriteContext, project_path: str, iid: str, change: Change) -> Payload:
    """What a change of a merge request gives that the caller may update."""
    project, merge_request = demand_merge_request(ctx, project_path, iid)
    noteables.authorize_update(ctx, merge_request)
    with _naming_rules(merge_request=merge_request):
        return {"merge_request": change(project, merge_request)}


@mutation(
    "mergeRequestSetLabels",
    takes=f'{_WHICH}\n"""The labels."""\nlabelIds: [LabelID!]!\n{_MODE}',
    gives=_GIVES,
)
def merge_request_set_labels(
    ctx: WriteContext, project_path: str, iid: str, label_ids: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Give a merge request labels, or take them away."""
    parameter = {"append": "add_labels", "remove": "remove_labels"}.get(operation_mode or REPLACE, "labels")

    def change(project: Project, merge_request: MergeRequest) -> MergeRequest:
        return merge_requests.update(ctx, merge_request, **{parameter: titles_of(ctx, project, label_ids)})

    return _changed(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetAssignees",
    takes=f'{_WHICH}\n"""The usernames."""\nassigneeUsernames: [String!]!\n{_MODE}',
    gives=_GIVES,
)
def merge_request_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Say who is to look after a merge request."""
    found = [people.find_by_username(ctx.world, name) for name in assignee_usernames]
    named = [user.id for user in found if user is not None]

    def change(project: Project, merge_request: MergeRequest) -> MergeRequest:
        del project
        ids = combine_ids(operation_mode, merge_request.assignee_ids, named)
        return merge_requests.update(ctx, merge_request, assignee_ids=ids)

    return _changed(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetMilestone",
    takes=f'{_WHICH}\n"""The milestone; null takes it away."""\nmilestoneId: MilestoneID',
    gives=_GIVES,
)
def merge_request_set_milestone(
    ctx: WriteContext, project_path: str, iid: str, milestone_id: str | None = None
) -> Payload:
    """Say what a merge request is a step to."""
    id_ = None if milestone_id is None else id_of(ctx, milestone_id, "Milestone")
    return _changed(ctx, project_path, iid, lambda p, one: merge_requests.update(ctx, one, milestone_id=id_))


@mutation(
    "mergeRequestSetLocked", takes=f'{_WHICH}\n"""Whether only members may comment."""\nlocked: Boolean!', gives=_GIVES
)
def merge_request_set_locked(ctx: WriteContext, project_path: str, iid: str, locked: bool) -> Payload:
    """Let only members comment on a merge request, or everybody."""
    return _changed(ctx, project_path, iid, lambda p, one: merge_requests.update(ctx, one, discussion_locked=locked))


@mutation("mergeRequestSetWip", takes=f'{_WHICH}\n"""Whether the work is not done."""\nwip: Boolean!', gives=_GIVES)
def merge_request_set_wip(ctx: WriteContext, project_path: str, iid: str, wip: bool) -> Payload:
    """Say in the title of a merge request that the work is not done, or no more."""

    def change(project: Project, merge_request: MergeRequest) -> MergeRequest:
        del project
        if wip == merge_request.work_in_progress:
            return merge_request
        title = f"{_DRAFT}{merge_request.title}" if wip else undrafted(merge_request.title)
        return merge_requests.update(ctx, merge_request, title=title)

    return _changed(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetSubscription",
    takes=f'{_WHICH}\n"""Whether the caller wants to hear of it."""\nsubscribedState: Boolean!',
    gives=_GIVES,
)
def merge_request_set_subscription(ctx: WriteContext, project_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Hear of a merge request, or no more."""

    def change(project: Project, merge_request: MergeRequest) -> MergeRequest:
        del project
        now = subscriptions.is_notified(ctx.world, merge_request, ctx.user)
        if now != subscribed_state:
            subscriptions.subscribe(ctx, (KIND, merge_request.id), ctx.signed_in_user, wanted=subscribed_state, now=now)
        return merge_request

    return _changed(ctx, project_path, iid, change)
