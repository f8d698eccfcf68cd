"""Requests that name a project by a former path. Source: doc/api/rest (Redirects), docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MOVED_PROJECTS_ARE_REDIRECTED
from tests.api.requests import refusal, resource_not_found
from tests.by_release import by_release

OLD = "projects/acme%2Fsite"
NOT_ALLOWED = (405, {"message": "Non GET methods are not allowed for moved projects"})


@pytest.fixture
def moved(fakeplat: Fakeplat) -> Fakeplat:
    """The project acme/site has a new path."""
    fakeplat.as_user("ada").put(OLD, json={"path": "pages"})
    return fakeplat


@by_release(MOVED_PROJECTS_ARE_REDIRECTED, "status", {"16.6": 404, "16.7": 301})
def test_a_former_path_leads_to_the_id(moved: Fakeplat, status: int) -> None:
    """GET by a former path is answered with the address by id, which keeps the rest of the path and the query."""
    reply = moved.as_user("dev").get(f"{OLD}/issues?state=opened&per_page=1")

    assert status == reply.status
    if status == 301:
        url = f"{moved.api_url}/projects/{moved.world.project('acme/pages').id}/issues?state=opened&per_page=1"
        assert url == reply.headers["Location"]
        assert f"This resource has been moved permanently to {url}" == reply.text
        assert 200 == moved.as_user("dev").get(url).status


@pytest.mark.fakeplat(version="latest")
def test_changes_by_a_former_path_are_refused(moved: Fakeplat) -> None:
    """Only GET is led to the id; other methods are refused by 405, in the path alone."""
    assert NOT_ALLOWED == refusal(moved, "ada", "PUT", OLD, json={"description": "x"})
    assert NOT_ALLOWED == refusal(moved, "dev", "POST", f"{OLD}/issues", json={"title": "x"})
    link = {"target_project_id": "acme/site", "target_issue_iid": 1}
    assert 201 == moved.as_user("ada").post(f"{OLD.replace('site', 'pages')}/issues/2/links", json=link).status


@pytest.mark.fakeplat(version="latest")
def test_a_former_path_is_hidden_like_the_project(moved: Fakeplat) -> None:
    """Callers who do not see the project get 404 at its former path, for every method."""
    assert resource_not_found("Project") == refusal(moved, "eve", "GET", OLD)
    assert resource_not_found("Project") == refusal(moved, "eve", "PUT", OLD, json={"description": "x"})


@pytest.mark.fakeplat(version="latest")
def test_a_path_that_is_used_again_is_no_former_path(moved: Fakeplat) -> None:
    """A new project at a former path takes it over."""
    group = moved.world.group("acme").id
    new = moved.as_user("ada").post("projects", json={"path": "site", "namespace_id": group}).json()

    assert new["id"] == moved.as_user("ada").get(OLD).json()["id"]
