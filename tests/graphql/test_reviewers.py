"""Reviewers of merge requests in GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN, get_json
from tests.api.test_reviewers import id_of, set_reviewers

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
PLACE = 'projectPath: "acme/site", iid: "1"'
FIELDS = """reviewers { nodes { id username webUrl state
    mergeRequestInteraction { canMerge canUpdate approved reviewed reviewState } } }
    detailedMergeStatus mergeable mergeUser { username } preparedAt mergeAfter squash squashOnMerge draft"""


def ask(fake: Fakeplat, query: str, by: str = "mia") -> Any:
    answer = fake.as_user(by).post("/api/graphql", json={"query": query})
    assert 200 == answer.status, answer.text
    return answer.json()


def read(fake: Fakeplat) -> Any:
    answer = ask(fake, f'{{ project(fullPath: "acme/site") {{ mergeRequest(iid: "1") {{ {FIELDS} }} }} }}')
    assert "errors" not in answer, answer
    return answer["data"]["project"]["mergeRequest"]


def change(fake: Fakeplat, name: str, more: str, by: str = "mia") -> Any:
    """Run a mutation of the first merge request; return its payload."""
    answer = ask(
        fake,
        f"mutation {{ {name}(input: {{ {PLACE}, {more} }}) "
        "{ errors mergeRequest { state reviewers { nodes { username } } } } }",
        by,
    )
    assert "errors" not in answer, answer
    return answer["data"][name]


def names_in(payload: Any) -> list[str]:
    return [node["username"] for node in payload["mergeRequest"]["reviewers"]["nodes"]]


def test_reviewers_and_their_states(fakeplat: Fakeplat) -> None:
    """A reviewer tells how far they are and what they may do."""
    set_reviewers(fakeplat, "mia", "rep", by="ada")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    row = read(fakeplat)
    first, second = row.pop("reviewers")["nodes"]

    assert (f"gid://gitlab/User/{id_of(fakeplat, 'mia')}", "mia") == (first["id"], first["username"])
    assert {
        "canMerge": True,
        "canUpdate": True,
        "approved": True,
        "reviewed": True,
        "reviewState": "APPROVED",
    } == first["mergeRequestInteraction"]
    assert {
        "canMerge": False,
        "canUpdate": False,
        "approved": False,
        "reviewed": False,
        "reviewState": "UNREVIEWED",
    } == second["mergeRequestInteraction"]


def test_fields_of_later_releases(fakeplat: Fakeplat) -> None:
    """The fields are those of REST, under their GraphQL names."""
    rest, row = get_json(fakeplat), read(fakeplat)

    assert (rest["detailed_merge_status"].upper(), True, None, rest["prepared_at"]) == (
        row["detailedMergeStatus"],
        row["mergeable"],
        row["mergeUser"],
        row["preparedAt"].replace("Z", ".000Z") if "." not in row["preparedAt"] else row["preparedAt"],
    )
    assert (False, False, False, None) == (row["squash"], row["squashOnMerge"], row["draft"], row["mergeAfter"])


def test_setting_reviewers(fakeplat: Fakeplat) -> None:
    """Reviewers are replaced, added and removed."""
    found = [
        names_in(change(fakeplat, "mergeRequestSetReviewers", f'reviewerUsernames: ["{name}"], operationMode: {mode}'))
        for name, mode in (("dev", "REPLACE"), ("rep", "APPEND"), ("dev", "REMOVE"))
    ]

    assert [["dev"], ["dev", "rep"], ["rep"]] == found


def test_asking_again(fakeplat: Fakeplat) -> None:
    """A reviewer is asked again; nobody else can be."""
    set_reviewers(fakeplat, "mia", by="ada")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    users = [f'userId: "gid://gitlab/User/{id_of(fakeplat, name)}"' for name in ("mia", "rep")]
    payloads = [change(fakeplat, "mergeRequestReviewerRereview", user, "ada") for user in users]

    assert [[], ["Reviewer not found"]] == [payload["errors"] for payload in payloads]
    assert ["unreviewed"] == [row["state"] for row in get_json(fakeplat, f"{OPEN}/reviewers")]


def test_accepting(fakeplat: Fakeplat) -> None:
    """A merge names the head; another one, or a merge request that cannot be merged, is an error."""
    sha = get_json(fakeplat)["sha"]
    wrong = change(fakeplat, "mergeRequestAccept", f'sha: "{"0" * 40}"')
    fakeplat.as_user("mia").put(OPEN, json={"title": "Draft: x"})
    draft = change(fakeplat, "mergeRequestAccept", f'sha: "{sha}"')
    fakeplat.as_user("mia").put(OPEN, json={"title": "x"})
    merged = change(fakeplat, "mergeRequestAccept", f'sha: "{sha}"')

    assert [["The merge-head is not at the anticipated SHA"], ["This branch cannot be merged"], []] == [
        payload["errors"] for payload in (wrong, draft, merged)
    ]
    assert "merged" == merged["mergeRequest"]["state"]


def test_lists_by_reviewer(fakeplat: Fakeplat) -> None:
    """Lists are filtered by reviewer and by draft."""
    set_reviewers(fakeplat, "rep", by="ada")
    query = """{ project(fullPath: "acme/site") {
        mine: mergeRequests(reviewerUsername: "rep") { nodes { iid } }
        drafts: mergeRequests(draft: true) { nodes { iid } } }
        user(username: "rep") { reviewRequestedMergeRequests { nodes { iid } } } }"""
    answer = ask(fakeplat, query)
    assert "errors" not in answer, answer
    lists = (
        answer["data"]["project"]["mine"],
        answer["data"]["project"]["drafts"],
        answer["data"]["user"]["reviewRequestedMergeRequests"],
    )

    assert [["1"], [], ["1"]] == [[node["iid"] for node in each["nodes"]] for each in lists]


def test_todos_of_reviewers(fakeplat: Fakeplat) -> None:
    """A request for a review is a to-do with an action of its own."""
    set_reviewers(fakeplat, "rep", by="ada")
    answer = ask(fakeplat, "{ currentUser { todos { nodes { action } } } }", "rep")

    assert ["review_requested"] == [node["action"] for node in answer["data"]["currentUser"]["todos"]["nodes"]]
