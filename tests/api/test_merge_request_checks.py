"""The check whether a merge request can be merged, under each clock.

Source: docs/contract.md ('Instance', 'Clocks').
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import CONFLICTING, MRS, OPEN, SITE, commit, get_json, merge, select_fields
from tests.api.requests import outcome, refusal

AFTER, POLLS = {"after": "2s"}, {"polls": 2}
CLOCKS = ("real", "virtual", "auto")


def create_checked_merge_request(fake: Fakeplat, branch: str = "work", **given: Any) -> tuple[str, str]:
    """A merge request of new work: its path, and the status that its making showed."""
    commit(fake, branch, **given)
    body = {"title": "T", "source_branch": branch, "target_branch": "master"}
    merge_request = fake.as_user("dev").post(MRS, json=body).json()
    return f"{MRS}/{merge_request['iid']}", merge_request["merge_status"]


def get_merge_status(fake: Fakeplat, path: str) -> str:
    return str(get_json(fake, path)["merge_status"])


def list_merge_status(fake: Fakeplat, path: str, query: str = "") -> str:
    """The status as the list shows it, which asks for nothing."""
    rows = get_json(fake, f"{MRS}?{query}")
    return next(str(row["merge_status"]) for row in rows if path == f"{MRS}/{row['iid']}")


@pytest.mark.parametrize(
    "clock", [pytest.param(name, marks=pytest.mark.fakeplat(clock=name, merge_check="immediate")) for name in CLOCKS]
)
def test_at_once_means_at_the_next_look(fakeplat: Fakeplat, clock: str) -> None:
    """Made unchecked; whoever looks then, at a list too, finds the outcome."""
    del clock
    path, first = create_checked_merge_request(fakeplat)
    assert ("unchecked", "can_be_merged") == (first, list_merge_status(fakeplat, path))
    path, first = create_checked_merge_request(
        fakeplat, "clash", path="README.md", action="update", content="x", start_branch="readme"
    )
    assert ("unchecked", "cannot_be_merged") == (first, get_merge_status(fakeplat, path))
    assert get_json(fakeplat, path)["has_conflicts"] is True


@pytest.mark.fakeplat(clock="virtual", merge_check=AFTER)
def test_after_a_span_of_the_worlds_time(fakeplat: Fakeplat) -> None:
    """unchecked, checking until the span is over, then known; reading moves nothing where time stands."""
    path, first = create_checked_merge_request(fakeplat)
    assert "unchecked" == first
    assert ["checking"] * 3 == [get_merge_status(fakeplat, path) for _ in range(3)]
    fakeplat.clock.advance("1s")
    assert "checking" == get_merge_status(fakeplat, path)
    fakeplat.clock.advance("1s")
    assert ["can_be_merged"] * 2 == [get_merge_status(fakeplat, path), list_merge_status(fakeplat, path)]


@pytest.mark.fakeplat(clock="auto", merge_check=AFTER)
def test_under_the_auto_clock_reading_one_brings_it_on(fakeplat: Fakeplat) -> None:
    """Lists and HEAD move nothing; the next GET of the one shows the outcome, and it stays."""
    path, first = create_checked_merge_request(fakeplat)
    assert ("unchecked", "checking") == (first, list_merge_status(fakeplat, path))
    fakeplat.as_user("dev").head(path)
    assert "checking" == list_merge_status(fakeplat, path)
    assert ["can_be_merged"] * 2 == [get_merge_status(fakeplat, path) for _ in range(2)]


@pytest.mark.parametrize(
    "clock", [pytest.param(name, marks=pytest.mark.fakeplat(clock=name, merge_check=POLLS)) for name in CLOCKS]
)
def test_after_so_many_readings(fakeplat: Fakeplat, clock: str) -> None:
    """The second GET of the one shows the outcome, under every clock; lists do not count."""
    del clock
    path, first = create_checked_merge_request(fakeplat)
    assert "unchecked" == first
    assert ["checking"] * 2 == [list_merge_status(fakeplat, path) for _ in range(2)]
    assert ["checking", "can_be_merged", "can_be_merged"] == [get_merge_status(fakeplat, path) for _ in range(3)]


@pytest.mark.fakeplat(clock="virtual", merge_check={"polls": 3})
def test_a_world_comes_to_rest_without_readings(fakeplat: Fakeplat) -> None:
    """settle() ends a check that waits for them."""
    path, _ = create_checked_merge_request(fakeplat)
    fakeplat.settle()
    assert "can_be_merged" == list_merge_status(fakeplat, path)


@pytest.mark.parametrize("clock", [pytest.param(name, marks=pytest.mark.fakeplat(clock=name)) for name in CLOCKS])
@pytest.mark.parametrize("moved", ["feature", "target"])
def test_it_goes_stale_when_either_branch_moves(fakeplat: Fakeplat, clock: str, moved: str) -> None:
    """A list shows it stale until somebody reads the one."""
    del clock
    assert "can_be_merged" == list_merge_status(fakeplat, OPEN)
    commit(fakeplat, "feature" if moved == "feature" else "master", by="mia")
    assert ["unchecked"] * 2 == [list_merge_status(fakeplat, OPEN) for _ in range(2)]
    assert "can_be_merged" == get_merge_status(fakeplat, OPEN)
    assert "can_be_merged" == list_merge_status(fakeplat, OPEN)


@pytest.mark.parametrize(
    "path", [MRS, "merge_requests?scope=all", "groups/acme/merge_requests?"], ids=["project", "own", "group"]
)
def test_a_list_can_ask_for_a_recheck(fakeplat: Fakeplat, path: str) -> None:
    """with_merge_status_recheck checks what it shows and is stale, and nothing else."""
    commit(fakeplat, "feature")
    sign = "&" if "?" in path else "?"
    first = f"{path}{sign}with_merge_status_recheck=true&per_page=1"
    assert [2] == [row["iid"] for row in get_json(fakeplat, first)]
    assert "unchecked" == list_merge_status(fakeplat, OPEN)
    rows = get_json(fakeplat, f"{first}&page=2")
    assert [(1, "can_be_merged")] == [select_fields(row, "iid", "merge_status") for row in rows]


@pytest.mark.fakeplat(clock="virtual", merge_check=AFTER)
def test_a_recheck_takes_its_time_too(fakeplat: Fakeplat) -> None:
    """A rechecked merge request is `checking` until the check has finished."""
    commit(fakeplat, "feature")
    assert "checking" == list_merge_status(fakeplat, OPEN, "with_merge_status_recheck=true")
    fakeplat.settle()
    assert "can_be_merged" == list_merge_status(fakeplat, OPEN)


@pytest.mark.fakeplat(clock="virtual", merge_check=AFTER)
def test_after_a_conflict_it_has_conflicts_no_more_until_it_is_known(fakeplat: Fakeplat) -> None:
    """A stale conflict is shown as unchecked, then checking; has_conflicts is false meanwhile."""
    assert ("cannot_be_merged", True) == select_fields(get_json(fakeplat, CONFLICTING), "merge_status", "has_conflicts")
    commit(fakeplat, "readme")
    assert "unchecked" == list_merge_status(fakeplat, CONFLICTING)
    assert ("checking", False) == select_fields(get_json(fakeplat, CONFLICTING), "merge_status", "has_conflicts")
    fakeplat.settle()
    assert ("cannot_be_merged", True) == select_fields(get_json(fakeplat, CONFLICTING), "merge_status", "has_conflicts")


@pytest.mark.parametrize("check", [pytest.param(0, marks=pytest.mark.fakeplat(clock="virtual", merge_check=AFTER))])
def test_merging_waits_for_no_check(fakeplat: Fakeplat, check: int) -> None:
    """Merging does not wait for the check of mergeability."""
    del check
    path, _ = create_checked_merge_request(fakeplat)
    assert "merged" == merge(fakeplat, path)["state"]
    path, _ = create_checked_merge_request(
        fakeplat, "clash", path="README.md", action="update", content="x", start_branch="readme"
    )
    fakeplat.as_user("mia").get(path)
    assert (406, {"message": "Branch cannot be merged"}) == refusal(fakeplat, "mia", "PUT", f"{path}/merge")


@pytest.mark.fakeplat(clock="virtual", merge_check=AFTER)
def test_a_check_ends_with_what_it_is_about(fakeplat: Fakeplat) -> None:
    """Closing, deleting or merging a request ends its pending check."""
    for name in ("a", "b", "c"):
        path, _ = create_checked_merge_request(fakeplat, name, path=name)
        act = {
            "a": ("PUT", path, {"state_event": "close"}),
            "b": ("DELETE", path, None),
            "c": ("PUT", f"{path}/merge", {}),
        }
        method, target, body = act[name]
        assert fakeplat.as_user("ada").request(method, target, json=body).status in (200, 204)
    fakeplat.settle()
    assert [] == fakeplat.bench.platform.failures


def test_the_commit_that_merging_would_give(fakeplat: Fakeplat) -> None:
    """Made anew when a branch moved; 400 where there would be none."""
    first = get_json(fakeplat, f"{OPEN}/merge_ref")["commit_id"]
    commit_view = get_json(fakeplat, f"{SITE}/repository/commits/{first}")
    master = get_json(fakeplat, f"{SITE}/repository/branches/master")["commit"]["id"]
    assert [master, get_json(fakeplat)["sha"]] == commit_view["parent_ids"]
    assert first == get_json(fakeplat, f"{OPEN}/merge_ref")["commit_id"]
    sha = commit(fakeplat, "feature")
    second = get_json(fakeplat, f"{OPEN}/merge_ref")["commit_id"]
    assert sha == get_json(fakeplat, f"{SITE}/repository/commits/{second}")["parent_ids"][1]
    refused = (400, {"message": "Merge request is not mergeable"})
    assert refused == outcome(fakeplat.as_user("dev").get(f"{CONFLICTING}/merge_ref"))
    merge(fakeplat)
    assert refused == outcome(fakeplat.as_user("dev").get(f"{OPEN}/merge_ref"))
