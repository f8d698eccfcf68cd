"""Merge trains: which merge requests are on them, and in what state. Source: docs/platform/merge-trains.md.

The trains themselves are run by `merge_train_runs`, in tasks that are scheduled here.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.domain.ci import job_actions
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import MergeRequest, MergeTrain, MergeTrainStatus
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MERGE_TRAINS_RUN
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

REFRESH: Final = "refresh_merge_train"
CHECK: Final = "check_merge_train"
_ACTIVE: Final = ("idle", "fresh", "stale")
_SCOPES: Final[Mapping[str | None, tuple[str, ...]]] = {
    None: ("idle", "fresh", "stale", "merging", "merged", "skip_merged"),
    "active": _ACTIVE,
    "complete": ("merged", "merging", "skip_merged"),
}


class MergeTrainFields(TypedDict, total=False):
    """Fields of a place on a merge train, none of them required."""

    created_at: str
    updated_at: str
    status: MergeTrainStatus
    pipeline_id: int | None
    merged_at: str | None
    duration: int | None


def find_by_merge_request(world: World, merge_request: MergeRequest) -> MergeTrain | None:
    """Return the place of a merge request on a train; None if it is on none."""
    return world.merge_trains.find("merge_request", merge_request.id)


def list_merge_trains(world: World, project: Project, scope: str | None = None) -> Sequence[MergeTrain]:
    """Return the merge requests of a project that are on trains, by id; ``scope``: only active or complete ones."""
    return sorted(
        (
            train
            for train in world.merge_trains.all()
            if world.merge_requests[train.merge_request_id].project_id == project.id and train.status in _SCOPES[scope]
        ),
        key=lambda train: train.id,
    )


def insert_merge_train(
    ctx: WriteContext, merge_request: MergeRequest, user: User, **fields: Unpack[MergeTrainFields]
) -> MergeTrain:
    """Put a merge request on the train of its target branch, or change its place."""
    table, existing = ctx.world.merge_trains, find_by_merge_request(ctx.world, merge_request)
    if existing is not None:
        return table.change(existing, user_id=user.id, **fields)
    new: MergeTrainFields = {
        "created_at": ctx.now_iso,
        "updated_at": fields.get("created_at", ctx.now_iso),
        **fields,
    }
    return table.add(MergeTrain(table.next_id(), merge_request.id, user.id, **new))


def are_enabled(world: World, project: Project) -> bool:
    """Return whether merge requests of a project can be put on trains."""
    is_on = project.merge_pipelines_enabled and project.merge_trains_enabled
    return is_on and world.profile.has(MERGE_TRAINS_RUN) and has_feature(world, "premium", project)


def is_active(train: MergeTrain) -> bool:
    """Return whether a merge request on a train is still to be merged."""
    return train.status in _ACTIVE


def find_active(world: World, merge_request: MergeRequest) -> MergeTrain | None:
    """Return the place of a merge request on a train if it is still to be merged."""
    train = find_by_merge_request(world, merge_request)
    return train if train is not None and is_active(train) else None


def list_active(world: World, project_id: int, target_branch: str) -> list[MergeTrain]:
    """Return the places on the train of a target branch that are still to be merged, the first one first."""
    places = []
    for train in world.merge_trains.all():
        merge_request = world.merge_requests[train.merge_request_id]
        if is_active(train) and (merge_request.project_id, merge_request.target_branch) == (project_id, target_branch):
            places.append(train)
    return sorted(places, key=lambda train: train.id)


def schedule_refresh(ctx: WriteContext, train: MergeTrain) -> None:
    """Let the train of a place go on after the current request."""
    ctx.schedule(REFRESH, ("merge_trains", train.id), ctx.now(), in_progress=True)


def outdate(ctx: WriteContext, train: MergeTrain) -> None:
    """Let a place on a train get another pipeline, because what was before it has changed."""
    if train.status == "fresh":
        schedule_refresh(ctx, ctx.world.merge_trains.change(train, status="stale", updated_at=ctx.now_iso))


def leave(ctx: WriteContext, merge_request: MergeRequest) -> bool:
    """Take a merge request from its train; return whether it was on one."""
    train = find_active(ctx.world, merge_request)
    if train is None:
        return False
    places = list_active(ctx.world, merge_request.project_id, merge_request.target_branch)
    purge(ctx, train)
    pipeline = ctx.world.pipelines.get(train.pipeline_id or 0)
    if pipeline is not None and not pipeline.is_completed:
        job_actions.cancel_pipeline(ctx, pipeline)
    following = next((place for place in places if place.id > train.id), None)
    if following is not None:
        outdate(ctx, following)
    return True


def insert_skip_merged(ctx: WriteContext, merged: MergeRequest, user: User) -> None:
    """Count a merge request as one of its train although it was merged without; the train does not begin anew."""
    if are_enabled(ctx.world, ctx.world.projects[merged.project_id]):
        insert_merge_train(ctx, merged, user, status="skip_merged", merged_at=merged.merged_at)
