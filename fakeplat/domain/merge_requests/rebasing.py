"""Rebasing a source branch onto its target, one second after the request.

Source: docs/platform/merge-requests.md.
"""

from typing import Final

from fakeplat.core.operations.errors import Conflict, Forbidden
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import WriteContext

NO_BRANCH: Final = "Source branch does not exist"
NO_PUSH: Final = "Cannot push to source branch"
LOCKED: Final = "409 Conflict: Resource lock"
FAILED: Final = "Rebase failed. Please rebase locally"
_REBASE: Final = "rebase_merge_request"


def start_rebase(ctx: WriteContext, merge_request: MergeRequest) -> dict[str, bool]:
    """Schedule a rebase as the caller and return the response body.

    403 if the source branch does not exist or the caller may not push to it, 409 if the merge request is not open or a
    rebase is in progress.
    """
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    if source is None or diff_versions.is_missing_source(ctx.world, merge_request):
        raise Forbidden(NO_BRANCH, reason=f"the branch {merge_request.source_branch!r} does not exist")
    if not protection.can_push(ctx, source, merge_request.source_branch):
        raise Forbidden(NO_PUSH, reason=lambda: f"{caller_name(ctx)} may not push to {merge_request.source_branch!r}")
    if not merge_request.is_open or merge_request.rebase_in_progress:
        state = "already being rebased" if merge_request.rebase_in_progress else merge_request.state
        raise Conflict(LOCKED, reason=f"it is {state}")
    ctx.world.merge_requests.change(merge_request, rebase_in_progress=True, merge_error=None)
    subject = ("merge_requests", merge_request.id)
    ctx.schedule(_REBASE, subject, ctx.now() + SECOND, in_progress=True, user_id=ctx.signed_in_user.id)
    return {"rebase_in_progress": True}


@task_handler(_REBASE)
def _run_rebase(ctx: WriteContext, task: ScheduledTask) -> None:
    table = ctx.world.merge_requests
    merge_request, user = table.get(task.subject[1]), ctx.world.users.get(task.args["user_id"])
    if merge_request is None:
        return
    merge_request = table.change(merge_request, rebase_in_progress=False)
    # In the second since the request, the user may have been deleted or the merge request closed.
    sha = _rebase_commits(ctx, merge_request, user) if user is not None and merge_request.is_open else None
    if sha is None:
        table.change(merge_request, merge_error=FAILED)
        return
    table.change(merge_request, rebase_commit_sha=sha, merge_error=None)
    source = ctx.world.projects[merge_request.source_project_id or 0]
    # Moving the branch has all effects of a push: it adds a version and makes the check stale.
    repositories.move_refs(ctx, source, {BRANCHES + merge_request.source_branch: sha}, user)


def _rebase_commits(ctx: WriteContext, merge_request: MergeRequest, user: User) -> str | None:
    """Return the new head; None if the branches conflict or one does not exist."""
    from fakeplat.git import writing
    from fakeplat.git.errors import MergeConflict

    refs = diff_versions.compute_refs(ctx.world, merge_request)
    if refs is None:
        return None
    objects = repositories.open_repository(ctx.world, ctx.world.projects[merge_request.project_id]).objects
    try:
        return writing.rebase(objects, refs.head, refs.start, git_person(ctx, user))
    except MergeConflict:
        return None
