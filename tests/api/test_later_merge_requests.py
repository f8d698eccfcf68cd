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


@pytest.mark.parametrize("query", ["scope=all", "scope=all&approved_by_usernames=None"])
def test_words_stand_for_those_who_approve(fakeplat: Fakeplat, query: str) -> None:
    """Names of who approves are a list, or one of the words for anybody and nobody."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{OPEN}/approve")

    assert ("None" not in query) == (1 in names(mia.get(f"{MRS}?{query}").json(), "iid"))
    assert [1] == names(mia.get(f"{MRS}?approved_by_usernames=Any").json(), "iid")
    assert [1] == names(mia.get(f"{MRS}?approved_by_usernames[]=mia").json(), "iid")
    wrong = invalid("approved_by_usernames should be an array, 'None' or 'Any'")
    assert wrong == refusal(fakeplat, "mia", "GET", f"{MRS}?approved_by_usernames=mia")


def test_a_milestone_is_chosen_by_its_title(fakeplat: Fakeplat) -> None:
    """Merge requests take the title of a milestone of the project or of a group above it instead of its id."""
    dev = fakeplat.as_user("dev")
    chosen = [dev.put(OPEN, json={"milestone": title}).json()["milestone"]["title"] for title in ("Winter", "v1.1")]
    assert ["Winter", "v1.1"] == chosen
    assert "v1.1" == dev.put(OPEN, json={"milestone": "unknown"}).json()["milestone"]["title"]

    both = {"milestone": "v1.1", "milestone_id": 1}
    assert invalid("milestone_id, milestone are mutually exclusive") == refusal(fakeplat, "dev", "PUT", OPEN, json=both)
    body = {"source_branch": "feature", "target_branch": "readme", "title": "x", "milestone": "Winter"}
    assert "Winter" == dev.post(MRS, json=body).json()["milestone"]["title"]
