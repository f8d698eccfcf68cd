"""Draft notes of merge requests. Source: docs/platform/notes-discussions.md ('Draft notes')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DRAFTS_BECOME_THREADS, REVIEWS_ARE_TODOS, VERDICTS_ARE_PUBLISHED
from tests.api.deliveries import receive
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, refusal, resource_not_found
from tests.api.review_company import (
    MR,
    REVIEW_COMPANY,
    SITE,
    create_discussion,
    list_system_notes,
    position,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY, version="latest", default_branch="master")
DRAFTS = f"{MR}/draft_notes"
MISSING = (404, {"message": "404 Not found"})
NOWHERE = {
    "base_sha": None,
    "start_sha": None,
    "head_sha": None,
    "old_path": None,
    "new_path": None,
    "position_type": "text",
    "old_line": None,
    "new_line": None,
    "line_range": None,
}


def draft(fake: Fakeplat, note: str = "Hm", by: str = "rep", **more: Any) -> dict[str, Any]:
    """Write a draft note."""
    answer = fake.as_user(by).post(DRAFTS, json={"note": note, **more})
    assert 201 == answer.status, answer.text
    created: dict[str, Any] = answer.json()
    return created


def list_drafts(fake: Fakeplat, by: str = "rep") -> list[str]:
    return [row["note"] for row in fake.as_user(by).get(DRAFTS).json()]


def list_comments(fake: Fakeplat) -> list[dict[str, Any]]:
    """Return the comments of the merge request, oldest first."""
    rows = fake.as_user("dev").get(f"{MR}/notes?sort=asc&activity_filter=only_comments").json()
    return sorted((dict(row) for row in rows), key=lambda row: int(row["id"]))


def publish_all(fake: Fakeplat, by: str = "rep") -> None:
    assert 204 == fake.as_user(by).post(f"{DRAFTS}/bulk_publish").status


def set_reviewer(fake: Fakeplat, name: str = "rep") -> None:
    id_ = fake.as_user(name).get("user").json()["id"]
    assert 200 == fake.as_user("mia").put(MR, json={"reviewer_ids": [id_]}).status


def get_state(fake: Fakeplat) -> str:
    (row,) = fake.as_user("dev").get(f"{MR}/reviewers").json()
    return str(row["state"])


def test_a_draft_note(fakeplat: Fakeplat) -> None:
    """A draft has a text, its author and its merge request; without a position all its parts are null."""
    created = draft(fakeplat)
    merge_request = fakeplat.as_user("rep").get(MR).json()

    assert {
        "id": created["id"],
        "author_id": fakeplat.as_user("rep").get("user").json()["id"],
        "merge_request_id": merge_request["id"],
        "resolve_discussion": False,
        "discussion_id": None,
        "note": "Hm",
        "commit_id": None,
        "line_code": None,
        "position": NOWHERE,
    } == created
    assert created == fakeplat.as_user("rep").get(f"{DRAFTS}/{created['id']}").json()


def test_drafts_of_others_are_hidden(fakeplat: Fakeplat) -> None:
    """Users see, change, publish and delete only their own drafts."""
    path = f"{DRAFTS}/{draft(fakeplat)['id']}"
    assert ([], ["Hm"]) == (list_drafts(fakeplat, "mia"), list_drafts(fakeplat))
    for method, target in (("GET", path), ("DELETE", path), ("PUT", f"{path}/publish")):
        assert MISSING == refusal(fakeplat, "mia", method, target)
    assert MISSING == refusal(fakeplat, "mia", "PUT", path, json={"note": "x"})
    assert 0 == fakeplat.as_user("dev").get(MR).json()["user_notes_count"]


def test_unknown_drafts(fakeplat: Fakeplat) -> None:
    """An unknown draft is a 404."""
    for method, target in (("GET", "1"), ("DELETE", "1"), ("PUT", "1/publish")):
        assert MISSING == refusal(fakeplat, "rep", method, f"{DRAFTS}/{target}")


def test_who_may_write_drafts(fakeplat: Fakeplat) -> None:
    """Drafts need a login and access to the merge request."""
    body = {"note": "x"}
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", DRAFTS, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", DRAFTS, json=body)
    assert MISSING == refusal(fakeplat, "gus", "POST", DRAFTS, json=body)
    assert MISSING == refusal(fakeplat, "rep", "POST", f"{SITE}/merge_requests/99/draft_notes", json=body)


def test_locked_discussions_take_no_drafts(fakeplat: Fakeplat) -> None:
    """Whoever may not comment writes no draft: a locked discussion of a public project is for members only."""
    locked = "projects/acme%2Fdocs/merge_requests/1"
    fakeplat.as_user("mia").put(locked, json={"discussion_locked": True})
    expected = (403, FORBIDDEN[1])

    assert expected == refusal(fakeplat, "ext", "POST", f"{locked}/draft_notes", json={"note": "x"})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param({}, invalid("note is missing"), id="nothing"),
        pytest.param({"note": " "}, (400, {"message": {"note": ["can't be blank"]}}), id="blank"),
        pytest.param(
            {"note": "x", "commit_id": "bad SHA"}, (400, {"message": {"commit_id": ["is invalid"]}}), id="commit"
        ),
        pytest.param(
            {"note": "x", "resolve_discussion": True},
            (400, {"message": {"base": ["User is not allowed to resolve thread"]}}),
            id="resolves nothing",
        ),
        pytest.param(
            {"note": "x", "in_reply_to_discussion_id": "f" * 40},
            (400, {"message": {"base": ["Thread to reply to cannot be found"]}}),
            id="unknown thread",
        ),
        pytest.param(
            {"note": "x", "position": {"base_sha": "a"}},
            invalid(
                "position[start_sha] is missing, position[head_sha] is missing, position[position_type] is missing"
            ),
            id="incomplete position",
        ),
    ],
)
def test_invalid_drafts(fakeplat: Fakeplat, body: dict[str, Any], expected: object) -> None:
    """An invalid draft is refused with 400."""
    assert expected == refusal(fakeplat, "rep", "POST", DRAFTS, json=body)


def test_a_line_that_is_no_number(fakeplat: Fakeplat) -> None:
    """A line has a number."""
    position_with_text = {**position(fakeplat), "new_line": "c1acaa58"}
    expected = invalid("position[new_line] is invalid")
    assert expected == refusal(fakeplat, "rep", "POST", DRAFTS, json={"note": "x", "position": position_with_text})


def test_a_draft_on_a_line(fakeplat: Fakeplat) -> None:
    """A draft on a line becomes a comment on it."""
    place = position(fakeplat)
    created = draft(fakeplat, position=place)
    publish_all(fakeplat)
    (note,) = list_comments(fakeplat)

    assert created["line_code"] is not None
    assert place == {name: created["position"][name] for name in place}
    assert ("DiffNote", created["position"]) == (note["type"], note["position"])


def test_a_draft_on_a_file(fakeplat: Fakeplat) -> None:
    """A draft may be about a whole file."""
    place = {**position(fakeplat), "position_type": "file"}
    del place["new_line"]
    created = draft(fakeplat, position=place)
    publish_all(fakeplat)
    (note,) = list_comments(fakeplat)

    assert ("file", None) == (created["position"]["position_type"], created["line_code"])
    assert ("DiffNote", "file") == (note["type"], note["position"]["position_type"])


def test_updating_a_draft(fakeplat: Fakeplat) -> None:
    """An update replaces the text and the position; without a text it is refused, even of an unknown draft."""
    created = draft(fakeplat, position=position(fakeplat))
    path = f"{DRAFTS}/{created['id']}"
    refused = [refusal(fakeplat, "rep", "PUT", target, json={}) for target in (path, f"{DRAFTS}/1")]
    changed = fakeplat.as_user("rep").put(path, json={"note": "Better"})

    assert [(400, {"message": "400 Bad request - Missing params to modify"})] * 2 == refused
    assert invalid("note is empty") == refusal(fakeplat, "rep", "PUT", path, json={"note": ""})
    assert ("Better", NOWHERE, None) == tuple(changed.json()[name] for name in ("note", "position", "line_code"))


def test_deleting_a_draft(fakeplat: Fakeplat) -> None:
    """A deleted draft is gone, and never was a comment."""
    path = f"{DRAFTS}/{draft(fakeplat)['id']}"
    assert 204 == fakeplat.as_user("rep").delete(path).status
    assert ([], []) == (list_drafts(fakeplat), list_comments(fakeplat))


def test_publishing_one_draft(fakeplat: Fakeplat) -> None:
    """A published draft is a comment like any other: with a mail, an event and a delivery."""
    sent = receive(fakeplat)
    one, _ = draft(fakeplat, "One"), draft(fakeplat, "Two")
    fakeplat.mails.clear()
    answer = fakeplat.as_user("rep").put(f"{DRAFTS}/{one['id']}/publish")
    (note,) = list_comments(fakeplat)
    (payload,) = sent.payloads("note_hooks")

    assert (204, "One", "rep") == (answer.status, note["body"], note["author"]["username"])
    assert "One" == payload["object_attributes"]["note"]
    assert ["Two"] == list_drafts(fakeplat)
    assert all("started a new discussion" in mail.body for mail in fakeplat.mails)
    assert "commented on" in [row["action_name"] for row in fakeplat.as_user("rep").get("events").json()]


@by_release(DRAFTS_BECOME_THREADS, "expected", {"16.11": None, "18.9": "DiscussionNote"})
def test_drafts_become_threads(fakeplat: Fakeplat, expected: str | None) -> None:
    """In later releases a published draft can be resolved like a thread."""
    draft(fakeplat)
    publish_all(fakeplat)
    (note,) = list_comments(fakeplat)

    assert (expected, expected is not None) == (note["type"], note["resolvable"])


def test_a_review_is_one_mail(fakeplat: Fakeplat) -> None:
    """All drafts are published together: each is a comment with a delivery, and everybody gets one mail."""
    sent = receive(fakeplat)
    draft(fakeplat, "One"), draft(fakeplat, "Two for @mia", position=position(fakeplat))
    draft(fakeplat, "Mine", by="mia")
    fakeplat.mails.clear()
    publish_all(fakeplat)
    received = {mail.to for mail in fakeplat.mails}

    assert ["One", "Two for @mia"] == [note["body"] for note in list_comments(fakeplat)]
    assert ["One", "Two for @mia"] == [each["object_attributes"]["note"] for each in sent.payloads("note_hooks")]
    assert ([], ["Mine"]) == (list_drafts(fakeplat), list_drafts(fakeplat, "mia"))
    assert len(received) == len(fakeplat.mails)
    assert {"dev@example.test", "mia@example.test"} <= received
    assert all("was reviewed by" in mail.body for mail in fakeplat.mails)
    assert all("One" in mail.body and "Two for @mia" in mail.body for mail in fakeplat.mails)


def test_an_empty_review(fakeplat: Fakeplat) -> None:
    """Publishing without drafts does nothing."""
    set_reviewer(fakeplat)
    fakeplat.mails.clear()
    publish_all(fakeplat)

    assert ([], "unreviewed", 0) == (list_comments(fakeplat), get_state(fakeplat), len(fakeplat.mails))


def test_a_review_has_states(fakeplat: Fakeplat) -> None:
    """The first draft of a reviewer starts the review, and publishing it ends the review."""
    set_reviewer(fakeplat)
    states = [get_state(fakeplat)]
    draft(fakeplat)
    states.append(get_state(fakeplat))
    publish_all(fakeplat)

    assert ["unreviewed", "review_started", "reviewed"] == [*states, get_state(fakeplat)]


def test_a_review_finishes_todos(fakeplat: Fakeplat) -> None:
    """A published review finishes the reviewer's to-do."""
    set_reviewer(fakeplat)
    before = [row["action_name"] for row in fakeplat.as_user("rep").get("todos").json()]
    draft(fakeplat)
    publish_all(fakeplat)

    assert (["review_requested"], []) == (before, fakeplat.as_user("rep").get("todos").json())


@by_release(REVIEWS_ARE_TODOS, "expected", {"16.2": [], "18.0": ["review_submitted"]})
def test_the_author_gets_a_todo(request: pytest.FixtureRequest, fakeplat: Fakeplat, expected: list[str]) -> None:
    """A review gives the author of the merge request a to-do."""
    if not expected:
        # Operations of draft notes are known from 16.11 on; the quick action is older.
        fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "merge_requests": [with_draft()]}]})
        fakeplat.as_user("rep").post(f"{MR}/notes", json={"body": "/submit_review"})
    else:
        draft(fakeplat)
        publish_all(fakeplat)

    assert expected == [row["action_name"] for row in fakeplat.as_user("dev").get("todos").json()]


def with_draft() -> dict[str, Any]:
    return {"iid": 1, "draft_notes": [{"author": "rep", "note": "Hm"}]}


def test_a_quick_action_submits_the_review(fakeplat: Fakeplat) -> None:
    """`/submit_review` publishes all drafts of its author."""
    draft(fakeplat)
    answer = fakeplat.as_user("rep").post(f"{MR}/notes", json={"body": "/submit_review"})

    assert (202, ["Submitted the current review."]) == (answer.status, answer.json()["summary"])
    assert (["Hm"], []) == ([note["body"] for note in list_comments(fakeplat)], list_drafts(fakeplat))


def test_an_approval_publishes_the_review(fakeplat: Fakeplat) -> None:
    """An approval may publish the drafts of the approver."""
    draft(fakeplat, by="mia")
    assert 201 == fakeplat.as_user("mia").post(f"{MR}/approve", json={"publish_review": True}).status
    assert (["Hm"], []) == ([note["body"] for note in list_comments(fakeplat)], list_drafts(fakeplat, "mia"))


def test_a_reply_resolves_its_thread(fakeplat: Fakeplat) -> None:
    """A draft that resolves a thread does so when it is published; another one reopens the thread."""
    thread = create_discussion(fakeplat, by="mia")
    draft(fakeplat, "Done", by="dev", in_reply_to_discussion_id=thread["id"], resolve_discussion=True)
    publish_all(fakeplat, "dev")
    notes = [fakeplat.as_user("dev").get(f"{MR}/discussions/{thread['id']}").json()["notes"]]
    draft(fakeplat, "Really?", by="mia", in_reply_to_discussion_id=thread["id"])
    publish_all(fakeplat, "mia")
    notes.append(fakeplat.as_user("dev").get(f"{MR}/discussions/{thread['id']}").json()["notes"])

    assert [["Why?", "Done"], ["Why?", "Done", "Really?"]] == [[note["body"] for note in each] for each in notes]
    assert [[True, True], [False, False, False]] == [[note["resolved"] for note in each] for each in notes]
    assert "resolved all threads" in list_system_notes(fakeplat)


def test_one_draft_for_each_thread(fakeplat: Fakeplat) -> None:
    """A user has one draft in reply to a thread."""
    thread = create_discussion(fakeplat, by="mia")["id"]
    draft(fakeplat, in_reply_to_discussion_id=thread)
    body = {"note": "x", "in_reply_to_discussion_id": thread}

    assert (400, {"message": {"author_id": ["has already been taken"]}}) == refusal(
        fakeplat, "rep", "POST", DRAFTS, json=body
    )


def test_a_draft_names_a_commit(fakeplat: Fakeplat) -> None:
    """A draft may be about a commit; `undefined` stands for none."""
    sha = fakeplat.as_user("rep").get(MR).json()["sha"]
    assert (sha, None) == (
        draft(fakeplat, commit_id=sha)["commit_id"],
        draft(fakeplat, commit_id="undefined")["commit_id"],
    )


def test_drafts_end_with_their_author(fakeplat: Fakeplat) -> None:
    """The drafts of a deleted user disappear."""
    draft(fakeplat)
    user = fakeplat.as_user("rep").get("user").json()["id"]
    fakeplat.as_user("root").delete(f"users/{user}")
    fakeplat.settle()

    assert [] == list(fakeplat.bench.platform.view.draft_notes.all())


@pytest.mark.parametrize("state", ["requested_changes", "reviewed"])
def test_a_review_is_concluded(fakeplat: Fakeplat, state: str) -> None:
    """A review that is published may have a summary, which is a comment of its own, and the verdict of a reviewer."""
    set_reviewer(fakeplat)
    draft(fakeplat)
    body = {"reviewer_state": state, "note": "In sum"}
    assert 204 == fakeplat.as_user("rep").post(f"{DRAFTS}/bulk_publish", json=body).status

    (reviewer,) = fakeplat.as_user("rep").get(f"{MR}/reviewers").json()
    assert (state, "In sum") == (reviewer["state"], list_comments(fakeplat)[-1]["body"])
    assert [] == list_drafts(fakeplat)


@by_release(VERDICTS_ARE_PUBLISHED, "expected", {"19.2": 204, "19.3": 400})
def test_verdicts_are_checked(fakeplat: Fakeplat, expected: int) -> None:
    """Releases that know no verdicts ignore what is sent as one."""
    draft(fakeplat)
    assert expected == fakeplat.as_user("rep").post(f"{DRAFTS}/bulk_publish", json={"reviewer_state": "fine"}).status


def test_only_reviewers_have_a_verdict(fakeplat: Fakeplat) -> None:
    """The verdict of somebody else is ignored; an approval is no verdict of a review."""
    draft(fakeplat)
    path = f"{DRAFTS}/bulk_publish"
    assert 204 == fakeplat.as_user("rep").post(path, json={"reviewer_state": "requested_changes"}).status
    assert [] == fakeplat.as_user("rep").get(f"{MR}/reviewers").json()
    expected = invalid("reviewer_state does not have a valid value")
    assert expected == refusal(fakeplat, "rep", "POST", path, json={"reviewer_state": "approved"})


def test_the_summary_of_a_review_is_internal_on_demand(fakeplat: Fakeplat) -> None:
    """A summary is internal if the reviewer says so, and needs a text of its own."""
    path = f"{DRAFTS}/bulk_publish"
    assert 204 == fakeplat.as_user("rep").post(path, json={"note": "Psst", "internal": True}).status
    assert ("Psst", True) == tuple(list_comments(fakeplat)[-1][name] for name in ("body", "internal"))
    assert (422, {"message": ""}) == refusal(fakeplat, "rep", "POST", path, json={"note": "/todo"})
