"""Fields of merge requests in releases after 13.5: ``draft`` since 14.0, ``detailed_merge_status`` since 15.6."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import CONFLICTING, OPEN, commit, get_json
from tests.api.pipelines import create_pipelines, load_project

newer = pytest.mark.fakeplat(version="latest")


def get_status(fake: Fakeplat, path: str = OPEN) -> Any:
    return get_json(fake, path)["detailed_merge_status"]


@pytest.mark.parametrize(
    ("expected", "version"),
    [
        pytest.param(set(), "13.5.1", id="13.5"),
        pytest.param({"draft"}, "14.0.0", id="14.0"),
        pytest.param({"draft", "detailed_merge_status"}, "15.6.0", id="15.6"),
    ],
)
def test_the_release_decides_which_fields_there_are(
    request: pytest.FixtureRequest, expected: set[str], version: str
) -> None:
    """The detailed merge status does not exist in 13.5."""
    request.applymarker(pytest.mark.fakeplat(version=version))
    fake = request.getfixturevalue("fakeplat")

    assert expected == {"draft", "detailed_merge_status"} & set(get_json(fake))


@newer
def test_a_mergeable_one(fakeplat: Fakeplat) -> None:
    """A merge request is mergeable once it was checked, or has a conflict."""
    assert ("mergeable", "conflict") == (get_status(fakeplat), get_status(fakeplat, CONFLICTING))
    assert get_json(fakeplat)["draft"] is False


@pytest.mark.fakeplat(version="latest", clock="virtual", merge_check={"after": "2s"})
def test_a_check_that_has_not_ended(fakeplat: Fakeplat) -> None:
    """The read that starts it tells so."""
    commit(fakeplat, "feature")
    assert "checking" == get_status(fakeplat)
    fakeplat.clock.advance("3s")
    assert "mergeable" == get_status(fakeplat)


@newer
def test_obstacles_in_order(fakeplat: Fakeplat) -> None:
    """Closed comes before draft, a draft before a pipeline that failed."""
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)
    create_pipelines(fakeplat, {"status": "failed"})
    dev = fakeplat.as_user("mia")
    seen = []
    for change in ({"title": "Draft: x"}, {"state_event": "close"}, {"title": "x"}, {"state_event": "reopen"}):
        assert 200 == dev.put(OPEN, json=change).status
        seen.append(get_status(fakeplat))

    assert ["draft_status", "not_open", "not_open", "ci_must_pass"] == seen


@newer
@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        pytest.param("running", "ci_still_running", id="running"),
        pytest.param("canceled", "ci_must_pass", id="canceled"),
        pytest.param("success", "mergeable", id="success"),
        pytest.param(None, "ci_must_pass", id="none"),
    ],
)
def test_a_required_pipeline(fakeplat: Fakeplat, pipeline: str | None, expected: str) -> None:
    """A pipeline counts for the merge status only if the project requires its success."""
    if pipeline:
        create_pipelines(fakeplat, {"status": pipeline})
    before = get_status(fakeplat)
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)

    assert ("mergeable", expected) == (before, get_status(fakeplat))


@newer
def test_a_required_discussion(fakeplat: Fakeplat) -> None:
    """Unresolved discussions count for the merge status only if the project requires it."""
    assert 201 == fakeplat.as_user("dev").post(f"{OPEN}/discussions", json={"body": "Why?"}).status
    before = get_status(fakeplat)
    load_project(fakeplat, only_allow_merge_if_all_discussions_are_resolved=True)

    assert ("mergeable", "discussions_not_resolved") == (before, get_status(fakeplat))


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_a_required_approval(fakeplat: Fakeplat) -> None:
    """A merge request is `not_approved` until its required approval is given."""
    user = fakeplat.as_user("mia").get("user").json()["id"]
    rule = {"name": "Look", "approvals_required": 1, "user_ids": [user]}
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=rule).status
    before = get_status(fakeplat)
    fakeplat.as_user("mia").post(f"{OPEN}/approve")

    assert ("not_approved", "mergeable") == (before, get_status(fakeplat))
