"""Payloads of merge requests."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.domain import urls
from fakeplat.domain.ci import pipelines
from fakeplat.domain.hooks.payloads import blocks, issuables
from fakeplat.domain.hooks.payloads.blocks import Block, Later, format_time, later
from fakeplat.domain.hooks.payloads.issuables import Columns
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.merge_requests.detailed_merge_status import get_status
from fakeplat.domain.notes import resolution
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.repository import ZERO_SHA
from fakeplat.policy.behaviours import REVIEWERS_IN_HOOKS
from fakeplat.policy.context import ReadContext

_SAVED_WITH_A_MERGE: Final = ("state_id", "updated_at")
MergeRequestAction = Literal[
    "open", "update", "close", "reopen", "merge", "approved", "approval", "unapproved", "unapproval"
]
_STATE_IDS: Final = {"opened": 1, "closed": 2, "merged": 3, "locked": 4}


def _read_head_pipeline(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    pipeline = pipelines.head_pipeline(ctx.world, merge_request)
    return pipeline.id if pipeline else None


_COLUMNS: Final[Columns] = {
    "assignee_id": lambda ctx, merge_request: next(iter(merge_request.assignee_ids), None),
    "author_id": lambda ctx, merge_request: merge_request.author_id,
    "created_at": lambda ctx, merge_request: merge_request.created_at,
    "description": lambda ctx, merge_request: merge_request.description,
    "head_pipeline_id": _read_head_pipeline,
    "id": lambda ctx, merge_request: merge_request.id,
    "iid": lambda ctx, merge_request: merge_request.iid,
    # Nobody records who edited a text last.
    "last_edited_at": lambda ctx, merge_request: None,
    "last_edited_by_id": lambda ctx, merge_request: None,
    "merge_commit_sha": lambda ctx, merge_request: merge_request.merge_commit_sha,
    "merge_error": lambda ctx, merge_request: merge_request.merge_error,
    "merge_params": lambda ctx, merge_request: _build_merge_params(merge_request),
    "merge_status": lambda ctx, merge_request: merge_request.merge_status,
    "merge_user_id": lambda ctx, merge_request: merge_request.merge_user_id,
    "merge_when_pipeline_succeeds": lambda ctx, merge_request: merge_request.merge_when_pipeline_succeeds,
    "milestone_id": lambda ctx, merge_request: merge_request.milestone_id,
    "source_branch": lambda ctx, merge_request: merge_request.source_branch,
    "source_project_id": lambda ctx, merge_request: merge_request.source_project_id,
    "state_id": lambda ctx, merge_request: _STATE_IDS[merge_request.state],
    "target_branch": lambda ctx, merge_request: merge_request.target_branch,
    "target_project_id": lambda ctx, merge_request: merge_request.project_id,
    "time_estimate": lambda ctx, merge_request: merge_request.time_estimate,
    "title": lambda ctx, merge_request: merge_request.title,
    "updated_at": lambda ctx, merge_request: merge_request.updated_at,
    "updated_by_id": lambda ctx, merge_request: None,
}
# The platform's row keeps these two only once it is merged, and they are shown by other means until then.
_NOT_IN_CHANGES: Final = ("head_pipeline_id", "assignee_id")
_COMPARED: Final[Columns] = {name: read for name, read in _COLUMNS.items() if name not in _NOT_IN_CHANGES}


def _build_merge_params(merge_request: MergeRequest) -> dict[str, str]:
    params = {"force_remove_source_branch": merge_request.force_remove_source_branch}
    return {name: "1" if value else "0" for name, value in params.items() if value is not None}


def build_attributes(ctx: ReadContext, merge_request: MergeRequest) -> Block:
    """Return what payloads say of a merge request itself."""
    target = ctx.world.projects[merge_request.project_id]
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    head = diff_versions.head_sha(ctx.world, merge_request)
    return {
        **issuables.read_columns(ctx, _COLUMNS, merge_request),
        "description": blocks.make_images_absolute(ctx, target, merge_request.description),
        "url": merge_request_url(ctx, merge_request),
        "source": blocks.build_project(ctx, source) if source else None,
        "target": blocks.build_project(ctx, target),
        "last_commit": blocks.build_commit_of(ctx, target, head),
        "work_in_progress": merge_request.work_in_progress,
        **issuables.build_times(ctx, merge_request),
        "assignee_ids": list(merge_request.assignee_ids),
        **({"reviewer_ids": list(merge_request.reviewer_ids)} if ctx.profile.has(REVIEWERS_IN_HOOKS) else {}),
        "state": merge_request.state,
        **blocks.read_later(ctx, _LATER, merge_request),
    }


def _has_first_contribution(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    return merge_requests.is_first_contribution(ctx.world, merge_request)


_LATER: Final[Mapping[str, Later[MergeRequest]]] = {
    "blocking_discussions_resolved": later(
        "<=15.3", lambda ctx, merge_request: resolution.all_resolved(ctx.world, merge_request)
    ),
    "labels": later("<=15.10", lambda ctx, merge_request: blocks.build_labels(ctx, merge_request.label_ids)),
    "first_contribution": later("<=15.10", _has_first_contribution),
    "detailed_merge_status": later("<=15.10", get_status),
    "time_change": later("<=15.11", lambda ctx, merge_request: 0),
    "human_time_change": later("<=15.11", lambda ctx, merge_request: None),
    # Merge requests are prepared as soon as they are created.
    "prepared_at": later("16.1", lambda ctx, merge_request: format_time(merge_request.created_at)),
    "draft": later("<=16.4", lambda ctx, merge_request: merge_request.work_in_progress),
    "merged_at": later("<=19.1", lambda ctx, merge_request: format_time(merge_request.merged_at)),
    "squash_commit_sha": later("<=19.1", lambda ctx, merge_request: merge_request.squash_commit_sha),
}


def merge_request_url(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return the URL of a merge request."""
    project = ctx.world.projects[merge_request.project_id]
    return f"{urls.project_url(ctx, project)}/-/merge_requests/{merge_request.iid}"


def build_changes(ctx: ReadContext, before: MergeRequest | None, after: MergeRequest) -> dict[str, Any]:
    """Return what differs between two versions of a merge request."""
    return issuables.build_changes(ctx, _COMPARED, before, after)


def build_merge_request_event(
    ctx: ReadContext,
    before: MergeRequest | None,
    after: MergeRequest,
    user: User | None,
    action: MergeRequestAction | None,
    old_head: str = ZERO_SHA,
) -> Block:
    """Return the payload of an event of a merge request, as it is now; a test has neither action nor changes.

    ``old_head`` is the head before a push.
    """
    merge_request = ctx.world.merge_requests[after.id]
    changes = {} if action is None else build_changes(ctx, before, after)
    if action == "merge":
        # The platform saves the merge commit before, on its own.
        changes = {name: change for name, change in changes.items() if name in _SAVED_WITH_A_MERGE}
    attributes = {
        **build_attributes(ctx, merge_request),
        **issuables.build_time_change(ctx, before, merge_request),
        **({} if action is None else {"action": action}),
    }
    return issuables.build_event(
        ctx,
        merge_request,
        user,
        kind="merge_request",
        event_type="merge_request",
        attributes=attributes if old_head == ZERO_SHA else {**attributes, "oldrev": old_head},
        changes=changes,
    )
