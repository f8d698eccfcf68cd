"""Feedback from review apps. Source: ee/spec/requests/api/visual_review_discussions_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.requests import Outcome, invalid, outcome

COMMITS = [
    {"message": "First", "files": {"a.txt": "a\n"}},
    {"message": "Work", "branch": "work", "files": {"b.txt": "b\n"}},
]
SCENARIO: dict[str, Any] = {
    "instance": {"tier": "premium"},
    "features": [{"name": "anonymous_visual_review_feedback", "enabled": True}],
    "users": [{"username": "ada", "email": "ada@example.test"}, {"username": "ben"}],
    "groups": [
        {
            "full_path": "acme",
            "visibility": "public",
            "members": {"ada": "developer"},
            "projects": [
                {
                    "path": name,
                    "visibility": visibility,
                    "repository": {"commits": COMMITS},
                    "merge_requests": [{"title": "Work", "source_branch": "work", "target_branch": "master"}],
                }
                for name, visibility in (("open", "public"), ("hidden", "private"))
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
BODY = {"body": "hi!"}


def send(fake: Fakeplat, by: str | None, project: str = "open", body: Any = None, iid: str = "1") -> Reply:
    path = f"projects/acme%2F{project}/merge_requests/{iid}/visual_review_discussions"
    return fake.as_user(by).post(path, json=BODY if body is None else body)


def read_first(reply: Reply) -> tuple[int, str, str]:
    """Return the status, and the author and the text of the first note."""
    note = reply.json()["notes"][0]
    return reply.status, note["author"]["username"], note["body"]


@pytest.mark.parametrize("project", ["open", "hidden"])
def test_feedback_names_its_sender(fakeplat: Fakeplat, project: str) -> None:
    """A bot writes what a caller sends, with the caller's name and address before it."""
    text = "**Feedback from @ada (ada@example.test)**\n\nhi!"
    assert (201, "visual-review-bot", text) == read_first(send(fakeplat, "ada", project))


def test_feedback_needs_no_authentication(fakeplat: Fakeplat) -> None:
    """Anybody may comment on merge requests of public projects; those of others are not found."""
    discussion = send(fakeplat, None)
    note = discussion.json()["notes"][0]

    assert (201, "visual-review-bot", "hi!") == read_first(discussion)
    assert ("MergeRequest", 1, False) == (
        note["noteable_type"],
        note["noteable_iid"],
        discussion.json()["individual_note"],
    )
    for by in (None, "ben"):
        assert (404, {"message": "404 Project Not Found"}) == outcome(send(fakeplat, by, "hidden"))
    notes = fakeplat.as_user("ada").get("projects/acme%2Fhidden/merge_requests/1/notes").json()
    assert [] == [note for note in notes if not note["system"]]


def test_feedback_on_a_line(fakeplat: Fakeplat) -> None:
    """A position in the diff starts a thread on its line."""
    refs = fakeplat.as_user("ada").get("projects/acme%2Fopen/merge_requests/1").json()["diff_refs"]
    position = {**refs, "position_type": "text", "new_path": "b.txt", "new_line": 1}
    note = send(fakeplat, None, body={**BODY, "position": position}).json()["notes"][0]
    assert ("DiffNote", 1) == (note["type"], note["position"]["new_line"])


@pytest.mark.parametrize(
    ("body", "iid", "expected"),
    [
        ({}, "1", invalid("body is missing")),
        ({"body": " "}, "1", (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})),
        (BODY, "546574823564", (404, {"message": "404 MergeRequest Not Found"})),
        (BODY, "x", (404, {"message": "404 MergeRequest Not Found"})),
    ],
)
def test_feedback_that_is_refused(fakeplat: Fakeplat, body: Any, iid: str, expected: Outcome) -> None:
    """Feedback needs a text and a merge request."""
    assert expected == outcome(send(fakeplat, "ada", body=body, iid=iid))


@pytest.mark.parametrize("by", ["ada", None])
def test_feedback_is_disabled_by_default(fakeplat: Fakeplat, by: str | None) -> None:
    """While the feature is off, nobody sends feedback."""
    fakeplat.as_user("root").delete("features/anonymous_visual_review_feedback")
    assert (403, {"message": "403 Forbidden - Anonymous visual review feedback is disabled"}) == outcome(
        send(fakeplat, by)
    )
