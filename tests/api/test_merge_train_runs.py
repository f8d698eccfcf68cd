"""Merge trains that run: merge requests are added, wait for their pipelines, and are merged or dropped.

Source: docs/platform/merge-trains.md.
"""

from typing import Any

import pytest

from fakeplat.domain.merge_requests import merge_trains
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MERGE_TRAINS_RUN, TRAINS_TAKE_NOBODY_TWICE
from tests.api.merge_requests import MRS, SITE, commit, create_merge_request, get_json, select_fields
from tests.api.pipelines import load_project
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, names, refusal
from tests.api.test_reviewers import list_notes
from tests.by_release import by_release

TRAINS = f"{SITE}/merge_trains"
CI = "check:\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\n  script: [make]\n"
FAILED = (400, {"message": "400 Bad request - Failed to merge"})
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual")


def prepare(fake: Fakeplat, *branches: str, settled: bool = True) -> list[int]:
    """Enable merge trains, and create a merge request with a pipeline for each branch."""
    load_project(fake, merge_pipelines_enabled=True, merge_trains_enabled=True)
    commit(fake, "main", ".gitlab-ci.yml", by="mia", action="update", content=CI)
    iids = []
    for branch in branches:
        commit(fake, branch, f"{branch}.txt", start_branch="main")
        iids.append(create_merge_request(fake, branch, target_branch="main")["iid"])
        if settled:
            fake.settle()
    return iids


def add(fake: Fakeplat, iid: int, by: str = "mia", **options: Any) -> Any:
    """Put a merge request on the train."""
    return fake.as_user(by).post(f"{TRAINS}/merge_requests/{iid}", json=options)


def list_states(fake: Fakeplat) -> list[Any]:
    """Return the iid and status of what is on the train."""
    rows = get_json(fake, f"{TRAINS}?sort=asc")
    return [(row["merge_request"]["iid"], row["status"]) for row in rows]


def test_a_merge_request_is_merged_when_its_pipeline_succeeds(fakeplat: Fakeplat) -> None:
    """The first merge request of a train is merged after its pipeline for the train has succeeded."""
    (iid,) = prepare(fakeplat, "one")
    answer = add(fakeplat, iid)
    (row,) = answer.json()
    waiting = get_json(fakeplat, f"{MRS}/{iid}")
    fakeplat.settle()
    done = get_json(fakeplat, f"{TRAINS}/merge_requests/{iid}")
    merged = get_json(fakeplat, f"{MRS}/{iid}")

    assert (201, iid, "mia", "idle", "main") == (
        answer.status,
        row["merge_request"]["iid"],
        *(row["user"]["username"], row["status"], row["target_branch"]),
    )
    assert ("opened", True) == select_fields(waiting, "state", "merge_when_pipeline_succeeds")
    assert ("merged", f"refs/merge-requests/{iid}/train", "success") == (
        done["status"],
        *select_fields(done["pipeline"], "ref", "status"),
    )
    assert ("merged", "mia") == (merged["state"], merged["merged_by"]["username"])
    assert done["duration"] >= 0
    assert "started a merge train" in list_notes(fakeplat, f"{MRS}/{iid}")


def test_places_are_merged_in_their_order(fakeplat: Fakeplat) -> None:
    """The pipeline of a later place contains what is before it, and what is before it is merged first."""
    first, second = prepare(fakeplat, "one", "two")
    add(fakeplat, first)
    answer = add(fakeplat, second)
    assert [second, first] == [row["merge_request"]["iid"] for row in answer.json()]
    fakeplat.settle()

    assert [(first, "merged"), (second, "merged")] == list_states(fakeplat)
    assert "added this merge request to the merge train at position 2" in list_notes(fakeplat, f"{MRS}/{second}")
    files = names(get_json(fakeplat, f"{SITE}/repository/tree?ref=main&per_page=100"), "path")
    assert {"one.txt", "two.txt"} <= set(files)


def test_a_failed_pipeline_drops_a_place(fakeplat: Fakeplat) -> None:
    """A merge request whose pipeline fails leaves the train with a note and to-dos; the next one goes on without it."""
    first, second = prepare(fakeplat, "one", "two")
    add(fakeplat, first)
    add(fakeplat, second)
    fakeplat.clock.advance("0s")
    pipeline = get_json(fakeplat, f"{TRAINS}/merge_requests/{first}")["pipeline"]
    fakeplat.as_user("mia").post(f"{SITE}/pipelines/{pipeline['id']}/cancel")
    fakeplat.settle()

    assert [(second, "merged")] == list_states(fakeplat)
    dropped = get_json(fakeplat, f"{MRS}/{first}")
    assert ("opened", False) == select_fields(dropped, "state", "merge_when_pipeline_succeeds")
    note = next(text for text in list_notes(fakeplat, f"{MRS}/{first}") if text.startswith("removed"))
    assert note.startswith(
        "removed this merge request from the merge train because the pipeline did not succeed. [Learn more]("
    )
    todos = fakeplat.as_user("mia").get("todos?action=merge_train_removed").json()
    assert ["merge_train_removed"] == names(todos, "action_name")
    files = names(get_json(fakeplat, f"{SITE}/repository/tree?ref=main&per_page=100"), "path")
    assert ("two.txt" in files, "one.txt" in files) == (True, False)


def test_a_push_to_the_target_starts_a_train_anew(fakeplat: Fakeplat) -> None:
    """A push to the target branch gives the places of the train new pipelines."""
    (first,) = prepare(fakeplat, "one")
    add(fakeplat, first)
    fakeplat.clock.advance("0s")
    before = get_json(fakeplat, f"{TRAINS}/merge_requests/{first}")["pipeline"]["id"]
    commit(fakeplat, "main", "late.txt", by="mia")
    fakeplat.clock.advance("0s")
    after = get_json(fakeplat, f"{TRAINS}/merge_requests/{first}")["pipeline"]["id"]

    assert before != after
    assert "canceled" == get_json(fakeplat, f"{SITE}/pipelines/{before}")["status"]


def test_canceling_leaves_the_train(fakeplat: Fakeplat) -> None:
    """Canceling the automatic merge removes a merge request from its train."""
    (first,) = prepare(fakeplat, "one")
    add(fakeplat, first)
    answer = fakeplat.as_user("mia").post(f"{MRS}/{first}/cancel_merge_when_pipeline_succeeds")

    assert (201, []) == (answer.status, list_states(fakeplat))
    assert "removed this merge request from the merge train" in list_notes(fakeplat, f"{MRS}/{first}")


def test_deleting_a_merge_request_leaves_the_train(fakeplat: Fakeplat) -> None:
    """A deleted merge request has no place any more, and what comes after it is merged without it."""
    first, second = prepare(fakeplat, "one", "two")
    add(fakeplat, first)
    add(fakeplat, second)
    assert 204 == fakeplat.as_user("root").delete(f"{MRS}/{first}").status
    fakeplat.settle()

    assert [(second, "merged")] == list_states(fakeplat)
    files = names(get_json(fakeplat, f"{SITE}/repository/tree?ref=main&per_page=100"), "path")
    assert ("two.txt" in files, "one.txt" in files) == (True, False)


def test_a_merge_request_waits_for_its_pipeline(fakeplat: Fakeplat) -> None:
    """With `auto_merge` a merge request whose pipeline is running is put on the train when that has succeeded."""
    (first,) = prepare(fakeplat, "one", settled=False)
    answer = add(fakeplat, first, auto_merge=True)
    assert (202, []) == (answer.status, answer.json())
    assert "enabled automatic add to merge train when checks pass" in list_notes(fakeplat, f"{MRS}/{first}")
    fakeplat.settle()

    assert [(first, "merged")] == list_states(fakeplat)


def test_skipping_the_train(fakeplat: Fakeplat) -> None:
    """A merge that skips the train counts as one of it, and the train does not begin anew."""
    first, second = prepare(fakeplat, "one", "two")
    load_project(fakeplat, merge_trains_skip_train_allowed=True)
    add(fakeplat, first)
    fakeplat.clock.advance("0s")
    before = get_json(fakeplat, f"{TRAINS}/merge_requests/{first}")["pipeline"]["id"]
    merged = fakeplat.as_user("mia").put(f"{MRS}/{second}/merge", json={"skip_merge_train": True})
    fakeplat.clock.advance("0s")

    assert (200, "merged") == (merged.status, merged.json()["state"])
    assert [(first, "fresh"), (second, "skip_merged")] == list_states(fakeplat)
    assert before == get_json(fakeplat, f"{TRAINS}/merge_requests/{first}")["pipeline"]["id"]


def test_refusals(fakeplat: Fakeplat) -> None:
    """A train needs the right to merge, the head that is named, merge trains, and a complete pipeline."""
    first, second = prepare(fakeplat, "one", "two")
    path = f"{TRAINS}/merge_requests/{first}"
    head = get_json(fakeplat, f"{MRS}/{first}")["sha"]
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", path)
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", path)
    mismatch = {"message": f"SHA does not match HEAD of source branch: {head}"}
    assert (409, mismatch) == refusal(fakeplat, "mia", "POST", path, json={"sha": "0" * 40})
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "mia", "POST", f"{TRAINS}/merge_requests/99")
    assert FAILED == refusal(fakeplat, "mia", "POST", path, json={"auto_merge": True})
    load_project(fakeplat, merge_trains_enabled=False)
    assert FAILED == refusal(fakeplat, "mia", "POST", path)
    load_project(fakeplat, merge_trains_enabled=True)
    commit(fakeplat, "two", "again.txt")
    assert FAILED == refusal(fakeplat, "mia", "POST", f"{TRAINS}/merge_requests/{second}")


@by_release(TRAINS_TAKE_NOBODY_TWICE, "is_refused", {"18.8": False, "18.9": True})
@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_merge_request_is_added_once(fakeplat: Fakeplat, is_refused: bool, is_waiting: bool) -> None:
    """What is on a train, or waits for that, is a conflict in 18.9 at the latest, and before left where it is."""
    (iid,) = prepare(fakeplat, "one", settled=not is_waiting)
    add(fakeplat, iid, when_pipeline_succeeds=is_waiting)
    path, taken = f"{TRAINS}/merge_requests/{iid}", {"message": "Merge request is already set to Auto-Merge"}
    body = {"when_pipeline_succeeds": is_waiting}
    if is_refused:
        assert (409, taken) == refusal(fakeplat, "mia", "POST", path, json=body)
        assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", path, json=body)
    else:
        assert (202 if is_waiting else 201) == fakeplat.as_user("mia").post(path, json=body).status


def test_automatic_merges_join_the_train(fakeplat: Fakeplat) -> None:
    """Where a project has merge trains, an automatic merge waits to join one."""
    (iid,) = prepare(fakeplat, "one", settled=False)
    waiting = fakeplat.as_user("mia").put(f"{MRS}/{iid}/merge", json={"auto_merge": True})
    notes = list_notes(fakeplat, f"{MRS}/{iid}")
    fakeplat.settle()

    assert (200, "opened", True) == (
        waiting.status,
        *select_fields(waiting.json(), "state", "merge_when_pipeline_succeeds"),
    )
    assert "enabled automatic add to merge train when checks pass" in notes
    assert [(iid, "merged")] == list_states(fakeplat)


def test_immediate_merges_leave_no_place(fakeplat: Fakeplat) -> None:
    """A merge that does not skip the train, or that may not, leaves no place of it."""
    first, second = prepare(fakeplat, "one", "two")
    for iid, body in ((first, {}), (second, {"skip_merge_train": True})):
        assert "merged" == fakeplat.as_user("mia").put(f"{MRS}/{iid}/merge", json=body).json()["state"]
    assert [] == list_states(fakeplat)


def test_extra_parameters_do_not_matter(fakeplat: Fakeplat) -> None:
    """What a train does not know is ignored, squashing is kept, and numbers below one are not found."""
    (iid,) = prepare(fakeplat, "one")
    missing = (404, {"message": "404 Not found"})
    assert missing == refusal(fakeplat, "mia", "POST", f"{TRAINS}/merge_requests/-1")
    head = get_json(fakeplat, f"{MRS}/{iid}")["sha"]
    assert 201 == add(fakeplat, iid, sha=head, squash=True, when_pipeline_succeeds=False, extra_param=True).status
    assert get_json(fakeplat, f"{MRS}/{iid}")["squash"] is True


@by_release(MERGE_TRAINS_RUN, "expected", {"15.5": False, "15.6": True})
def test_trains_run_since_they_can_be_joined(fakeplat: Fakeplat, expected: bool) -> None:
    """Merge trains run in the releases that let clients add merge requests to them."""
    (first,) = prepare(fakeplat, "one")
    world = fakeplat.bench.platform.view
    project = world.projects[get_json(fakeplat, SITE)["id"]]

    assert expected == merge_trains.are_enabled(world, project)
    assert 200 == fakeplat.as_user("mia").put(f"{MRS}/{first}/merge").status
