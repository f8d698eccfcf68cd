"""Merge trains and the merge requests on them, which the platform calls cars. Source: docs/platform/merge-trains.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import merge_trains, merging
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST, project_of
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest, MergeTrain, MergeTrainStatus
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "17.1"
_KIND: Final = "MergeTrains::Car"
_STATUSES: Final[tuple[str, ...]] = get_args(MergeTrainStatus)
Enumeration(
    "MergeTrainStatus",
    "Whether merge requests are on a train.",
    {
        "ACTIVE": ("active", "Some are to be merged."),
        "COMPLETED": ("complete", "All are merged."),
    },
    since=_SINCE,
)
Enumeration(
    "CarStatus",
    "The status of a merge request on a train.",
    {status.upper(): (status, f"The status {status}.") for status in _STATUSES},
    since=_SINCE,
)
TRAIN: Final = Type("MergeTrain", "The merge requests to be merged into a branch.", has_count=True, since=_SINCE)
CAR: Final = Type("MergeTrainCar", "A merge request on a merge train.", has_count=True, since=_SINCE)
PERMISSIONS: Final = Type("CarPermissions", "What the caller may do with a merge request on a train.", since=_SINCE)
declare_id(CAR, _KIND)
CAR.attributes(
    {
        "createdAt: Time!": "Timestamp of the beginning.",
        "duration: Int": "Seconds from the beginning to the merge.",
        "mergedAt: Time": "Timestamp of the merge.",
        "status: CarStatus!": "The status.",
        "updatedAt: Time!": "Timestamp of the last change.",
    }
)
TRAIN.attributes({"targetBranch: String!": "The branch into which they are merged."})


@frozen
class Train:
    """The merge train of a branch; its id is that of its first merge request."""

    id: int
    project: Project
    target_branch: str


@PROJECT.field(
    "mergeTrains(status: MergeTrainStatus, targetBranches: [String!] = []): MergeTrainConnection", since=_SINCE
)
def trains_of(
    ctx: ReadContext, project: Project, status: str | None = None, target_branches: Sequence[str] | None = None
) -> Sequence[Train] | None:
    """The merge trains of the project; paid tiers only."""
    if not has_feature(ctx.world, "premium", project):
        return None
    if not _may_read(ctx, project):
        return ()
    cars = merge_trains.list_merge_trains(ctx.world, project)
    active = {_branch_of(ctx, car) for car in cars if merge_trains.is_active(car)}
    trains: dict[str, Train] = {}
    for car in cars:
        branch = _branch_of(ctx, car)
        if status in (None, "active" if branch in active else "complete"):
            trains.setdefault(branch, Train(car.id, project, branch))
    return [train for branch, train in sorted(trains.items()) if not target_branches or branch in target_branches]


def _may_read(ctx: ReadContext, project: Project) -> bool:
    return can(ctx, Ability.READ_MERGE_REQUESTS, project) and can(ctx, Ability.READ_PIPELINE, project)


def _branch_of(ctx: ReadContext, car: MergeTrain) -> str:
    return ctx.world.merge_requests[car.merge_request_id].target_branch


@TRAIN.field("cars(activityStatus: MergeTrainStatus! = ACTIVE): MergeTrainCarConnection!")
def cars_of(ctx: ReadContext, train: Train, activity_status: str = "active") -> Sequence[MergeTrain]:
    """The merge requests on the train: those to be merged in their order, or what was merged, the latest first."""
    found = merge_trains.list_merge_trains(ctx.world, train.project, activity_status)
    cars = [car for car in found if _branch_of(ctx, car) == train.target_branch]
    return cars if activity_status == "active" else cars[::-1]


@MERGE_REQUEST.field("mergeTrainCar: MergeTrainCar", since="17.2")
def car_of(ctx: ReadContext, merge_request: MergeRequest) -> MergeTrain | None:
    """The place on a merge train, if the project has trains."""
    project = project_of(ctx, merge_request)
    if not merge_trains.are_enabled(ctx.world, project) or not _may_read(ctx, project):
        return None
    return merge_trains.find_by_merge_request(ctx.world, merge_request)


@MERGE_REQUEST.field("mergeTrainIndex: Int", since="<=18.9")
def index_of_merge_request(ctx: ReadContext, merge_request: MergeRequest) -> int | None:
    """How many merge requests are before it on the train."""
    car = car_of(ctx, merge_request)
    return None if car is None else index_of(ctx, car)


@CAR.field("index: Int")
def index_of(ctx: ReadContext, car: MergeTrain) -> int | None:
    """How many merge requests are before it on the train; null if it is to be merged no more."""
    merge_request = merge_request_of(ctx, car)
    places = merge_trains.list_active(ctx.world, merge_request.project_id, merge_request.target_branch)
    return next((index for index, place in enumerate(places) if place.id == car.id), None)


@CAR.field("mergeRequest: MergeRequest!")
def merge_request_of(ctx: ReadContext, car: MergeTrain) -> MergeRequest:
    """The merge request."""
    return ctx.world.merge_requests[car.merge_request_id]


@CAR.field("pipeline: Pipeline")
def pipeline_of(ctx: ReadContext, car: MergeTrain) -> Pipeline | None:
    """The pipeline of what is to be merged."""
    return ctx.world.pipelines.get(car.pipeline_id or 0)


@CAR.field("targetBranch: String!")
def target_branch_of(ctx: ReadContext, car: MergeTrain) -> str:
    """The branch into which it is merged."""
    return _branch_of(ctx, car)


@CAR.field("targetProject: Project!")
def target_project_of(ctx: ReadContext, car: MergeTrain) -> Project:
    """The project into which it is merged."""
    return project_of(ctx, merge_request_of(ctx, car))


@CAR.field("user: User!")
def user_of(ctx: ReadContext, car: MergeTrain) -> User:
    """Who put it on the train."""
    return ctx.world.users[car.user_id]


@CAR.field("userPermissions: CarPermissions!")
def permissions_of(_ctx: ReadContext, car: MergeTrain) -> MergeTrain:
    """What the caller may do with it."""
    return car


@PERMISSIONS.field("deleteMergeTrainCar: Boolean!")
def may_delete(ctx: ReadContext, car: MergeTrain) -> bool:
    """Whether the caller may take it off the train."""
    project = target_project_of(ctx, car)
    return can(ctx, Ability.UPDATE_PIPELINE, project) and can(ctx, Ability.UPDATE_MERGE_REQUEST, project)


@mutation(
    "mergeTrainsDeleteCar",
    input_fields='"""The global ID of the place on the train."""\ncarId: MergeTrainsCarID!',
    payload_fields="",
    since="17.2",
)
def delete_car(ctx: WriteContext, car_id: str) -> Mapping[str, Any]:
    """Take a merge request off its train."""
    car = ctx.world.merge_trains.get(parse_id(ctx, car_id, _KIND))
    if car is None or not _may_read(ctx, target_project_of(ctx, car)) or not may_delete(ctx, car):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not take {car_id} off a train")
    if not has_feature(ctx.world, "premium", target_project_of(ctx, car)):
        raise ResourceNotAvailable("merge trains need a paid tier")
    merging.leave_train(ctx, car)
    return {}
