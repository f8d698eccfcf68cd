"""Merge requests that block others. Source: docs/platform/merge-requests.md ('Blocks')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import BLOCKS_ARE_NOTED, LONG_STATUS_NAMES
from tests.api.merge_requests import MRS, OPEN, commit, create_merge_request, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, refusal, resource_not_found
from tests.api.test_reviewers import list_notes
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
BLOCKS = f"{OPEN}/blocks"
OTHER = f"{MRS}/2"
MISSING = (404, {"message": "404 Not found"})


def id_of(fake: Fakeplat, path: str) -> int:
    return int(get_json(fake, path)["id"])


def block(fake: Fakeplat, by: str = "mia", path: str = OTHER) -> Any:
    """Let the first merge request wait for another one."""
    answer = fake.as_user(by).post(BLOCKS, json={"blocking_merge_request_id": id_of(fake, path)})
    assert 201 == answer.status, answer.text
    return answer.json()


def test_a_block(fakeplat: Fakeplat) -> None:
    """A block names both merge requests and is listed by both of them."""
    created = block(fakeplat)
    one, two = get_json(fakeplat), get_json(fakeplat, OTHER)

    assert {"id", "blocking_merge_request", "blocked_merge_request", "project_id"} == set(created)
    assert (two["id"], one["id"], one["project_id"]) == (
        created["blocking_merge_request"]["id"],
        created["blocked_merge_request"]["id"],
        created["project_id"],
    )
    lists = [get_json(fakeplat, path) for path in (BLOCKS, f"{OTHER}/blockees", f"{OTHER}/blocks", f"{OPEN}/blockees")]
    assert [[created["id"]], [created["id"]], [], []] == [[row["id"] for row in rows] for rows in lists]
    assert created["id"] == get_json(fakeplat, f"{BLOCKS}/{created['id']}")["id"]


@by_release(BLOCKS_ARE_NOTED, "expected", {"18.9": False, "19.3": True})
def test_a_block_writes_notes(fakeplat: Fakeplat, expected: bool) -> None:
    """In the newest release both merge requests get a system note."""
    block(fakeplat)
    texts = (list_notes(fakeplat), list_notes(fakeplat, OTHER))

    assert expected is ("marked this merge request as blocked by !2" in texts[0])
    assert expected is ("marked this merge request as blocking !1" in texts[1])


@by_release(LONG_STATUS_NAMES, "expected", {"16.0": "blocked_status", "17.11": "merge_request_blocked"})
def test_the_status_of_a_blocked_one(fakeplat: Fakeplat, expected: str) -> None:
    """A blocked merge request says so."""
    site = {"path_with_namespace": "acme/site", "merge_requests": [{"iid": 1, "blocked_by": ["acme/site!2"]}]}
    fakeplat.load({"projects": [site]})

    assert expected == get_json(fakeplat)["detailed_merge_status"]


def test_a_blocked_one_is_not_merged(fakeplat: Fakeplat) -> None:
    """A blocked merge request is not merged until its block is removed."""
    created = block(fakeplat)
    assert (405, {"message": "405 Method Not Allowed"}) == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge")
    assert 204 == fakeplat.as_user("mia").delete(f"{BLOCKS}/{created['id']}").status
    assert 200 == fakeplat.as_user("mia").put(f"{OPEN}/merge").status


def test_a_blocked_one_is_merged_after_the_other(fakeplat: Fakeplat) -> None:
    """What is set to be merged is merged together with the last one that blocked it."""
    commit(fakeplat, "free", start_branch="main")
    commit(fakeplat, "topic", "topic.txt", start_branch="free")
    other = f"{MRS}/{create_merge_request(fakeplat, 'topic', target_branch='free')['iid']}"
    block(fakeplat, path=other)
    assert 200 == fakeplat.as_user("mia").put(f"{OPEN}/merge", json={"auto_merge": True}).status
    before = get_json(fakeplat)["state"]
    assert 200 == fakeplat.as_user("mia").put(f"{other}/merge").status

    assert ("opened", "merged") == (before, get_json(fakeplat)["state"])


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        pytest.param(None, UNAUTHORIZED, id="nobody"),
        pytest.param("eve", resource_not_found("Project"), id="stranger"),
        pytest.param("gus", MISSING, id="guest"),
        pytest.param("rep", (403, {"message": "Lacking permissions to update the merge request"}), id="reporter"),
    ],
)
def test_who_may_block(fakeplat: Fakeplat, by: str | None, expected: object) -> None:
    """A block needs the right to update the merge request."""
    body = {"blocking_merge_request_id": id_of(fakeplat, OTHER)}
    assert expected == refusal(fakeplat, by, "POST", BLOCKS, json=body)


def test_invalid_blocks(fakeplat: Fakeplat) -> None:
    """A block exists once, not of a merge request itself, and not of one that is unknown."""
    block(fakeplat)
    ids = [id_of(fakeplat, OTHER), id_of(fakeplat, OPEN), 1]
    refusals = [refusal(fakeplat, "mia", "POST", BLOCKS, json={"blocking_merge_request_id": id_}) for id_ in ids]

    assert [
        (409, {"message": "Block already exists"}),
        (400, {"message": "This block is self-referential"}),
        (404, {"message": "Blocking merge request not found"}),
    ] == refusals


def test_hidden_blocks(fakeplat: Fakeplat) -> None:
    """A merge request that the caller cannot see blocks nothing for them, and is left out of rows."""
    secret = {
        "path_with_namespace": "ada/secret",
        "visibility": "private",
        "merge_requests": [
            {"title": "S", "iid": 1, "source_branch": "x", "target_branch": "y", "author": "ada", "state": "closed"}
        ],
    }
    fakeplat.load({"projects": [secret]})
    hidden = id_of(fakeplat, "projects/ada%2Fsecret/merge_requests/1")
    expected = (403, {"message": "Lacking permissions to the blocking merge request"})
    assert expected == refusal(fakeplat, "mia", "POST", BLOCKS, json={"blocking_merge_request_id": hidden})
    assert 201 == fakeplat.as_user("root").post(BLOCKS, json={"blocking_merge_request_id": hidden}).status
    (row,) = get_json(fakeplat, BLOCKS, by="mia")

    assert {"id", "blocked_merge_request", "project_id"} == set(row)


def test_removing_blocks(fakeplat: Fakeplat) -> None:
    """Removing a block needs the right to update the merge request, and its own id."""
    created = block(fakeplat)
    for by in ("gus", "rep"):
        assert FORBIDDEN == refusal(fakeplat, by, "DELETE", f"{BLOCKS}/{created['id']}")
    assert MISSING == refusal(fakeplat, "mia", "DELETE", f"{BLOCKS}/1")
    assert MISSING == refusal(fakeplat, "mia", "GET", f"{BLOCKS}/1")
    assert MISSING == refusal(fakeplat, "mia", "DELETE", f"{OTHER}/blocks/{created['id']}")
