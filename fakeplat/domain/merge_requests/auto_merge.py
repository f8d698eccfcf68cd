"""Merging when the pipeline succeeds: what waits for a head pipeline, goes on with it, or is taken back.

Where it fails, author and merger are asked to look at it; the merge request waits on, as the jobs may be retried.
Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md ('MWPS'), docs/platform/external.md ('Merge
when pipeline succeeds').
"""

from typing import Final

from fakeplat.domain.merge_requests import merge_checks, merge_request_history, merging
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes import todos as asking
from fakeplat.domain.projects import pipelines
from fakeplat.domain.repository import protection
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import Pipeline
from fakeplat.model.users import User
from fakeplat.policy.context import WriteContext

NOT_THEIRS: Final = "You are not allowed to merge this merge request"
_RETARGETED: Final = "aborted the automatic merge because target branch was changed"


def follow_pipeline(ctx: WriteContext, before: Pipeline, pipeline: Pipeline) -> None:
    """A pipeline came to another status."""
    for merge_request in pipelines.list_waiting(ctx.world, pipeline):
        if pipeline.status == "success":
            merge_or_abort(ctx, merge_request)
        elif pipeline.status == "failed":
            _ask(ctx, merge_request)
        elif before.status == "failed":
            _ask_no_more(ctx, merge_request)


def merge_or_abort(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Merge, in the name of who wanted it, what waits and can be merged now; else it waits on."""
    merger = ctx.world.users.get(merge_request.merge_user_id or 0)
    if not merge_request.merge_when_pipeline_succeeds or merger is None:
        return merge_request
    if merging.merge_blocker(ctx, merge_request) or merging.missing_approvals(ctx.world, merge_request):
        return merge_request
    settled = merge_checks.check_now(ctx, merge_request)
    if settled.merge_status == "cannot_be_merged":
        return settled
    project = ctx.world.projects[settled.project_id]
    if not protection.can_merge(ctx.as_user(merger), project, settled.target_branch):
        return ctx.world.merge_requests.change(settled, merge_error=NOT_THEIRS)
    return merging.merge(ctx, settled, merger)


def _people(ctx: WriteContext, merge_request: MergeRequest) -> list[User]:
    """The author, and who wants it merged, as far as they see it."""
    waits = merge_request.merge_when_pipeline_succeeds and merge_request.merge_user_id is not None
    ids = dict.fromkeys((merge_request.author_id, *((merge_request.merge_user_id,) if waits else ())))
    found = [user for id_ in ids if id_ is not None and (user := ctx.world.users.get(id_)) is not None]
    return [user for user in found if noteables.is_visible(ctx.as_user(user), merge_request)]


def _ask(ctx: WriteContext, merge_request: MergeRequest) -> None:
    for user in _people(ctx, merge_request):
        pending = asking.list_pending(ctx.world, user, noteables.subject_of(merge_request))
        if all(todo.action != "build_failed" for todo in pending):
            asking.insert_todo(ctx, user, user, "build_failed", merge_request)


def _ask_no_more(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """It is tried again."""
    for user in _people(ctx, merge_request):
        for todo in asking.list_pending(ctx.world, user, noteables.subject_of(merge_request)):
            if todo.action == "build_failed":
                asking.mark_done(ctx, todo)


def follow_change(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Cancel the automatic merge of a merge request with another target branch."""
    if before.target_branch != after.target_branch and after.merge_when_pipeline_succeeds:
        waiting = merging.cancel_auto_merge(ctx, ctx.world.merge_requests[after.id])
        merge_request_history.write_system_note(ctx, waiting, ctx.user, _RETARGETED)


def follow_state(ctx: WriteContext, merge_request: MergeRequest, by: User | None) -> None:
    """Cancel the automatic merge of a merge request that was closed."""
    del by
    if merge_request.state == "closed" and merge_request.merge_when_pipeline_succeeds:
        merging.cancel_auto_merge(ctx, merge_request)
