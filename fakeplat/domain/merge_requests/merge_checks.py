"""Whether merge requests can be merged: found out by putting the branches together, on the world's clock.

unchecked → checking → can_be_merged or cannot_be_merged. What was found goes stale when either branch moves: it is
``unchecked`` again (``cannot_be_merged_recheck`` after a conflict) until somebody asks. When the outcome comes is the
instance's ``merge_check``: at once, after a span, or with the n-th reading of the merge request; in the last case the
readings stand on the agenda a second apart, so that a world comes to rest without them too.
Source: docs/contract.md ('Instance'), docs/platform/merge-requests.md.
"""

from collections.abc import Callable
from typing import Final

from fakeplat.core.store.scheduler import ScheduledTask, run_task, task_handler
from fakeplat.core.timestamps import SECOND, parse_duration
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import todos
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.repositories import Push
from fakeplat.model.merge_requests import MergeRequest, MergeStatus
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

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
_SHOWN: Final = {"cannot_be_merged_recheck": "unchecked", "cannot_be_merged_rechecking": "checking"}


def public_status(status: MergeStatus) -> str:
    """How a status is shown."""
    return _SHOWN.get(status, status)


def is_stale(merge_request: MergeRequest) -> bool:
    """Whether a check is to be asked for."""
    return merge_request.is_open and merge_request.merge_status in _CHECKING


def schedule_check(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Have a check begin by itself, once what happens now is done."""
    ctx.schedule(_BEGIN, _subject(merge_request), ctx.now())


def start_check(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Begin a check, unless one is under way or nothing is to be found out."""
    if not is_stale(merge_request):
        return merge_request
    _cancel(ctx, merge_request)
    begun = _become(ctx, merge_request, _CHECKING[merge_request.merge_status])
    how, now = ctx.instance.merge_check, ctx.now()
    if isinstance(how, dict) and "polls" in how:
        for poll in range(1, how["polls"]):
            ctx.schedule(_POLL, _subject(begun), now + poll * SECOND)
        ctx.schedule(_FINISH, _subject(begun), now + how["polls"] * SECOND)
    else:
        after = parse_duration(how["after"]) if isinstance(how, dict) else 0
        ctx.schedule(_FINISH, _subject(begun), now + after, in_progress=True)
    return begun


def check_now(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Find out now, unless it is known."""
    if not merge_request.is_open or merge_request.is_checked:
        return merge_request
    _cancel(ctx, merge_request)
    return _found_out(ctx, merge_request)


def mark_unchecked(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """What was found holds no more."""
    _cancel(ctx, merge_request)
    return _become(ctx, merge_request, _STALE.get(merge_request.merge_status, merge_request.merge_status))


def effect_of_reading(ctx: ReadContext, merge_request: MergeRequest) -> Callable[[WriteContext], None] | None:
    """What reading one merge request sets going: a check, or the next poll of one."""
    if is_stale(merge_request):
        return lambda doing: _ask_by_id(doing, merge_request.id)
    if merge_request.merge_status not in _CHECKING.values() or not _counts_polls(ctx):
        return None
    dues = ctx.world.scheduled_tasks.where("subject", _subject(merge_request))
    steps = sorted((due.at, due.id) for due in dues if due.kind in (_POLL, _FINISH))
    return (lambda doing: _take(doing, steps[0][1])) if steps else None


def _counts_polls(ctx: ReadContext) -> bool:
    return isinstance(ctx.instance.merge_check, dict) and "polls" in ctx.instance.merge_check


def _ask_by_id(ctx: WriteContext, id_: int) -> None:
    begun = start_check(ctx, ctx.world.merge_requests[id_])
    if _counts_polls(ctx):
        poll = effect_of_reading(ctx, begun)
        if poll is not None:
            poll(ctx)


def _take(ctx: WriteContext, due_id: int) -> None:
    due = ctx.world.scheduled_tasks[due_id]
    ctx.world.scheduled_tasks.remove(due)
    run_task(ctx, due)


@task_handler(_BEGIN)
def _begin(ctx: WriteContext, due: ScheduledTask) -> None:
    found = ctx.world.merge_requests.get(due.subject[1])
    if found is not None:
        start_check(ctx, found)


@task_handler(_POLL)
def _poll(ctx: WriteContext, due: ScheduledTask) -> None:
    """Nothing happens: it is not the last one."""


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    found = ctx.world.merge_requests.get(due.subject[1])
    if found is not None:
        _found_out(ctx, found)


def _found_out(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    known = _become(
        ctx, merge_request, "can_be_merged" if is_mergeable(ctx.world, merge_request) else "cannot_be_merged"
    )
    merger = ctx.world.users.get(known.merge_user_id) if known.merge_user_id is not None else None
    if known.merge_status == "cannot_be_merged" and merger is not None:
        todos.insert_todo(ctx, merger, ctx.world.users[known.author_id], "unmergeable", known)
    return known


def is_mergeable(world: World, merge_request: MergeRequest) -> bool:
    """Whether the branches, as they stand, go together: there are commits to merge, and none in conflict."""
    from fakeplat.git.writing import can_fast_forward, try_merge

    source, target = (find(world, merge_request) for find in (diff_versions.source_head, diff_versions.target_head))
    if source is None or target is None:
        return False
    objects = repositories.open_repository(world, world.projects[merge_request.project_id]).objects
    if can_fast_forward(objects, source, target):
        return False
    return try_merge(objects, target, source).tree is not None


def follow_push(ctx: WriteContext, push: Push) -> None:
    """The target moved: what was found about those who want to go there is stale."""
    if push.ref.startswith(BRANCHES):
        key = (push.project_id, push.ref.removeprefix(BRANCHES))
        for merge_request in list(ctx.world.merge_requests.where("checked", key)):
            mark_unchecked(ctx, merge_request)


def _become(ctx: WriteContext, merge_request: MergeRequest, status: MergeStatus) -> MergeRequest:
    return ctx.world.merge_requests.change(merge_request, merge_status=status)


def _cancel(ctx: WriteContext, merge_request: MergeRequest) -> None:
    for due in list(ctx.world.scheduled_tasks.where("subject", _subject(merge_request))):
        if due.kind in _KINDS:
            ctx.world.scheduled_tasks.remove(due)


def _subject(merge_request: MergeRequest) -> tuple[str, int]:
    return ("merge_requests", merge_request.id)
