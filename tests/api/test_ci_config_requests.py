"""Merge requests that bring the CI configuration that a project lacks. Source: docs/platform/merge-requests.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import get_json
from tests.api.pipelines import load_project
from tests.api.requests import Outcome, refusal

pytestmark = pytest.mark.fakeplat(version="latest")
SITE = "projects/acme%2Fsite"
PATH = f"{SITE}/create_ci_config"


def count_requests(fake: Fakeplat) -> int:
    return len(get_json(fake, f"{SITE}/merge_requests?per_page=100"))


def test_a_merge_request_brings_the_missing_configuration(fakeplat: Fakeplat) -> None:
    """A Developer gets a merge request whose branch has a valid configuration that the default branch lacks."""
    load_project(fakeplat, ci_config_path="ci/site.yml")
    before = count_requests(fakeplat)
    answer = fakeplat.as_user("dev").post(PATH)
    created = answer.json()
    (change,) = get_json(fakeplat, f"{SITE}/merge_requests/{created['iid']}/diffs")
    lint = get_json(fakeplat, f"{SITE}/ci/lint?content_ref={created['source_branch']}")

    assert (201, "Add ci config file", "main") == (answer.status, created["title"], created["target_branch"])
    assert created["source_branch"].startswith("add-ci-config-")
    assert 16 == len(created["source_branch"].removeprefix("add-ci-config-"))
    assert ("ci/site.yml", True) == (change["new_path"], change["new_file"])
    assert (True, []) == (lint["valid"], lint["errors"])
    assert before + 1 == count_requests(fakeplat)


def test_a_project_with_a_configuration_needs_none(fakeplat: Fakeplat) -> None:
    """A project whose default branch has a configuration, or that has no default branch, gets no merge request."""
    new = {"branch": "main", "content": "job: {script: x}", "commit_message": "Add"}
    fakeplat.as_user("ada").post(f"{SITE}/repository/files/%2Egitlab-ci%2Eyml", json=new)
    empty = fakeplat.as_user("ada").post("projects", json={"name": "empty"}).json()["id"]
    before = count_requests(fakeplat)

    assert (422, {"message": "Ci config already present"}) == refusal(fakeplat, "dev", "POST", PATH)
    assert (422, {"message": "Project must have default branch"}) == refusal(
        fakeplat, "ada", "POST", f"projects/{empty}/create_ci_config"
    )
    assert before == count_requests(fakeplat)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (None, (401, {"message": "401 Unauthorized"})),
        ("eve", (404, {"message": "404 Project Not Found"})),
        ("gus", (400, {"message": "You are not allowed to push code to this project."})),
        ("rep", (400, {"message": "You are not allowed to push code to this project."})),
    ],
)
def test_who_may_not_bring_a_configuration(fakeplat: Fakeplat, by: str | None, expected: Outcome) -> None:
    """Guests may create merge requests, but nobody below Developer pushes the branch; nothing is created."""
    load_project(fakeplat, ci_config_path="none.yml")
    before = count_requests(fakeplat)

    assert expected == refusal(fakeplat, by, "POST", PATH)
    assert before == count_requests(fakeplat)
