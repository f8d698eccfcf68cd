"""Merge trains: listed for clients; merge requests do not board them. Source: docs/platform/merge-trains.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.model.merge_requests import MergeRequest, MergeTrain, MergeTrainStatus
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_SCOPES: Final[Mapping[str | None, tuple[str, ...]]] = {
    None: ("idle", "fresh", "stale", "merging", "merged", "skip_merged"),
    "active": ("idle", "fresh", "stale"),
    "complete": ("merged", "merging"),
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
