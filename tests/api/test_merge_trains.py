"""Merge trains, as clients read them. Source: docs/platform/merge-trains.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.requests import FORBIDDEN, invalid, refusal

PATH = "projects/acme%2Fsite/merge_trains"
WAITING = {"user": "dev", "created_at": "2020-11-20T08:00:00.000Z"}
DONE = {
    **WAITING,
    "status": "merged",
    "updated_at": "2020-11-20T08:10:00.000Z",
    "merged_at": "2020-11-20T08:10:00.000Z",
    "duration": 600,
}


def on_site(**trains: Any) -> dict[str, Any]:
    rows = [{"iid": int(iid[1:]), "merge_train": train} for iid, train in trains.items()]
    return {"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "merge_requests": rows}]}


pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=on_site(i1=WAITING, i2=DONE), tier="premium")]


def test_a_merge_request_on_a_train_is_shown(fakeplat: Fakeplat) -> None:
    """A merge train shows its merge request, user, branch and state."""
    done, waiting = fakeplat.as_user("rep").get(PATH).json()
    simple = {"id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "web_url"}
    fields = {"id", "merge_request", "user", "pipeline", "created_at", "updated_at", "target_branch", "status"}
    assert {*fields, "merged_at", "duration"} == set(done)
    assert simple == set(done["merge_request"])
    target = fakeplat.as_user("rep").get("projects/acme%2Fsite/merge_requests/2").json()["target_branch"]
    assert (2, "dev", None, target) == (
        done["merge_request"]["iid"],
        done["user"]["username"],
        done["pipeline"],
        done["target_branch"],
    )
    assert ("merged", 600, "idle", None) == (done["status"], done["duration"], waiting["status"], waiting["duration"])


@pytest.mark.parametrize(
    ("query", "iids"),
    [("", [2, 1]), ("sort=asc", [1, 2]), ("scope=active", [1]), ("scope=complete", [2]), ("per_page=1&page=2", [1])],
)
def test_trains_are_filtered_and_sorted(fakeplat: Fakeplat, query: str, iids: list[int]) -> None:
    """Merge trains are listed newest first and filtered by scope."""
    rows = fakeplat.as_user("dev").get(f"{PATH}?{query}").json()
    assert iids == [row["merge_request"]["iid"] for row in rows]


def test_refused_lists(fakeplat: Fakeplat) -> None:
    """Guests of a private project read no merge requests; other values of the parameters are invalid."""
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", PATH)
    assert invalid("scope does not have a valid value") == refusal(fakeplat, "dev", "GET", f"{PATH}?scope=all")
    assert invalid("sort does not have a valid value") == refusal(fakeplat, "dev", "GET", f"{PATH}?sort=up")


def test_pipelines_must_be_readable_too(fakeplat: Fakeplat) -> None:
    """Whoever reads merge requests but no pipelines gets 403."""
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"builds_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "rep", "GET", PATH)


@pytest.mark.fakeplat(tier="free")
def test_merge_trains_are_paid(fakeplat: Fakeplat) -> None:
    """Below premium merge trains are not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", PATH)


def test_trains_are_exported(fakeplat: Fakeplat) -> None:
    """Merge trains are exported under their merge requests."""
    projects = export_world(fakeplat.bench.platform)["projects"]
    site = next(project for project in projects if project["path_with_namespace"] == "acme/site")
    trains = {row["iid"]: row["merge_train"] for row in site["merge_requests"] if "merge_train" in row}
    assert {1: "dev", 2: "dev"} == {iid: train["user"] for iid, train in trains.items()}
    assert ("merged", 600) == (trains[2]["status"], trains[2]["duration"])
