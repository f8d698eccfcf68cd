"""Merging by GraphQL, now or by a strategy. Source: docs/platform/graphql.md, docs/platform/merge-trains.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, OPEN, SITE, commit, get_json, select_fields
from tests.api.pipelines import load_project
from tests.api.test_merge_train_runs import prepare
from tests.graphql.queries import list_messages, query_data, query_project, query_refused

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", default_branch="master")
NOT_MERGEABLE = ["This branch cannot be merged"]
FAILED = ["The merge failed"]


def accept(fake: Fakeplat, options: str = "", iid: int = 1, *, by: str = "mia", sha: str = "") -> Any:
    """Accept a merge request and return the payload."""
    head = sha or get_json(fake, f"{MRS}/{iid}")["sha"]
    given = f'projectPath: "acme/site", iid: "{iid}", sha: "{head}", {options}'
    selection = "{ errors mergeRequest { state autoMergeStrategy } }"
    return query_data(fake, by, f"mutation {{ mergeRequestAccept(input: {{ {given} }}) {selection} }}")[
        "mergeRequestAccept"
    ]


def list_strategies(fake: Fakeplat, iid: int = 1, by: str = "mia") -> Any:
    """Return the strategies that a merge request offers."""
    merge_request = query_project(fake, by, f'mergeRequest(iid: "{iid}") {{ availableAutoMergeStrategies }}')
    return merge_request["mergeRequest"]["availableAutoMergeStrategies"]


def push_pipeline(fake: Fakeplat) -> None:
    """Give the open merge request a pipeline, which runs until the world is settled."""
    branch = get_json(fake)["source_branch"]
    commit(fake, branch, "ci.txt", by="dev")


@pytest.mark.fakeplat(version="16.11")
def test_a_merge_waits_for_the_pipeline(fakeplat: Fakeplat) -> None:
    """A merge request with an active pipeline is merged when that has succeeded."""
    load_project(fakeplat)
    push_pipeline(fakeplat)
    offered = list_strategies(fakeplat)
    waiting = accept(fakeplat, "strategy: MERGE_WHEN_PIPELINE_SUCCEEDS, squash: true")
    again = accept(fakeplat, "strategy: MERGE_WHEN_PIPELINE_SUCCEEDS")
    fakeplat.settle()
    done = get_json(fakeplat)

    assert ["merge_when_pipeline_succeeds"] == offered
    assert {
        "errors": [],
        "mergeRequest": {"state": "opened", "autoMergeStrategy": "merge_when_pipeline_succeeds"},
    } == waiting
    assert ["The merge request is already scheduled to be merged"] == again["errors"]
    assert ("merged", True) == select_fields(done, "state", "squash")


def test_a_merge_waits_for_all_checks(fakeplat: Fakeplat) -> None:
    """In later releases a draft can be scheduled, and is merged when it is ready."""
    load_project(fakeplat)
    fakeplat.as_user("mia").put(OPEN, json={"title": "Draft: x"})
    now = accept(fakeplat)
    waiting = accept(fakeplat, "strategy: MERGE_WHEN_CHECKS_PASS")

    assert NOT_MERGEABLE == now["errors"]
    assert ([], "merge_when_checks_pass") == (waiting["errors"], waiting["mergeRequest"]["autoMergeStrategy"])


def test_a_strategy_that_is_not_available_fails(fakeplat: Fakeplat) -> None:
    """What has nothing to wait for, and trains in a project without them, fail; nothing changes."""
    load_project(fakeplat)
    push_pipeline(fakeplat)
    fakeplat.settle()
    before = get_json(fakeplat)
    refused = [
        accept(fakeplat, f"strategy: {name}")["errors"]
        for name in ("MERGE_WHEN_CHECKS_PASS", "MERGE_TRAIN", "ADD_TO_MERGE_TRAIN_WHEN_CHECKS_PASS")
    ]

    assert ([FAILED] * 3, [], before) == (refused, list_strategies(fakeplat), get_json(fakeplat))


def test_obstacles_are_told_in_the_order_of_the_platform(fakeplat: Fakeplat) -> None:
    """Whether it can be merged is checked before the head, and drafts are not merged with another head either."""
    wrong = "0" * 40
    fakeplat.as_user("mia").put(OPEN, json={"title": "Draft: x"})
    draft = accept(fakeplat, sha=wrong)
    fakeplat.as_user("mia").put(OPEN, json={"title": "x"})

    assert NOT_MERGEABLE == draft["errors"]
    assert ["The merge-head is not at the anticipated SHA"] == accept(fakeplat, sha=wrong)["errors"]
    assert "merged" == accept(fakeplat)["mergeRequest"]["state"]
    assert NOT_MERGEABLE == accept(fakeplat)["errors"]


def test_push_rules_are_checked_before_the_merge(fakeplat: Fakeplat) -> None:
    """A message that the push rule of the project forbids is an error, and the merge request stays open."""
    fakeplat.as_user("root").post(f"{SITE}/push_rule", json={"commit_message_regex": "^JIRA"})
    refused = accept(fakeplat, 'commitMessage: "Merge it"')
    merged = accept(fakeplat, 'commitMessage: "JIRA-1: merge it"')

    assert (["Pre-merge hooks failed"], "opened") == (refused["errors"], refused["mergeRequest"]["state"])
    assert ([], "merged") == (merged["errors"], merged["mergeRequest"]["state"])


@pytest.mark.fakeplat(default_branch="main")
def test_a_merge_request_joins_a_train(fakeplat: Fakeplat) -> None:
    """With merge trains, a merge request joins the train when its pipeline is complete, or as soon as it is."""
    (ready,) = prepare(fakeplat, "one")
    (pending,) = prepare(fakeplat, "two", settled=False)
    offered = [list_strategies(fakeplat, iid) for iid in (ready, pending)]
    joined = accept(fakeplat, "strategy: MERGE_TRAIN", ready)
    early = accept(fakeplat, "strategy: MERGE_TRAIN", pending)
    waiting = accept(fakeplat, "strategy: ADD_TO_MERGE_TRAIN_WHEN_CHECKS_PASS", pending)
    fakeplat.settle()

    assert [["merge_train"], ["add_to_merge_train_when_checks_pass"]] == offered
    assert ([], "merge_train") == (joined["errors"], joined["mergeRequest"]["autoMergeStrategy"])
    assert FAILED == early["errors"]
    assert ([], "add_to_merge_train_when_checks_pass") == (
        waiting["errors"],
        waiting["mergeRequest"]["autoMergeStrategy"],
    )
    assert ["merged", "merged"] == [get_json(fakeplat, f"{MRS}/{iid}")["state"] for iid in (ready, pending)]


def test_only_who_may_merge_accepts(fakeplat: Fakeplat) -> None:
    """Developers may not merge into a protected branch, by whatever strategy."""
    fakeplat.as_user("root").post(f"{SITE}/protected_branches", json={"name": "master", "merge_access_level": 40})
    text = """mutation { mergeRequestAccept(input: { projectPath: "acme/site", iid: "1", sha: "x",
      strategy: MERGE_WHEN_CHECKS_PASS }) { errors } }"""
    (message,) = list_messages(query_refused(fakeplat, "dev", text))

    assert message.startswith("The resource that you are attempting to access does not exist")
    assert [] == list_strategies(fakeplat, by="dev")
