"""Mutations of merge requests. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Conflict, ForbiddenWithMessage, Refusal, Unprocessable
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import (
    approval_access,
    approval_rules,
    approvals,
    auto_merges,
    merge_requests,
    merging,
    reviewers,
)
from fakeplat.domain.merge_requests.approval_rules import RuleParams
from fakeplat.domain.merge_requests.merge_requests import DUPLICATE, NO_FORK, SAME_BRANCH, MergeRequestParams
from fakeplat.domain.merge_requests.merging import MergeOptions
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import users
from fakeplat.domain.repository import protection, push_rule_checks
from fakeplat.domain.reviews import diff_versions
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors, error_messages
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuable_changes import (
    TIME_ESTIMATE,
    build_identity_fields,
    combine_assignees,
    read_estimate,
    set_estimate,
    set_subscription,
)
from fakeplat.graphql.lookups import require_merge_request, require_project
from fakeplat.graphql.operation_mode import APPEND, REMOVE, REPLACE, combine_ids
from fakeplat.graphql.planning.labels import label_titles
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.merge_requests import MergeRequest, strip_draft_prefix
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

Payload = Mapping[str, Any]
Change = Callable[[Project, MergeRequest], MergeRequest]

Enumeration(
    "MergeRequestNewState",
    "A change of a merge request's state.",
    {"OPEN": ("reopen", "Reopen the merge request."), "CLOSED": ("close", "Close the merge request.")},
    since="13.9",
)

_STRATEGIES: Final = {
    "MERGE_TRAIN": ALWAYS,
    "MERGE_WHEN_PIPELINE_SUCCEEDS": Lifetime(until="<=18.5"),
    "ADD_TO_MERGE_TRAIN_WHEN_PIPELINE_SUCCEEDS": Lifetime(until="<=18.5"),
    "MERGE_WHEN_CHECKS_PASS": Lifetime(since="<=16.3"),
    "ADD_TO_MERGE_TRAIN_WHEN_CHECKS_PASS": Lifetime(since="17.7"),
}
Enumeration(
    "MergeStrategyEnum",
    "How a merge request is merged later.",
    {name: (name.lower(), f"The strategy {name.lower()}.", lifetime) for name, lifetime in _STRATEGIES.items()},
    since="<=13.11",
)
_DRAFT_PREFIX: Final = "Draft: "
_NO_REVIEWER: Final = "Reviewer not found"
_OTHER_HEAD: Final = "The merge-head is not at the anticipated SHA"
_NOT_MERGEABLE: Final = "This branch cannot be merged"
_ALREADY_SCHEDULED: Final = "The merge request is already scheduled to be merged"
_HOOKS_FAILED: Final = "Pre-merge hooks failed"
_MERGE_FAILED: Final = "The merge failed"
_GIVES: Final = '"""The merge request."""\nmergeRequest: MergeRequest'
_WHICH: Final = build_identity_fields("merge request")
_MODE: Final = '"""How the list changes the current one."""\noperationMode: MutationOperationMode = REPLACE'
_LABEL_PARAMETERS: Final[Mapping[str, Literal["labels", "add_labels", "remove_labels"]]] = {
    REPLACE: "labels",
    APPEND: "add_labels",
    REMOVE: "remove_labels",
}
_REMOVAL: Final = """
\"\"\"Whether merging removes the source branch.\"\"\"
removeSourceBranch: Boolean @lifetime(since: "<=18.5")
"""
# The domain functions take the names of the attributes of the record.
_RENAMED: Final = {"remove_source_branch": "force_remove_source_branch", "state": "state_event"}
_RULES: Final = {
    SAME_BRANCH: "Branch conflict",
    NO_FORK: "Validate fork",
    # This message has a placeholder, so only the text before it is constant.
    DUPLICATE.partition("{")[0]: "Validate branches",
}
"""The platform's validation rules, by the prefixes of their messages."""


class MergeRequestInput(TypedDict, total=False):
    """The input of both mutations that set several attributes."""

    title: str | None
    target_branch: str | None
    description: str | None
    remove_source_branch: bool | None


class NewMergeRequestInput(MergeRequestInput, total=False):
    """The input of mergeRequestCreate."""

    source_branch: str
    labels: list[str] | None


class MergeRequestChangesInput(MergeRequestInput, total=False):
    """The input of mergeRequestUpdate."""

    state: str | None
    time_estimate: str | None


@contextmanager
def _collect_branch_errors(**fields: MergeRequest) -> Iterator[None]:
    """Turn refusals into errors of the payload, with the name of the validation rule as prefix."""
    try:
        with collect_errors(**fields):
            yield
    except MutationFailed as failed:
        # The platform adds these errors under the name of the rule, with which its messages then begin.
        refusal = failed.__cause__
        if isinstance(refusal, Conflict | Unprocessable):
            raise MutationFailed([_prefix_rule(text) for text in error_messages(refusal)], fields) from refusal
        raise


def _prefix_rule(text: str) -> str:
    rule = next((rule for prefix, rule in _RULES.items() if text.startswith(prefix)), "")
    return f"{rule} {text}".strip()


@mutation(
    "mergeRequestCreate",
    input_fields='''
"""The full path of the source project."""
projectPath: ID!
"""The title."""
title: String!
"""The source branch."""
sourceBranch: String!
"""The target branch."""
targetBranch: String!
"""The description in Markdown."""
description: String
"""The titles of labels."""
labels: [String!]
'''
    + _REMOVAL,
    payload_fields=_GIVES,
)
def merge_request_create(ctx: WriteContext, project_path: str, **attributes: Unpack[NewMergeRequestInput]) -> Payload:
    """Create a merge request."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project)
    fields = _to_parameters(attributes)
    with _collect_branch_errors():
        return {"merge_request": merge_requests.create(ctx, project, ctx.signed_in_user, **fields)}


@mutation(
    "mergeRequestUpdate",
    input_fields=f'''{_WHICH}
"""The title."""
title: String
"""The target branch."""
targetBranch: String
"""The description in Markdown."""
description: String
"""Whether to close or reopen the merge request."""
state: MergeRequestNewState @lifetime(since: "13.9")
{TIME_ESTIMATE}
{_REMOVAL}
''',
    payload_fields=_GIVES,
)
def merge_request_update(
    ctx: WriteContext, project_path: str, iid: str, **attributes: Unpack[MergeRequestChangesInput]
) -> Payload:
    """Update a merge request."""
    has_estimate, estimate = "time_estimate" in attributes, read_estimate(attributes.pop("time_estimate", None))
    fields = _to_parameters(attributes)

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        changed = merge_requests.update(ctx, merge_request, **fields)
        return set_estimate(ctx, changed, estimate) if has_estimate else changed

    return _change_merge_request(ctx, project_path, iid, change)


def _to_parameters(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Convert input to the parameters of the domain functions; null is the same as no value."""
    return {_RENAMED.get(name, name): value for name, value in attributes.items() if value is not None}


def _change_merge_request(ctx: WriteContext, project_path: str, iid: str, change: Change) -> Payload:
    """Change a merge request that the caller may update, and return the payload."""
    project, merge_request = require_merge_request(ctx, project_path, iid)
    noteables.authorize_update(ctx, merge_request)
    with _collect_branch_errors(merge_request=merge_request):
        return {"merge_request": change(project, merge_request)}


def _update(ctx: WriteContext, project_path: str, iid: str, **params: Unpack[MergeRequestParams]) -> Payload:
    """Update a merge request that the caller may update, and return the payload."""
    return _change_merge_request(
        ctx, project_path, iid, lambda _, merge_request: merge_requests.update(ctx, merge_request, **params)
    )


class AcceptInput(TypedDict, total=False):
    """How to merge a merge request."""

    commit_message: str | None
    squash_commit_message: str | None
    squash: bool | None
    should_remove_source_branch: bool | None
    strategy: str | None


class ApprovalRuleChanges(TypedDict, total=False):
    """New values of an approval rule."""

    name: Required[str]
    approvals_required: Required[int]
    user_ids: Sequence[str] | None
    group_ids: Sequence[str] | None
    remove_hidden_groups: bool | None


@mutation(
    "mergeRequestSetLabels",
    input_fields=f'{_WHICH}\n"""The IDs of the labels."""\nlabelIds: [LabelID!]!\n{_MODE}',
    payload_fields=_GIVES,
)
def merge_request_set_labels(
    ctx: WriteContext, project_path: str, iid: str, label_ids: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Set the labels of a merge request."""
    # An explicit null as mode means the default, as if it were missing.
    parameter = _LABEL_PARAMETERS[operation_mode or REPLACE]

    def change(project: Project, merge_request: MergeRequest) -> MergeRequest:
        params: MergeRequestParams = {}
        params[parameter] = label_titles(ctx, project, label_ids)
        return merge_requests.update(ctx, merge_request, **params)

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetAssignees",
    input_fields=f'{_WHICH}\n"""The usernames of the assignees."""\nassigneeUsernames: [String!]!\n{_MODE}',
    payload_fields=_GIVES,
)
def merge_request_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Set the assignees of a merge request."""

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        assignee_ids = combine_assignees(ctx, merge_request, assignee_usernames, operation_mode)
        return merge_requests.update(ctx, merge_request, assignee_ids=assignee_ids)

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetMilestone",
    input_fields=f'{_WHICH}\n"""The ID of the milestone; null removes it."""\nmilestoneId: MilestoneID',
    payload_fields=_GIVES,
)
def merge_request_set_milestone(
    ctx: WriteContext, project_path: str, iid: str, milestone_id: str | None = None
) -> Payload:
    """Set the milestone of a merge request."""
    id_ = None if milestone_id is None else parse_id(ctx, milestone_id, "Milestone")
    return _update(ctx, project_path, iid, milestone_id=id_)


@mutation(
    "mergeRequestSetLocked",
    input_fields=f'{_WHICH}\n"""Whether comments are restricted to members."""\nlocked: Boolean!',
    payload_fields=_GIVES,
)
def merge_request_set_locked(ctx: WriteContext, project_path: str, iid: str, locked: bool) -> Payload:
    """Set whether comments on a merge request are restricted to members."""
    return _update(ctx, project_path, iid, discussion_locked=locked)


@mutation(
    "mergeRequestSetWip",
    input_fields=f'{_WHICH}\n"""Whether the merge request is a draft."""\nwip: Boolean!',
    payload_fields=_GIVES,
    until="<=14.8",
)
def merge_request_set_wip(ctx: WriteContext, project_path: str, iid: str, wip: bool) -> Payload:
    """Mark a merge request as a draft, or as ready."""
    return merge_request_set_draft(ctx, project_path, iid, draft=wip)


@mutation(
    "mergeRequestSetDraft",
    input_fields=f'{_WHICH}\n"""Whether the merge request is a draft."""\ndraft: Boolean!',
    payload_fields=_GIVES,
    since="13.12",
)
def merge_request_set_draft(ctx: WriteContext, project_path: str, iid: str, draft: bool) -> Payload:
    """Mark a merge request as a draft, or as ready."""

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        # The title may already have a marker, and other ones than "Draft:" exist.
        if draft == merge_request.work_in_progress:
            return merge_request
        title = f"{_DRAFT_PREFIX}{merge_request.title}" if draft else strip_draft_prefix(merge_request.title)
        return merge_requests.update(ctx, merge_request, title=title)

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetSubscription",
    input_fields=f'{_WHICH}\n"""Whether the caller is subscribed."""\nsubscribedState: Boolean!',
    payload_fields=_GIVES,
)
def merge_request_set_subscription(ctx: WriteContext, project_path: str, iid: str, subscribed_state: bool) -> Payload:
    """Subscribe to a merge request, or unsubscribe from it."""

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        set_subscription(ctx, merge_request, subscribed=subscribed_state)
        return merge_request

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestSetReviewers",
    input_fields=f'{_WHICH}\n"""The usernames of the reviewers."""\nreviewerUsernames: [String!]!\n{_MODE}',
    payload_fields=_GIVES,
    since="15.3",
)
def merge_request_set_reviewers(
    ctx: WriteContext, project_path: str, iid: str, reviewer_usernames: list[str], operation_mode: str | None = REPLACE
) -> Payload:
    """Set the reviewers of a merge request."""

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        found = [users.find_by_username(ctx.world, name) for name in reviewer_usernames]
        named_ids = [user.id for user in found if user is not None]
        return merge_requests.update(
            ctx, merge_request, reviewer_ids=combine_ids(operation_mode, merge_request.reviewer_ids, named_ids)
        )

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestReviewerRereview",
    input_fields=f'{_WHICH}\n"""The ID of the reviewer."""\nuserId: UserID!',
    payload_fields=_GIVES,
    since="13.9",
)
def merge_request_reviewer_rereview(ctx: WriteContext, project_path: str, iid: str, user_id: str) -> Payload:
    """Ask a reviewer once more."""

    def change(_project: Project, merge_request: MergeRequest) -> MergeRequest:
        user = ctx.world.users.get(parse_id(ctx, user_id, "User"))
        if user is None or reviewers.find_reviewer(merge_request, user) is None:
            raise MutationFailed([_NO_REVIEWER], {"merge_request": merge_request})
        return approvals.request_review(ctx, merge_request, user)

    return _change_merge_request(ctx, project_path, iid, change)


@mutation(
    "mergeRequestAccept",
    input_fields=f'''{_WHICH}
"""The hash of the head."""
sha: String!
"""The message of the merge commit."""
commitMessage: String
"""The message of the squash commit."""
squashCommitMessage: String
"""Whether to make one commit of all."""
squash: Boolean = false
"""Whether to remove the source branch."""
shouldRemoveSourceBranch: Boolean
"""How to have it merged later; else it is merged now."""
strategy: MergeStrategyEnum @lifetime(since: "<=13.11")
''',
    payload_fields=_GIVES,
    since="13.10",
)
def merge_request_accept(
    ctx: WriteContext, project_path: str, iid: str, sha: str, **chosen: Unpack[AcceptInput]
) -> Payload:
    """Merge a merge request, now or by a strategy later."""
    project, merge_request = require_merge_request(ctx, project_path, iid)
    if not protection.can_merge(ctx, project, merge_request.target_branch):
        branch = merge_request.target_branch
        raise ResourceNotAvailable(lambda: protection.explain_merge(ctx, project, branch))
    strategy = chosen.get("strategy")
    options = MergeOptions(
        merge_commit_message=chosen.get("commit_message"),
        squash_commit_message=chosen.get("squash_commit_message"),
        squash=chosen.get("squash", False),
        should_remove_source_branch=chosen.get("should_remove_source_branch"),
        sha=sha,
    )
    error = _explain_obstacle(ctx, project, merge_request, options, is_later=strategy is not None)
    if error:
        raise MutationFailed([error], {"merge_request": merge_request})
    if strategy is None:
        merged = _merge_now(ctx, merge_request, options)
    else:
        merged = auto_merges.start(ctx, merge_request, strategy, options)
    if merged is None:
        raise MutationFailed([_MERGE_FAILED], {"merge_request": merge_request})
    return {"merge_request": merged}


def _explain_obstacle(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, options: MergeOptions, *, is_later: bool
) -> str:
    """Return the platform's first objection to a merge; empty if it has none."""
    if merge_request.merge_when_pipeline_succeeds:
        return _ALREADY_SCHEDULED
    if not (merging.can_wait(ctx, merge_request) if is_later else merging.can_merge_now(ctx, merge_request)):
        return _NOT_MERGEABLE
    message = options.merge_commit_message or merging.merge_message(ctx, merge_request)
    if push_rule_checks.explain_merge_objection(ctx, project, message, ctx.signed_in_user):
        return _HOOKS_FAILED
    return "" if options.sha == diff_versions.head_sha(ctx.world, merge_request) else _OTHER_HEAD


def _merge_now(ctx: WriteContext, merge_request: MergeRequest, options: MergeOptions) -> MergeRequest | None:
    """Merge a merge request; None if it stays open."""
    try:
        merged = merging.accept(ctx, merge_request, options)
    except Refusal as refusal:
        raise MutationFailed([_NOT_MERGEABLE], {"merge_request": merge_request}) from refusal
    return merged if merged.state == "merged" else None


@mutation(
    "mergeRequestUpdateApprovalRule",
    input_fields=f'''{_WHICH}
"""The number of the rule."""
approvalRuleId: Int!
"""The name."""
name: String!
"""Number of required approvals."""
approvalsRequired: Int!
"""The numbers of the users who approve."""
userIds: [String!] = []
"""The numbers of the groups that approve."""
groupIds: [String!] = []
"""Whether groups that the caller does not see are removed."""
removeHiddenGroups: Boolean = false
''',
    payload_fields=_GIVES,
    since="<=16.2",
)
def merge_request_update_approval_rule(
    ctx: WriteContext, project_path: str, iid: str, approval_rule_id: int, **fields: Unpack[ApprovalRuleChanges]
) -> Payload:
    """Change an approval rule of a merge request; the payload has no merge request."""
    _project, merge_request = require_merge_request(ctx, project_path, iid)
    approval_access.authorize_editing_rules(ctx, merge_request)
    rule = approval_rules.get_rule(ctx.world, merge_request, approval_rule_id)
    changes: RuleParams = {
        "name": fields["name"],
        "approvals_required": fields["approvals_required"],
        "user_ids": [parse_number(id_) or 0 for id_ in fields.get("user_ids") or ()],
        "group_ids": [parse_number(id_) or 0 for id_ in fields.get("group_ids") or ()],
    }
    # The platform lists what is wrong with the merge request, and nothing is wrong with that.
    with suppress(BadRequest, ForbiddenWithMessage):
        approval_access.authorize_editing_rule(ctx, rule)
        approval_rules.update(ctx, rule, remove_hidden_groups=bool(fields.get("remove_hidden_groups")), **changes)
    return {"merge_request": None}
