from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.operation_names import NoSuchOperation

ISSUE = "projects/acme%2Fsite/issues/1"


def rename_issue(fakeplat: Fakeplat, title: str, who: str = "dev") -> Any:
    return fakeplat.as_user(who).put(ISSUE, json={"title": title})


def test_somebody_acts_before_the_nth_request(fakeplat: Fakeplat) -> None:
    """A callback before the second update deletes the issue, so that this update is 404."""
    fakeplat.before("update_issue", lambda world: world.as_user("ada").delete(ISSUE), nth=2)
    assert [200, 404] == [rename_issue(fakeplat, title).status for title in ("one", "two")]
    assert ["update_issue", "delete_issue", "update_issue"] == [entry.operation for entry in fakeplat.requests]


def test_somebody_acts_after_the_commit_and_before_the_answer(fakeplat: Fakeplat) -> None:
    """A callback after an update changes the world but not the response of the update."""
    fakeplat.after("update_issue", lambda world: rename_issue(world, "theirs", "ada"))
    assert "mine" == rename_issue(fakeplat, "mine").json()["title"]
    assert "theirs" == fakeplat.as_user("dev").get(ISSUE).json()["title"]


def test_a_read_meets_what_was_done_before_it(fakeplat: Fakeplat) -> None:
    """A read returns what a callback before it wrote, even if its response was cached."""
    old = fakeplat.as_user("dev").get(ISSUE).json()["title"]
    fakeplat.before("get_issue", lambda world: rename_issue(world, "fresh", "ada"))
    assert "fresh" == fakeplat.as_user("dev").get(ISSUE).json()["title"] != old


def test_what_others_ask_triggers_nothing(fakeplat: Fakeplat) -> None:
    """Requests of a callback trigger no callbacks and no faults and are not counted by them."""
    fakeplat.before("update_issue", lambda world: rename_issue(world, "theirs", "ada"), nth=None)
    fakeplat.faults.add(operation="update_issue", status=503, nth=3)
    assert [200, 200, 503] == [rename_issue(fakeplat, title).status for title in "abc"]
    by = [(entry.user, entry.status) for entry in fakeplat.requests]
    assert [("ada", 200), ("dev", 200), ("ada", 200), ("dev", 200), ("ada", 200), ("dev", 503)] == by


def test_requests_keep_their_numbers_and_ids(fakeplat: Fakeplat) -> None:
    """Requests and those of callbacks are numbered in the order of their responses."""
    fakeplat.before("update_issue", lambda world: rename_issue(world, "theirs", "ada"))
    fakeplat.after("update_issue", lambda world: world.as_user("ada").get("user"))
    rename_issue(fakeplat, "mine")
    assert [1, 2, 3] == [entry.number for entry in fakeplat.requests]
    assert ["ada", "dev", "ada"] == [entry.user for entry in fakeplat.requests]


def test_time_can_pass_meanwhile(fakeplat: Fakeplat) -> None:
    """A callback gets the fakeplat itself and can advance its clock."""
    fakeplat.before("get_version", lambda world: world.clock.advance("1d"))
    fakeplat.as_user("ada").get("version")
    assert fakeplat.clock.now.startswith("2020-11-21T")


@pytest.mark.parametrize(
    ("operation", "part"),
    [
        ("updat_issue", "there is no operation 'updat_issue'; did you mean update_issue?"),
        ("get_geo_node_status", "known but not implemented"),
    ],
)
def test_an_unknown_operation_is_refused(fakeplat: Fakeplat, operation: str, part: str) -> None:
    """`before` and `after` refuse unknown operations with the nearest name, and unimplemented ones."""
    for declare in (fakeplat.before, fakeplat.after):
        with pytest.raises(NoSuchOperation) as refused:
            declare(operation, lambda _: None)
        assert part in str(refused.value)


def test_counting_begins_with_one(fakeplat: Fakeplat) -> None:
    """A callback with `nth=0` is refused, because counting starts at 1."""
    with pytest.raises(ValueError, match="counts from 1"):
        fakeplat.before("update_issue", lambda _: None, nth=0)


def test_a_reset_forgets_acts(fakeplat: Fakeplat) -> None:
    """A reset removes the callbacks declared with `before`."""
    fakeplat.before("update_issue", lambda world: world.as_user("ada").delete(ISSUE))
    fakeplat.bench.reset()
    assert 200 == rename_issue(fakeplat, "still there").status
