"""Requests for changes and blocking merge requests by GraphQL.

Source: the platform's specs of request_changes, destroy_requested_changes and set_blocking_merge_requests.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.merge_requests import OPEN, get_json
from tests.graphql.queries import list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium")
SHOWN = "mergeRequest { iid changeRequesters { nodes { username } } detailedMergeStatus }"
REQUEST = write_mutation("mergeRequestRequestChanges", SHOWN)
DESTROY = write_mutation("mergeRequestDestroyRequestedChanges", SHOWN)
BLOCK = write_mutation("mergeRequestSetBlockingMergeRequests", "mergeRequest { iid }")
WHICH = {"projectPath": "acme/site", "iid": "1"}


def send(fake: Fakeplat, by: str, mutation: str, **more: Any) -> Any:
    """Send a mutation about the first merge request; return its payload."""
    (payload,) = query_data(fake, by, mutation, input={**WHICH, **more}).values()
    return payload


def list_requesters(payload: Any) -> list[str]:
    """Return who asks for changes."""
    return [user["username"] for user in payload["mergeRequest"]["changeRequesters"]["nodes"]]


def review(fake: Fakeplat, name: str) -> None:
    """Make a user a reviewer who has approved."""
    ids = [fake.world.user(name).id]
    assert 200 == fake.as_user("ada").put(OPEN, json={"reviewer_ids": ids}).status
    assert 201 == fake.as_user(name).post(f"{OPEN}/approve").status


def test_a_reviewer_requests_changes(fakeplat: Fakeplat) -> None:
    """A request of a reviewer revokes the approval and stands in the way of the merge until it is withdrawn."""
    review(fakeplat, "mia")
    payload = send(fakeplat, "mia", REQUEST)
    assert ([], ["mia"]) == (payload["errors"], list_requesters(payload))
    assert [] == get_json(fakeplat, f"{OPEN}/approvals")["approved_by"]
    assert "requested_changes" == get_json(fakeplat, OPEN)["detailed_merge_status"]
    refused = fakeplat.as_user("ada").put(f"{OPEN}/merge")
    assert (405, {"message": "405 Method Not Allowed"}) == (refused.status, refused.json())

    withdrawn = send(fakeplat, "mia", DESTROY)
    assert ([], []) == (withdrawn["errors"], list_requesters(withdrawn))
    assert "mergeable" == get_json(fakeplat, OPEN)["detailed_merge_status"]
    assert "unreviewed" == get_json(fakeplat, f"{OPEN}/reviewers")[0]["state"]
    bodies = [note["body"] for note in get_json(fakeplat, f"{OPEN}/notes")]
    assert "requested changes" in bodies


def test_others_request_changes(fakeplat: Fakeplat) -> None:
    """The request of somebody else counts, too, though the answer says that they are no reviewer."""
    payload = send(fakeplat, "mia", REQUEST)
    assert (["Reviewer not found"], ["mia"]) == (payload["errors"], list_requesters(payload))
    assert "requested_changes" == get_json(fakeplat, OPEN)["detailed_merge_status"]
    projects = export_world(fakeplat.bench.platform)["projects"]
    exported = next(each for each in projects if each["path_with_namespace"] == "acme/site")["merge_requests"]
    assert [["mia"]] == [each["change_requesters"] for each in exported if "change_requesters" in each]
    assert 201 == fakeplat.as_user("mia").post(f"{OPEN}/approve").status
    assert "mergeable" == get_json(fakeplat, OPEN)["detailed_merge_status"]


def test_there_is_nothing_to_withdraw(fakeplat: Fakeplat) -> None:
    """Whoever has not asked for changes withdraws nothing."""
    payload = send(fakeplat, "dev", DESTROY)
    assert ["User has not requested changes for this merge request"] == payload["errors"]


@pytest.mark.parametrize("mutation", [REQUEST, DESTROY, BLOCK])
def test_who_may_not_update_it(fakeplat: Fakeplat, mutation: str) -> None:
    """Guests neither request changes nor set what blocks a merge request."""
    more: dict[str, Any] = {"blockingMergeRequestReferences": []} if mutation == BLOCK else {}
    refused = query_refused(fakeplat, "gus", mutation, input={**WHICH, **more})
    assert 1 == len(list_messages(refused))


@pytest.mark.fakeplat(tier="free")
def test_free_tiers(fakeplat: Fakeplat) -> None:
    """On the free tier a request for changes has no effect on merging, and nothing blocks merge requests."""
    assert ["Reviewer not found"] == send(fakeplat, "dev", REQUEST)["errors"]
    assert "mergeable" == get_json(fakeplat, OPEN)["detailed_merge_status"]
    assert ["Invalid license"] == send(fakeplat, "dev", DESTROY)["errors"]
    refused = query_refused(fakeplat, "dev", BLOCK, input={**WHICH, "blockingMergeRequestReferences": []})
    assert ["Blocking merge requests feature is not available"] == list_messages(refused)


def list_blockers(fake: Fakeplat) -> list[int]:
    """Return the numbers of the merge requests that must be merged first."""
    return [block["blocking_merge_request"]["iid"] for block in get_json(fake, f"{OPEN}/blocks")]


def test_blocking_merge_requests_are_replaced(fakeplat: Fakeplat) -> None:
    """The references take the place of what blocked the merge request before."""
    for sent, expected in ((["!2"], [2]), ([], []), (["acme/site!2"], [2]), (["!2"], [2])):
        payload = send(fakeplat, "dev", BLOCK, blockingMergeRequestReferences=sent)
        assert {"mergeRequest": {"iid": "1"}, "errors": []} == payload
        assert expected == list_blockers(fakeplat)


def test_references_that_cannot_block(fakeplat: Fakeplat) -> None:
    """Unknown references and the merge request itself are told, and the others are saved."""
    sent = ["!99", "nothing", "!1", "!2"]
    payload = send(fakeplat, "dev", BLOCK, blockingMergeRequestReferences=sent)
    assert [
        "Dependencies failed to save: !99, nothing",
        "Dependencies failed to save: This block is self-referential.",
    ] == payload["errors"]
    assert [2] == list_blockers(fakeplat)
