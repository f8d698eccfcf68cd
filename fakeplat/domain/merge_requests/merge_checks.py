"""Mergeability checks of merge requests: real merges of the branches, on the world's clock.

unchecked → checking → can_be_merged or cannot_be_merged. The result becomes stale when either branch moves: the status
is ``unchecked`` again (``cannot_be_merged_recheck`` after a conflict) until the next request for it. The setting
``merge_check`` of the instance determines when the result is available: immediately, after a duration, or at the n-th
read of the merge request. In the last case each read is also scheduled, one second apart, so that a check ends even if
nobody polls.
Source: docs/contract.md ('Instance'), docs/platform/merge-requests.md.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, run_task, task_handler
from fakeplat.core.timestamps import SECOND, parse_duration
from fakeplat.domain import signals
from fakeplat.domain.merge_requests import merge_refs
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import DiffRefs, MergeRequest, MergeStatus
from fakeplat.model.repository import BRANCHES, Push
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.merge import ConflictFile

_BEGIN: Final = "begin_merge_check"
_POLL: Final = "poll_merge_check"
_FINISH: Final = "finish_merge_check"
_KINDS: Final = (_BEGIN, _POLL, _FINISH)
_CHECKING: Final[dict[MergeStatus, MergeStatus]] = {
    "unchecked": "checking",
    "cannot_be_merged_recheck": "cannot_be_merged_rechecking",
}
_STALE: Final[dict[MergeStatus, MergeStatus]] = {
    "can_be_merged": "unchecked",
    "cannot_be_merged": "cannot_be_merged_recheck",
    "checking": "unchecked",
    "cannot_be_merged_rechecking": "cannot_be_merged_recheck",
}
_PUBLIC: Final = {"cannot_be_merged_recheck": "unchecked", "cannot_be_merged_rechecking": "checking"}


def public_status(status: MergeStatus) -> str:
    """Return the status as the API reports it."""
    return _PUBLIC.get(status, status)


def is_stale(merge_request: MergeRequest) -> bool:
    """Return whether an open merge request needs a new check."""
    return merge_request.is_open and merge_request.merge_status in _CHECKING


def schedule_check(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Schedule a check to start after the current request."""
    ctx.schedule(_BEGIN, _subject(merge_request), ctx.now())


def start_check(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Start a check unless one is in progress or the result is up to date."""
    if not is_stale(merge_request):
        return merge_request
    _cancel(ctx, merge_request)
    checking = _set_status(ctx, merge_request, _CHECKING[merge_request.merge_status])
    setting, now = ctx.instance.merge_check, ctx.now()
    if isinstance(setting, dict) and "polls" in setting:
        # One task per expected read: a read takes the next task early (see effect_of_reading).
        for poll in range(1, setting["polls"]):
            ctx.schedule(_POLL, _subject(checking), now + poll * SECOND)
        ctx.schedule(_FINISH, _subject(checking), now + setting["polls"] * SECOND)
    else:
        delay = parse_duration(setting["after"]) if isinstance(setting, dict) else 0
        ctx.schedule(_FINISH, _subject(checking), now + delay, in_progress=True)
    return checking


def check_now(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Finish the check now, unless the result is up to date."""
    if not merge_request.is_open or merge_request.is_checked:
        return merge_request
    _cancel(ctx, merge_request)
    return _finish_check(ctx, merge_request)


def refresh_merge_ref(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Finish the check now, and update the merge ref if the branches can be merged."""
    checked = check_now(ctx, merge_request)
    if checked.merge_status != "can_be_merged":
        return
    refs = diff_versions.compute_refs(ctx.world, checked)
    if refs is not None:
        merge_refs.write_merge_ref(ctx, checked, refs)


def mark_unchecked(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Mark the result as stale and cancel a check in progress."""
    _cancel(ctx, merge_request)
    return _set_status(ctx, merge_request, _STALE.get(merge_request.merge_status, merge_request.merge_status))


def effect_of_reading(ctx: ReadContext, merge_request: MergeRequest) -> Callable[[WriteContext], None] | None:
    """Return what a read of a single merge request triggers: a check, or the next poll of one; None for nothing."""
    if is_stale(merge_request):
        return lambda write_ctx: _start_by_id(write_ctx, merge_request.id)
    if merge_request.merge_status not in _CHECKING.values() or not _counts_polls(ctx):
        return None
    tasks = ctx.world.scheduled_tasks.where("subject", _subject(merge_request))
    # The earliest task stands for this read; among tasks of the same time, the id decides.
    polls = sorted((task.at, task.id) for task in tasks if task.kind in (_POLL, _FINISH))
    return (lambda write_ctx: _run_early(write_ctx, polls[0][1])) if polls else None


def _counts_polls(ctx: ReadContext) -> bool:
    return isinstance(ctx.instance.merge_check, dict) and "polls" in ctx.instance.merge_check


def _start_by_id(ctx: WriteContext, id_: int) -> None:
    checking = start_check(ctx, ctx.world.merge_requests[id_])
    if _counts_polls(ctx):
        # The read that starts a check counts as its first poll.
        poll = effect_of_reading(ctx, checking)
        if poll is not None:
            poll(ctx)


def _run_early(ctx: WriteContext, task_id: int) -> None:
    task = ctx.world.scheduled_tasks[task_id]
    # It leaves the schedule before it runs, as otherwise the clock would run it a second time.
    ctx.world.scheduled_tasks.remove(task)
    run_task(ctx, task)


@task_handler(_BEGIN)
def _begin(ctx: WriteContext, task: ScheduledTask) -> None:
    merge_request = ctx.world.merge_requests.get(task.subject[1])
    if merge_request is None:
        return
    # Nobody would see a check that ends at once in progress.
    if isinstance(ctx.instance.merge_check, dict):
        start_check(ctx, merge_request)
    else:
        check_now(ctx, merge_request)


@task_handler(_POLL)
def _poll(ctx: WriteContext, task: ScheduledTask) -> None:
    """Do nothing: only the last poll finishes the check."""


@task_handler(_FINISH)
def _finish(ctx: WriteContext, task: ScheduledTask) -> None:
    merge_request = ctx.world.merge_requests.get(task.subject[1])
    if merge_request is not None:
        _finish_check(ctx, merge_request)


def _finish_check(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    refs = diff_versions.compute_refs(ctx.world, merge_request)
    signals.merge_request_checked.send(ctx, merge_request)
    if refs is not None and is_mergeable(ctx.world, merge_request, refs):
        checked = _set_status(ctx, merge_request, "can_be_merged")
        merge_refs.write_merge_ref(ctx, checked, refs)
        return checked
    checked = _set_status(ctx, merge_request, "cannot_be_merged")
    merge_user = ctx.world.users.get(checked.merge_user_id) if checked.merge_user_id is not None else None
    if merge_user is not None:
        from fakeplat.domain.notes import todos

        todos.insert_todo(ctx, merge_user, ctx.world.users[checked.author_id], "unmergeable", checked)
    # What had conflicts before is no news when it is checked again.
    if merge_request.merge_status in ("unchecked", "checking"):
        signals.merge_request_unmergeable.send(ctx, checked)
    return checked


def is_mergeable(world: World, merge_request: MergeRequest, refs: DiffRefs) -> bool:
    """Return whether the current branches can be merged: there are commits to merge, and no conflicts."""
    from fakeplat.git.writing import can_fast_forward, try_merge

    objects = repositories.open_repository(world, world.projects[merge_request.project_id]).objects
    # A target that already contains the source leaves nothing to merge, which has the same status as a conflict.
    if can_fast_forward(objects, refs.head, refs.start):
        return False
    return try_merge(objects, refs.start, refs.head).tree is not None


def list_conflicts(world: World, merge_request: MergeRequest) -> "list[ConflictFile] | None":
    """Return the files in conflict, None if a branch is missing; MissingSide if a side deleted one of the files."""
    from fakeplat.git.merge import list_conflict_files

    refs = diff_versions.compute_refs(world, merge_request)
    if refs is None:
        return None
    objects = repositories.open_repository(world, world.projects[merge_request.project_id]).objects
    return list_conflict_files(objects, refs.head, refs.start)


def invalidate_checks(ctx: WriteContext, push: Push) -> None:
    """Mark the checks of merge requests into a branch that moved as stale."""
    if push.ref.startswith(BRANCHES):
        key = (push.project_id, push.ref.removeprefix(BRANCHES))
        # A list, because each change removes the merge request from the index that is iterated.
        for merge_request in list(ctx.world.merge_requests.where("checked", key)):
            mark_unchecked(ctx, merge_request)


def _set_status(ctx: WriteContext, merge_request: MergeRequest, status: MergeStatus) -> MergeRequest:
    return ctx.world.merge_requests.change(merge_request, merge_status=status)


def _cancel(ctx: WriteContext, merge_request: MergeRequest) -> None:
    for task in list(ctx.world.scheduled_tasks.where("subject", _subject(merge_request))):
        if task.kind in _KINDS:
            ctx.world.scheduled_tasks.remove(task)


def _subject(merge_request: MergeRequest) -> Subject:
    return ("merge_requests", merge_request.id)
