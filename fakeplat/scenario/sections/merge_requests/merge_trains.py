"""The places of merge requests on merge trains."""

from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Object
from fakeplat.domain.merge_requests import merge_trains
from fakeplat.model.merge_requests import MergeRequest, MergeTrain
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(MergeTrain, without=("id", "merge_request_id", "user_id", "pipeline_id"))


def _create(entry: Entry) -> MergeTrain:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    values = {**times, **entry.select(_FIELDS)}
    return merge_trains.insert_merge_train(entry.ctx, entry.owner, entry.user("user"), **values)


def _export(world: World, merge_request: MergeRequest) -> list[tuple[MergeTrain, EntryData]] | None:
    train = merge_trains.find_by_merge_request(world, merge_request)
    return None if train is None else [(train, _serialize(world, train))]


def _serialize(world: World, train: MergeTrain) -> EntryData:
    data = serialization.non_default_fields(train, _FIELDS)
    return {"user": serialization.username_of(world, train.user_id), **data}


SECTION: Final = Section(
    "merge_train",
    within=("merge_request",),
    rank=ALERTS,
    keys=Object({"user": TEXT, **_FIELDS}, required=("user",)),
    create=_create,
    export=_export,
    single=True,
    record=MergeTrain,
)
