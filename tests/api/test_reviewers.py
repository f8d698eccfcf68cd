"""Reviewers of merge requests, since 13.8. Source: docs/platform/merge-requests.md ('Reviewers')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import REVIEWERS_APPROVE, REVIEWERS_AS_SENTENCES, REVIEWERS_IN_HOOKS
from tests.api.deliveries import receive
from tests.api.merge_requests import MRS, OPEN, commit, create_merge_request, get_json
from tests.api.requests import refusal
from tests.by_release import by_release

premium = pytest.mark.fakeplat(version="latest", tier="premium")
pytestmark = pytest.mark.fakeplat(version="latest")


def id_of(fake: Fakeplat, name: str) -> int:
    return int(fake.as_user(name).get("user").json()["id"])


def set_reviewers(fake: Fakeplat, *names: str, by: str = "mia", path: str = OPEN) -> Any:
    """Set the reviewers of a merge request."""
    answer = fake.as_user(by).put(path, json={"reviewer_ids": [id_of(fake, name) for name in names]})
    assert 200 == answer.status, answer.text
    return answer.json()


def names_of(users: list[dict[str, Any]]) -> list[str]:
    return [user["username"] for user in users]


def list_notes(fake: Fakeplat, path: str = OPEN) -> list[str]:
    """Return the system notes of a merge request, the newest first."""
    rows = get_json(fake, f"{path}/notes?per_page=100")
    return [row["body"] for row in rows if row["system"]]


@premium
def test_reviewers_are_set_and_removed(fakeplat: Fakeplat) -> None:
    """A change of reviewers shows in the merge request and writes a system note; 0 stands for nobody."""
    assert ["dev", "rep"] == names_of(set_reviewers(fakeplat, "dev", "rep")["reviewers"])
    assert ["dev"] == names_of(set_reviewers(fakeplat, "dev")["reviewers"])
    answer = fakeplat.as_user("mia").put(OPEN, json={"reviewer_ids": [0]})

    assert [] == answer.json()["reviewers"]
    assert [
        "removed review request for @dev",
        "removed review request for @rep",
        "requested review from @dev and @rep",
    ] == list_notes(fakeplat)[:3]


def test_the_free_tier_has_one_reviewer(fakeplat: Fakeplat) -> None:
    """Of several reviewers the free tier keeps the first."""
    assert ["rep"] == names_of(set_reviewers(fakeplat, "rep", "dev")["reviewers"])


@premium
def test_reviewers_without_access_are_left_out(fakeplat: Fakeplat) -> None:
    """Users who cannot see the merge request do not become reviewers; if nobody can, nothing changes."""
    set_reviewers(fakeplat, "dev")
    assert ["rep"] == names_of(set_reviewers(fakeplat, "eve", "rep")["reviewers"])
    assert ["rep"] == names_of(set_reviewers(fakeplat, "eve")["reviewers"])


def test_only_those_who_administer_choose_reviewers(fakeplat: Fakeplat) -> None:
    """The author of a merge request who is a reporter cannot choose its reviewers; the parameter is ignored."""
    answer = fakeplat.as_user("rep").put(OPEN, json={"reviewer_ids": [id_of(fakeplat, "dev")]})
    assert (403, {"message": "403 Forbidden"}) == (answer.status, answer.json())
    assert [] == get_json(fakeplat)["reviewers"]


def test_a_new_merge_request_has_reviewers(fakeplat: Fakeplat) -> None:
    """A merge request is created with reviewers, who get a to-do."""
    commit(fakeplat, "topic", start_branch="main")
    created = create_merge_request(fakeplat, "topic", target_branch="main", reviewer_ids=[id_of(fakeplat, "rep")])
    todos = fakeplat.as_user("rep").get("todos").json()

    assert ["rep"] == names_of(created["reviewers"])
    assert [("review_requested", created["id"])] == [(todo["action_name"], todo["target"]["id"]) for todo in todos]


@premium
def test_a_reviewer_has_a_state(fakeplat: Fakeplat) -> None:
    """An approval makes a reviewer `approved`, its revocation `unapproved`."""
    set_reviewers(fakeplat, "mia", "rep", by="ada")
    states = []
    for action in ("", "approve", "unapprove"):
        if action:
            assert 201 == fakeplat.as_user("mia").post(f"{OPEN}/{action}").status
        states.append([row["state"] for row in get_json(fakeplat, f"{OPEN}/reviewers")])
    (row, _) = get_json(fakeplat, f"{OPEN}/reviewers")

    assert [["unreviewed", "unreviewed"], ["approved", "unreviewed"], ["unapproved", "unreviewed"]] == states
    assert ({"user", "state", "created_at"}, "mia") == (set(row), row["user"]["username"])


@by_release(REVIEWERS_APPROVE, "expected", {"16.5": "reviewed", "18.5": "approved"})
def test_an_approval_was_a_review(fakeplat: Fakeplat, expected: str) -> None:
    """In earlier releases whoever approved has reviewed."""
    set_reviewers(fakeplat, "mia", by="ada")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")

    assert [expected] == [row["state"] for row in get_json(fakeplat, f"{OPEN}/reviewers")]


@premium
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("reviewer_username=dev", [1], id="name"),
        pytest.param("reviewer_id=None", ["others"], id="none"),
        pytest.param("reviewer_id=Any", [1], id="any"),
        pytest.param("reviewer_username=nobody", [], id="unknown"),
        pytest.param("not[reviewer_username]=dev", ["others"], id="not"),
    ],
)
def test_lists_are_filtered_by_reviewer(fakeplat: Fakeplat, query: str, expected: list[object]) -> None:
    """Lists show the merge requests of a reviewer, those without one, or those with any."""
    set_reviewers(fakeplat, "dev", "rep")
    others = {row["iid"] for row in get_json(fakeplat, f"{MRS}?per_page=100")} - {1}
    iids = {row["iid"] for row in get_json(fakeplat, f"{MRS}?per_page=100&{query}")}

    assert (others if expected == ["others"] else {*expected}) == iids


def test_a_reviewer_has_one_name_or_id(fakeplat: Fakeplat) -> None:
    """A list is filtered by the id or the name of a reviewer, not by both."""
    expected = (400, {"error": "reviewer_id, reviewer_username are mutually exclusive"})
    assert expected == refusal(fakeplat, "dev", "GET", f"{MRS}?reviewer_id=1&reviewer_username=dev")


def test_lists_are_filtered_by_who_merged(fakeplat: Fakeplat) -> None:
    """A list of a merge user has the merge requests that this user merged."""
    assert 200 == fakeplat.as_user("mia").put(f"{OPEN}/merge").status
    merged = get_json(fakeplat)
    iids = {
        name: [row["iid"] for row in get_json(fakeplat, f"{MRS}?merge_user_username={name}")] for name in ("mia", "dev")
    }

    assert {"mia": [1], "dev": []} == iids
    assert [1] == [row["iid"] for row in get_json(fakeplat, f"{MRS}?merge_user_id={id_of(fakeplat, 'mia')}")]
    assert merged["merged_by"] == merged["merge_user"]


def test_lists_are_filtered_by_approval_and_draft(fakeplat: Fakeplat) -> None:
    """`approved` selects what somebody approved, `draft` what is marked as a draft."""
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    fakeplat.as_user("mia").put(f"{MRS}/2", json={"title": "Draft: Two"})

    assert [1] == [row["iid"] for row in get_json(fakeplat, f"{MRS}?approved=yes")]
    assert 1 not in [row["iid"] for row in get_json(fakeplat, f"{MRS}?approved=no")]
    assert [2] == [row["iid"] for row in get_json(fakeplat, f"{MRS}?draft=true&state=opened")]
    expected = (400, {"error": "draft, wip are mutually exclusive"})
    assert expected == refusal(fakeplat, "dev", "GET", f"{MRS}?draft=true&wip=no")


@by_release(REVIEWERS_IN_HOOKS, "expected", {"15.3": False, "15.4": True})
def test_webhooks_told_of_no_reviewers(fakeplat: Fakeplat, expected: bool) -> None:
    """Events of earlier releases have no reviewers."""
    sent = receive(fakeplat)
    set_reviewers(fakeplat, "rep")

    assert expected is ("reviewers" in sent.payloads("merge_request_hooks")[-1])


def test_webhooks_tell_of_reviewers(fakeplat: Fakeplat) -> None:
    """The event of a change of reviewers has them, and those before."""
    sent = receive(fakeplat)
    set_reviewers(fakeplat, "rep")
    payload = sent.payloads("merge_request_hooks")[-1]

    assert ["rep"] == names_of(payload["reviewers"])
    assert [id_of(fakeplat, "rep")] == payload["object_attributes"]["reviewer_ids"]
    assert ([], ["rep"]) == tuple(names_of(users) for users in payload["changes"]["reviewers"].values())


CHANGED, ADDED = "Reviewer changed to", "was added as a reviewer."


@by_release(REVIEWERS_AS_SENTENCES, "expected", {"13.12": CHANGED, "18.0": ADDED})
def test_mails_tell_of_reviewers(fakeplat: Fakeplat, expected: str) -> None:
    """A change of reviewers is mailed to the new reviewer."""
    set_reviewers(fakeplat, "rep")
    (mail,) = [mail for mail in fakeplat.mails if mail.reason == "review_requested"]

    assert [expected] == [text for text in (CHANGED, ADDED) if text in mail.body]


def test_a_deleted_user_reviews_nothing(fakeplat: Fakeplat) -> None:
    """The deletion of a user removes them from the reviewers."""
    set_reviewers(fakeplat, "rep")
    assert 204 == fakeplat.as_user("root").delete(f"users/{id_of(fakeplat, 'rep')}").status
    fakeplat.settle()

    assert [] == get_json(fakeplat)["reviewers"]


def test_a_scenario_has_reviewers(fakeplat: Fakeplat) -> None:
    """Reviewers of a scenario, with their states, are exported as they were loaded."""
    reviewers = ["dev", {"user": "rep", "state": "reviewed", "created_at": "2020-11-19T09:00:00.000Z"}]
    fakeplat.load(
        {"projects": [{"path_with_namespace": "acme/site", "merge_requests": [{"iid": 1, "reviewers": reviewers}]}]}
    )
    rows = get_json(fakeplat, f"{OPEN}/reviewers")

    assert [("dev", "unreviewed"), ("rep", "reviewed")] == [(row["user"]["username"], row["state"]) for row in rows]


def test_a_review_takes_part(fakeplat: Fakeplat) -> None:
    """Reviewers are participants of a merge request."""
    set_reviewers(fakeplat, "rep")
    assert "rep" in names_of(get_json(fakeplat, f"{OPEN}/participants"))


@pytest.mark.fakeplat(version="13.5")
def test_there_were_no_reviewers(fakeplat: Fakeplat) -> None:
    """Release 13.5 neither has reviewers nor a filter by them."""
    answer = fakeplat.as_user("mia").put(OPEN, json={"reviewer_ids": [id_of(fakeplat, "dev")]})
    assert (400, "reviewers") == (answer.status, "reviewers" if "reviewers" not in get_json(fakeplat) else "")
    assert 404 == fakeplat.as_user("mia").get(f"{OPEN}/reviewers").status


def test_a_change_without_any_parameter(fakeplat: Fakeplat) -> None:
    """The refusal of an empty change names the parameters of the release."""
    answer = fakeplat.as_user("mia").put(OPEN, json={})
    names = (
        "assignee_id, assignee_ids, reviewer_ids, description, labels, add_labels, remove_labels, milestone_id, "
        "milestone, remove_source_branch, allow_collaboration, allow_maintainer_to_push, squash, target_branch, title, "
        "state_event, discussion_locked, merge_after"
    )
    assert (400, {"error": f"{names} are missing, at least one parameter must be provided"}) == (
        answer.status,
        answer.json(),
    )
