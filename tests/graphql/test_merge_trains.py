"""Merge trains by GraphQL. Source: docs/platform/merge-trains.md, ee/spec/requests/api/graphql/merge_trains of 18.9."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, get_json
from tests.api.test_merge_train_runs import add, prepare
from tests.api.test_reviewers import list_notes
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual")
CARS = "cars { count nodes { id index status mergeRequest { iid } user { username } targetBranch mergedAt } }"


def list_trains(fake: Fakeplat, arguments: str = "", cars: str = CARS, by: str | None = "mia") -> Any:
    """Return the trains of the project; null if it has none."""
    found = query_project(fake, by, f"mergeTrains{arguments} {{ nodes {{ targetBranch {cars} }} }}")
    return found["mergeTrains"] and found["mergeTrains"]["nodes"]


def put_two_on_a_train(fake: Fakeplat) -> list[int]:
    iids = prepare(fake, "one", "two")
    for iid in iids:
        add(fake, iid)
    return iids


def test_cars_of_a_train(fakeplat: Fakeplat) -> None:
    """A train has the merge requests in their order, each with its place and who put it there."""
    iids = put_two_on_a_train(fakeplat)
    ((train),) = list_trains(fakeplat)
    cars = train["cars"]["nodes"]

    assert ("main", 2, [0, 1]) == (train["targetBranch"], train["cars"]["count"], [car["index"] for car in cars])
    assert [*map(str, iids)] == [car["mergeRequest"]["iid"] for car in cars]
    assert {("mia", "main", None)} == {(car["user"]["username"], car["targetBranch"], car["mergedAt"]) for car in cars}
    assert {"IDLE", "FRESH"} >= {car["status"] for car in cars}


def test_active_and_completed_trains(fakeplat: Fakeplat) -> None:
    """A train is completed when all its merge requests are merged; the latest merge is the first."""
    first, second = put_two_on_a_train(fakeplat)
    active = [list_trains(fakeplat, f"(status: {status})") for status in ("ACTIVE", "COMPLETED")]
    fakeplat.settle()
    selection = "cars(activityStatus: COMPLETED) { nodes { status index duration mergeRequest { iid } } }"
    (train,) = list_trains(fakeplat, "(status: COMPLETED)", selection)

    assert [1, 0] == [len(trains) for trains in active]
    assert [] == list_trains(fakeplat, "(status: ACTIVE)")
    assert [str(second), str(first)] == [car["mergeRequest"]["iid"] for car in train["cars"]["nodes"]]
    assert {("MERGED", None)} == {(car["status"], car["index"]) for car in train["cars"]["nodes"]}


def test_trains_of_some_branches(fakeplat: Fakeplat) -> None:
    """Trains are selected by their branches; no branches select all."""
    put_two_on_a_train(fakeplat)
    chosen = {names: len(list_trains(fakeplat, f"(targetBranches: [{names}])")) for names in ("", '"main"', '"other"')}
    assert {"": 1, '"main"': 1, '"other"': 0} == chosen


def test_pages_of_trains(fakeplat: Fakeplat) -> None:
    """Trains have cursors, with which the next page begins after the first train."""
    put_two_on_a_train(fakeplat)
    page = "{ edges { cursor } pageInfo { endCursor hasNextPage } }"
    trains = query_project(fakeplat, "mia", f"mergeTrains(first: 1) {page}")["mergeTrains"]
    cursor = trains["edges"][0]["cursor"]

    assert {"endCursor": cursor, "hasNextPage": False} == trains["pageInfo"]
    after = query_project(fakeplat, "mia", f'mergeTrains(after: "{cursor}") {page}')["mergeTrains"]
    assert [] == after["edges"]


def test_the_place_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """A merge request shows its place on the train, and null without one."""
    first, second = put_two_on_a_train(fakeplat)
    fields = "mergeTrainIndex mergeTrainCar { index targetProject { fullPath } pipeline { status } }"
    shown = query_project(fakeplat, "mia", f'mergeRequest(iid: "{second}") {{ {fields} }}')["mergeRequest"]
    other = query_project(fakeplat, "mia", f'mergeRequest(iid: "1") {{ {fields} }}')["mergeRequest"]

    assert (1, 1, "acme/site") == (
        shown["mergeTrainIndex"],
        shown["mergeTrainCar"]["index"],
        shown["mergeTrainCar"]["targetProject"]["fullPath"],
    )
    assert {"mergeTrainIndex": None, "mergeTrainCar": None} == other
    assert first < second


def remove(fake: Fakeplat, car: str, by: str = "mia") -> Any:
    text = f'mutation {{ mergeTrainsDeleteCar(input: {{ carId: "{car}" }}) {{ errors }} }}'
    return query_data(fake, by, text)["mergeTrainsDeleteCar"]


def find_car(fake: Fakeplat, iid: int, by: str = "mia") -> Any:
    fields = "mergeTrainCar { id userPermissions { deleteMergeTrainCar } }"
    return query_project(fake, by, f'mergeRequest(iid: "{iid}") {{ {fields} }}')["mergeRequest"]["mergeTrainCar"]


def test_taking_a_merge_request_off(fakeplat: Fakeplat) -> None:
    """Developers take a merge request off its train; the next one moves up."""
    first, second = put_two_on_a_train(fakeplat)
    car = find_car(fakeplat, first, "dev")

    assert {"deleteMergeTrainCar": True} == car["userPermissions"]
    assert {"errors": []} == remove(fakeplat, car["id"], "dev")
    ((train),) = list_trains(fakeplat)
    assert [(str(second), 0)] == [(row["mergeRequest"]["iid"], row["index"]) for row in train["cars"]["nodes"]]
    assert not get_json(fakeplat, f"{MRS}/{first}")["merge_when_pipeline_succeeds"]
    assert "removed this merge request from the merge train" in list_notes(fakeplat, f"{MRS}/{first}")


def test_reporters_take_nothing_off(fakeplat: Fakeplat) -> None:
    """Reporters see trains, and change none; what does not exist is refused alike."""
    (first, _) = put_two_on_a_train(fakeplat)
    car = find_car(fakeplat, first, "rep")
    missing = f"{car['id'].rpartition('/')[0]}/1"

    assert {"deleteMergeTrainCar": False} == car["userPermissions"]
    for id_ in (car["id"], missing):
        text = f'mutation {{ mergeTrainsDeleteCar(input: {{ carId: "{id_}" }}) {{ errors }} }}'
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", text))
    assert 2 == len(list_trains(fakeplat)[0]["cars"]["nodes"])


@pytest.mark.fakeplat(tier="free")
def test_trains_are_paid(fakeplat: Fakeplat) -> None:
    """On free tiers there are no trains."""
    assert list_trains(fakeplat) is None


@pytest.mark.fakeplat(version="16.11")
def test_trains_came_later(fakeplat: Fakeplat) -> None:
    """Lists of trains came in 17.1."""
    text = '{ project(fullPath: "acme/site") { mergeTrains { count } } }'
    (message,) = list_messages(query_refused(fakeplat, "mia", text))
    assert message.startswith("Field 'mergeTrains' doesn't exist on type 'Project'")
