"""Merge trains. Source: docs/platform/merge-trains.md."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import orjson

from fakeplat.api.scopes import PROJECT, get_visible_merge_request
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.release import Lifetime
from fakeplat.domain.merge_requests import merge_train_runs, merge_trains
from fakeplat.domain.merge_requests.merge_train_runs import TrainOptions
from fakeplat.entities.merge_requests.merge_trains import MergeTrainView
from fakeplat.model.merge_requests import MergeTrain
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

# The platform asks for no login here: who lacks the ability gets 403.
area: Final = Area("Merge trains", login=Login.NEVER, located_first=True)


class ListMergeTrains(Paged):
    """Filter and order of a list of merge trains."""

    scope: Literal["active", "complete"] | None = None
    sort: Literal["asc", "desc"] = "desc"


@area.operation(
    "GET",
    "merge_trains",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    params=ListMergeTrains,
    view=MergeTrainView,
    many=True,
    tier="premium",
    refusals=(403,),
)
def list_merge_trains(ctx: ReadContext, project: Project, p: ListMergeTrains) -> Sequence[MergeTrain]:
    """List the merge requests on the merge trains of a project."""
    # Whoever reads merge requests and pipelines reads merge trains.
    authorize(ctx, Ability.READ_PIPELINE, project)
    trains = merge_trains.list_merge_trains(ctx.world, project, p.scope)
    return trains if p.sort == "asc" else trains[::-1]


@area.operation(
    "GET",
    "merge_trains/:target_branch",
    name="get_merge_train",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    params=ListMergeTrains,
    view=MergeTrainView,
    many=True,
    tier="premium",
    since="15.6",
    refusals=(403,),
)
def get_merge_train(ctx: ReadContext, project: Project, target_branch: str, p: ListMergeTrains) -> Sequence[MergeTrain]:
    """Get the merge requests on the merge train of a target branch."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    trains = _list_train(ctx, project, target_branch, p.scope)
    return trains if p.sort == "asc" else trains[::-1]


def _list_train(
    ctx: ReadContext, project: Project, target_branch: str, scope: str | None = None
) -> Sequence[MergeTrain]:
    return [
        train
        for train in merge_trains.list_merge_trains(ctx.world, project, scope)
        if ctx.world.merge_requests[train.merge_request_id].target_branch == target_branch
    ]


@area.operation(
    "GET",
    "merge_trains/merge_requests/:merge_request_iid",
    name="get_merge_train_status",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    view=MergeTrainView,
    tier="premium",
    since="15.6",
    refusals=(403, 404),
)
def get_merge_train_status(ctx: ReadContext, project: Project, merge_request_iid: int) -> MergeTrain:
    """Get the place of a merge request on a merge train."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    train = merge_trains.find_by_merge_request(ctx.world, get_visible_merge_request(ctx, project, merge_request_iid))
    if train is None:
        raise NotFound("Merge Train Merge Request", reason=f"!{merge_request_iid} is on no merge train")
    return train


class AddToMergeTrain(Paged):
    """How to put a merge request on a merge train."""

    sha: str | None = None
    squash: bool | None = None
    when_pipeline_succeeds: bool | None = None
    auto_merge: Annotated[bool | None, Lifetime(since="17.11")] = None


@area.operation(
    "POST",
    "merge_trains/merge_requests/:merge_request_iid",
    name="create_merge_train_car",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    params=AddToMergeTrain,
    view=MergeTrainView,
    many=True,
    tier="premium",
    since="15.6",
    also=(202,),
    refusals=(400, 401, 403, 404, 409),
)
def create_merge_train_car(
    ctx: WriteContext, project: Project, merge_request_iid: int, p: AddToMergeTrain
) -> Sequence[MergeTrain] | RawBody:
    """Add a merge request to the merge train of its target branch."""
    authorize(ctx, Ability.READ_PIPELINE, project)
    merge_request = get_visible_merge_request(ctx, project, merge_request_iid)
    auto_merge = bool(p.when_pipeline_succeeds or p.auto_merge)
    merge_train_runs.add(ctx, project, merge_request, TrainOptions(p.sha, p.squash, auto_merge))
    trains = _list_train(ctx, project, merge_request.target_branch)[::-1]
    if merge_trains.find_by_merge_request(ctx.world, merge_request) is None:
        return RawBody(orjson.dumps([MergeTrainView(train, ctx).values() for train in trains]), JSON, status=202)
    return trains
