"""Merge trains that run: each merge request gets a pipeline of what is before it, and is merged when that succeeds.

Source: docs/platform/merge-trains.md.
"""

from typing import Final

from fakeplat.core.operations.errors import BadRequest, Conflict, Unauthorized
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.ci import job_actions, pipeline_creation, pipelines
from fakeplat.domain.ci.pipeline_creation import PipelineRefused, PipelineRequest
from fakeplat.domain.merge_requests import merge_checks, merge_request_history, merge_trains, merging
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest, MergeTrain
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, ZERO_SHA, Push
from fakeplat.policy.behaviours import TRAINS_TAKE_NOBODY_TWICE
from fakeplat.policy.context import ReadContext, WriteContext

FAILED: Final = "400 Bad request - Failed to merge"
ALREADY_SET: Final = "Merge request is already set to Auto-Merge"


@frozen
class TrainOptions:
    """How a merge request is put on a train."""

    sha: str | None = None
    squash: bool | None = None
    auto_merge: bool = False


def add(ctx: WriteContext, project: Project, merge_request: MergeRequest, options: TrainOptions) -> None:
    """Put a merge request on the train of its target branch, now or when its pipeline has succeeded."""
    merging.check_head(ctx.world, merge_request, options.sha)
    if not protection.can_merge(ctx, project, merge_request.target_branch):
        branch = merge_request.target_branch
        raise Unauthorized(reason=lambda: protection.explain_merge(ctx, project, branch))
    if merge_request.merge_when_pipeline_succeeds and ctx.profile.has(TRAINS_TAKE_NOBODY_TWICE):
        raise Conflict(ALREADY_SET, reason="it is on a train or waits to be merged")
    if not merge_trains.are_enabled(ctx.world, project):
        raise BadRequest(FAILED, reason="the project has no merge trains")
    merge_request = merge_checks.check_now(ctx, merge_request)
    if options.squash:
        merge_request = ctx.world.merge_requests.change(merge_request, squash=True)
    if merge_trains.find_active(ctx.world, merge_request) is not None:
        return
    if options.auto_merge:
        _wait(ctx, merge_request)
    else:
        _require_ready(ctx, merge_request)
        board(ctx, merge_request, ctx.signed_in_user)


def _require_ready(ctx: ReadContext, merge_request: MergeRequest) -> None:
    obstacle = explain_obstacle(ctx, merge_request)
    if obstacle:
        raise BadRequest(FAILED, reason=obstacle)


def explain_obstacle(ctx: ReadContext, merge_request: MergeRequest) -> str:
    """Return why a merge request cannot be put on a train now; empty if it can."""
    head = pipelines.head_pipeline(ctx.world, merge_request)
    if head is None or head.is_active or not (head.is_completed or head.status == "manual"):
        return f"its head pipeline is not complete: {head.status if head else 'there is none'}"
    if merge_request.merge_status == "cannot_be_merged":
        return "source and target branch are in conflict"
    if merging.is_ready(ctx, merge_request):
        return ""
    return (
        merging.merge_blocker(ctx, merge_request)
        or merging.missing_approvals(ctx.world, merge_request)
        or f"the status of its head pipeline is {head.status}"
    )


def _wait(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Put a merge request on a train when all its checks pass; 400 if it need not or cannot wait."""
    if merge_request.merge_when_pipeline_succeeds:
        return
    if not merge_request.is_open or not explain_obstacle(ctx, merge_request):
        raise BadRequest(FAILED, reason="there is nothing to wait for")
    merging.enable_joining(ctx, merge_request)


def board_if_ready(ctx: WriteContext, merge_request: MergeRequest, user: User) -> None:
    """Put a merge request on a train that has waited for that, if nothing stands in the way any more."""
    if merge_trains.find_active(ctx.world, merge_request) is None:
        checked = merge_checks.check_now(ctx, merge_request)
        if not explain_obstacle(ctx, checked):
            board(ctx, checked, user)


def board(ctx: WriteContext, merge_request: MergeRequest, user: User) -> MergeTrain:
    """Put a merge request at the end of the train of its target branch."""
    position = len(merge_trains.list_active(ctx.world, merge_request.project_id, merge_request.target_branch)) + 1
    ctx.world.merge_requests.change(
        merge_request,
        merge_when_pipeline_succeeds=True,
        joins_merge_train=True,
        merge_user_id=user.id,
        updated_at=ctx.now_iso,
    )
    # What was merged before and opened again begins anew.
    earlier = merge_trains.find_by_merge_request(ctx.world, merge_request)
    if earlier is not None:
        purge(ctx, earlier)
    train = merge_trains.insert_merge_train(ctx, merge_request, user)
    started = "started a merge train"
    joined = f"added this merge request to the merge train at position {position}"
    merge_request_history.write_system_note(ctx, merge_request, user, started if position == 1 else joined)
    merge_trains.schedule_refresh(ctx, train)
    return train


@task_handler(merge_trains.REFRESH)
def _refresh(ctx: WriteContext, task: ScheduledTask) -> None:
    train = ctx.world.merge_trains.get(task.subject[1])
    if train is not None:
        merge_request = ctx.world.merge_requests[train.merge_request_id]
        refresh(ctx, ctx.world.projects[merge_request.project_id], merge_request.target_branch)


def refresh(ctx: WriteContext, project: Project, branch: str) -> None:
    """Create the pipelines that places of a train lack, drop those that failed, and merge the first that succeeded."""
    is_recreated = False
    for place in merge_trains.list_active(ctx.world, project.id, branch):
        # An earlier place may have changed or dropped it.
        train = ctx.world.merge_trains.get(place.id)
        if train is None or not merge_trains.is_active(train):
            continue
        merge_request = ctx.world.merge_requests[train.merge_request_id]
        reason = _explain_drop(ctx, project, merge_request, train)
        if not reason and (is_recreated or train.status == "stale" or train.pipeline_id is None):
            reason = _create_pipeline(ctx, project, merge_request, train)
            is_recreated = not reason
        if reason:
            drop(ctx, merge_request, train, reason)
            is_recreated = True
        else:
            _merge_first(ctx, project, merge_request, train.id)


def _explain_drop(ctx: ReadContext, project: Project, merge_request: MergeRequest, train: MergeTrain) -> str:
    """Return why a place cannot stay on its train; empty if it can."""
    if not merge_trains.are_enabled(ctx.world, project):
        return "project disabled merge trains"
    if not merge_request.is_open:
        return "the merge request is closed"
    if merge_request.work_in_progress:
        return "the merge request is marked as draft"
    pipeline = ctx.world.pipelines.get(train.pipeline_id or 0)
    if train.status == "fresh" and pipeline is not None and pipeline.is_completed and pipeline.status != "success":
        return "the pipeline did not succeed"
    return ""


def _create_pipeline(ctx: WriteContext, project: Project, merge_request: MergeRequest, train: MergeTrain) -> str:
    """Create the pipeline of a place, and return why there can be none; empty if there is one."""
    sha = _write_train_ref(ctx, project, merge_request, train)
    if sha is None:
        return "the merge request is broken"
    previous = ctx.world.pipelines.get(train.pipeline_id or 0)
    request = PipelineRequest(
        project=project,
        ref=diff_versions.TRAIN_REF.format(merge_request.iid),
        sha=sha,
        before_sha=ZERO_SHA,
        source="merge_request_event",
        user_id=train.user_id,
        merge_request_id=merge_request.id,
    )
    try:
        pipeline = pipeline_creation.create(ctx, request)
    except PipelineRefused as refused:
        return str(refused)
    if previous is not None and not previous.is_completed:
        job_actions.cancel_pipeline(ctx, previous)
    ctx.world.merge_trains.change(
        ctx.world.merge_trains[train.id], pipeline_id=pipeline.id, status="fresh", updated_at=ctx.now_iso
    )
    return ""


def _write_train_ref(ctx: WriteContext, project: Project, merge_request: MergeRequest, train: MergeTrain) -> str | None:
    """Create the commit that merges a place into what is before it; None if that is impossible."""
    from fakeplat.git import writing

    head = diff_versions.head_sha(ctx.world, merge_request)
    before = _find_previous_sha(ctx, project, merge_request, train)
    objects = repositories.open_repository(ctx.world, project).objects
    if head is None or before is None or writing.try_merge(objects, before, head).tree is None:
        return None
    by = ctx.world.users[train.user_id]
    branches, name = f"{merge_request.source_branch} with {before}", diff_versions.TRAIN_REF.format(merge_request.iid)
    sha = writing.merge(objects, before, head, f"Merge branch {branches} into {name}", git_person(ctx, by))
    repositories.set_internal_refs(ctx, project, {name: sha})
    return sha


def _find_previous_sha(
    ctx: ReadContext, project: Project, merge_request: MergeRequest, train: MergeTrain
) -> str | None:
    """Return the head of what is before a place: the train ref of the previous place, or the target branch."""
    places = merge_trains.list_active(ctx.world, project.id, merge_request.target_branch)
    previous = next((place for place in reversed(places) if place.id < train.id), None)
    name = BRANCHES + merge_request.target_branch
    if previous is not None:
        name = diff_versions.TRAIN_REF.format(ctx.world.merge_requests[previous.merge_request_id].iid)
    return repositories.open_repository(ctx.world, project).refs.get(name)


def _merge_first(ctx: WriteContext, project: Project, merge_request: MergeRequest, train_id: int) -> None:
    """Merge the place at the head of a train if its pipeline has succeeded."""
    table, train = ctx.world.merge_trains, ctx.world.merge_trains[train_id]
    pipeline = ctx.world.pipelines.get(train.pipeline_id or 0)
    first = merge_trains.list_active(ctx.world, project.id, merge_request.target_branch)[0]
    if first.id != train.id or pipeline is None or pipeline.status != "success":
        return
    table.change(train, status="merging", updated_at=ctx.now_iso)
    user = ctx.world.users[train.user_id]
    merged = merging.merge(ctx, merge_checks.check_now(ctx, merge_request), user)
    if merged.state != "merged":
        drop(ctx, merged, table[train.id], f"failed to merge. {merged.merge_error}")
        return
    duration = (ctx.now() - from_iso(train.created_at)) // SECOND
    table.change(table[train.id], status="merged", merged_at=ctx.now_iso, duration=duration, updated_at=ctx.now_iso)


def drop(ctx: WriteContext, merge_request: MergeRequest, train: MergeTrain, reason: str) -> None:
    """Take a merge request from its train because of a failure, and tell its author and the one who added it."""
    user = ctx.world.users[train.user_id]
    if train.status == "merging":
        ctx.world.merge_trains.change(train, status="fresh")
    canceled = merging.abort_auto_merge(ctx, merge_request, reason, user)
    for id_ in dict.fromkeys((merge_request.author_id, train.user_id)):
        recipient = ctx.world.users.get(id_)
        if recipient is not None and noteables.is_visible(ctx.as_user(recipient), canceled):
            todos.insert_todo(ctx, recipient, user, "merge_train_removed", canceled)


def handle_pipeline_status(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Let a train go on when the pipeline of one of its places is complete."""
    if pipeline.merge_request_id is None or not pipeline.is_completed:
        return
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id)
    train = merge_trains.find_active(ctx.world, merge_request) if merge_request is not None else None
    if train is not None and train.pipeline_id == pipeline.id:
        merge_trains.schedule_refresh(ctx, train)


def handle_push(ctx: WriteContext, push: Push) -> None:
    """Check the train of a branch that was pushed to."""
    branch = push.ref.removeprefix(BRANCHES)
    if push.ref.startswith(BRANCHES) and merge_trains.list_active(ctx.world, push.project_id, branch):
        subject = "projects", push.project_id
        ctx.schedule(merge_trains.CHECK, subject, ctx.now(), branch=branch, sha=push.after)


@task_handler(merge_trains.CHECK)
def _check(ctx: WriteContext, task: ScheduledTask) -> None:
    """Let a train begin anew if its target branch moved by something else than the train."""
    project = ctx.world.projects.get(task.subject[1])
    if project is None:
        return
    done = merge_trains.list_merge_trains(ctx.world, project)
    own = {ctx.world.merge_requests[train.merge_request_id].merge_commit_sha for train in done}
    places = merge_trains.list_active(ctx.world, project.id, task.args["branch"])
    if task.args["sha"] not in own and places:
        merge_trains.outdate(ctx, places[0])
