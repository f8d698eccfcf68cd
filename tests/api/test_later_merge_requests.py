"""What merge requests and notes have in later releases. Source: docs/platform/merge-requests.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, OPEN, SITE, get_json
from tests.api.requests import FORBIDDEN, invalid, names, person, refusal
from tests.api.review_company import MR, REVIEW_COMPANY, position

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium", clock="virtual")


def test_merge_requests_to_review(fakeplat: Fakeplat) -> None:
    """A scope selects the merge requests that the caller is to review."""
    fakeplat.as_user("dev").put(OPEN, json={"reviewer_ids": [person(fakeplat, "mia")]})

    for path in ("merge_requests", MRS, "groups/acme/merge_requests"):
        assert [1] == names(fakeplat.as_user("mia").get(f"{path}?scope=reviews_for_me").json(), "iid")
        assert [] == fakeplat.as_user("rep").get(f"{path}?scope=reviews_for_me").json()
    wrong = invalid("scope does not have a valid value")
    assert wrong == refusal(fakeplat, "mia", "GET", "issues?scope=reviews_for_me")


def test_a_pipeline_in_the_background(fakeplat: Fakeplat) -> None:
    """A pipeline for a merge request is created in the background on demand, and without an answer if there is none."""
    answer = fakeplat.as_user("dev").post(f"{OPEN}/pipelines", json={"async": True})

    assert (202, 202) == (answer.status, answer.json())
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/pipelines", json={"async": True})


def test_notes_name_their_project(fakeplat: Fakeplat) -> None:
    """A note names its project; what it says of the head commit is accepted."""
    body = {"body": "Text", "merge_request_diff_head_sha": "0" * 40}
    note = fakeplat.as_user("rep").post(f"{OPEN}/notes", json=body).json()

    assert fakeplat.as_user("rep").get(SITE).json()["id"] == note["project_id"]


@pytest.mark.fakeplat(scenario=REVIEW_COMPANY)
def test_suggestions_are_applied_with_a_message(fakeplat: Fakeplat) -> None:
    """A suggestion is applied with another message on demand."""
    body = {"body": "```suggestion\nTEN\n```", "position": position(fakeplat)}
    assert 201 == fakeplat.as_user("mia").post(f"{MR}/discussions", json=body).status
    (suggestion,) = fakeplat.bench.platform.view.suggestions.all()
    path = f"suggestions/{suggestion.id}/apply"
    applied = fakeplat.as_user("dev").put(path, json={"commit_message": "Use %{files_count} file"})
    newest = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/commits?ref_name=feature").json()[0]

    assert (200, True, "Use 1 file") == (applied.status, applied.json()["applied"], newest["message"])


def test_notes_of_epics_are_confidential(fakeplat: Fakeplat) -> None:
    """Notes of epics are confidential on demand, and then hidden from those who are not members."""
    epic = fakeplat.as_user("ada").post("groups/acme/epics", json={"title": "E"}).json()
    path = f"groups/acme/epics/{epic['id']}/notes"
    note: Any = fakeplat.as_user("ada").post(path, json={"body": "Secret", "confidential": True}).json()

    assert (True, True, None) == (note["confidential"], note["internal"], note["project_id"])
    assert [note["id"]] == names(get_json(fakeplat, path, by="rep"), "id")
    assert [] == get_json(fakeplat, path, by="gus")
