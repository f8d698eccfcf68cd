"""Merge when pipeline succeeds (auto-merge): reactions to pipelines, retargeting and closing.

When the head pipeline fails, the author and the merge user get a to-do; the merge request keeps waiting, as the jobs
may be retried.
Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md ('MWPS'), docs/platform/external.md ('Merge
when pipeline succeeds').
"""

from typing import Final

from fakeplat.domain.ci import pipelines
from fakeplat.domain.merge_requests import blocks, merge_checks, merge_train_runs, merging
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.repository import protection
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.policy.behaviours import MERGE_WHEN_CHECKS_PASS
from fakeplat.policy.context import WriteContext

MERGE_FORBIDDEN: Final = "You are not allowed to merge this merge request"
_RETARGETED: Final = "target branch was changed"


def handle_pipeline_status(ctx: WriteContext, before: Pipeline, pipeline: Pipeline) -> None:
    """React to a status change of a pipeline: merge, create to-dos, or mark them done on a retry."""
    for merge_request in pipelines.list_waiting(ctx.world, pipeline):
        if pipeline.status == "success":
            merge_if_possible(ctx, merge_request)
        elif pipeline.status == "failed":
            _create_failure_todos(ctx, merge_request)
        # The first status after a failure (created, pending or running) means that the pipeline is retried.
        elif before.status == "failed":
            _finish_failure_todos(ctx, merge_request)


def merge_when_checks_pass(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Merge a waiting merge request if what happened to it was the last thing that it waited for."""
    # Earlier releases wait for pipelines only.
    if merge_request.merge_when_pipeline_succeeds and ctx.profile.has(MERGE_WHEN_CHECKS_PASS):
        current = ctx.world.merge_requests[merge_request.id]
        if merging.is_ready(ctx, current):
            merge_if_possible(ctx, current)


def handle_changes(ctx: WriteContext, before: MergeRequest, merge_request: MergeRequest) -> None:
    """Merge a waiting merge request that was a draft."""
    if before.work_in_progress and not merge_request.work_in_progress:
        merge_when_checks_pass(ctx, merge_request)


def continue_blocked(ctx: WriteContext, _before: MergeRequest, after: MergeRequest, _user: User | None) -> None:
    """Merge what only waited for a merge request that was merged."""
    if after.state == "merged":
        for block in blocks.list_blockees(ctx.world, after):
            merge_when_checks_pass(ctx, ctx.world.merge_requests[block.blocked_id])


def merge_if_possible(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Merge a waiting merge request as its merge user if nothing blocks it; otherwise leave it waiting."""
    # Ids start at 1, so 0 finds nobody.
    merger = ctx.world.users.get(merge_request.merge_user_id or 0)
    if not merge_request.merge_when_pipeline_succeeds or merger is None:
        return merge_request
    if merge_request.joins_merge_train:
        merge_train_runs.board_if_ready(ctx, merge_request, merger)
        return ctx.world.merge_requests[merge_request.id]
    if merging.merge_blocker(ctx, merge_request) or merging.missing_approvals(ctx.world, merge_request):
        return merge_request
    # The stored result may be stale, and no request comes back later to poll for a fresh one.
    checked = merge_checks.check_now(ctx, merge_request)
    if checked.merge_status == "cannot_be_merged":
        return checked
    # The merge user may have lost their rights in the meantime; no request is waiting for a response,
    # so the refusal is stored on the merge request.
    project = ctx.world.projects[checked.project_id]
    if not protection.can_merge(ctx.as_user(merger), project, checked.target_branch):
        return ctx.world.merge_requests.change(checked, merge_error=MERGE_FORBIDDEN)
    return merging.merge(ctx, checked, merger)


def _list_recipients(ctx: WriteContext, merge_request: MergeRequest) -> list[User]:
    """Return the author and the merge user, if they can see the merge request."""
    is_waiting = merge_request.merge_when_pipeline_succeeds and merge_request.merge_user_id is not None
    ids = dict.fromkeys((merge_request.author_id, *((merge_request.merge_user_id,) if is_waiting else ())))
    users = [user for id_ in ids if id_ is not None and (user := ctx.world.users.get(id_)) is not None]
    return [user for user in users if noteables.is_visible(ctx.as_user(user), merge_request)]


def _create_failure_todos(ctx: WriteContext, merge_request: MergeRequest) -> None:
    for user in _list_recipients(ctx, merge_request):
        pending = todos.list_pending(ctx.world, user, noteables.subject_of(merge_request))
        if all(todo.action != "build_failed" for todo in pending):
            todos.insert_todo(ctx, user, user, "build_failed", merge_request)


def _finish_failure_todos(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Mark the to-dos for a failed build as done when the pipeline is retried."""
    for user in _list_recipients(ctx, merge_request):
        for todo in todos.list_pending(ctx.world, user, noteables.subject_of(merge_request)):
            if todo.action == "build_failed":
                todos.mark_done(ctx, todo)


def cancel_if_retargeted(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Cancel the automatic merge of a merge request with another target branch."""
    if before.target_branch != after.target_branch and after.merge_when_pipeline_succeeds:
        merging.abort_auto_merge(ctx, ctx.world.merge_requests[after.id], _RETARGETED, ctx.user)


def cancel_if_closed(ctx: WriteContext, _before: MergeRequest, merge_request: MergeRequest, _by: User | None) -> None:
    """Cancel the automatic merge of a merge request that was closed."""
    if merge_request.state == "closed" and merge_request.merge_when_pipeline_succeeds:
        merging.cancel_auto_merge(ctx, merge_request)
