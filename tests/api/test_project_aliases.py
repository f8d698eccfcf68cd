"""Aliases of projects. Source: docs/platform/projects.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, invalid_record, outcome, refusal, resource_not_found

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(tier="premium")]
PATH = "project_aliases"


def test_administrators_give_projects_aliases(fakeplat: Fakeplat) -> None:
    """An alias names a project, given by its id or path; it is found and deleted by its name."""
    root, project = fakeplat.as_user("root"), fakeplat.world.project("acme/site").id
    status, alias = outcome(root.post(PATH, json={"project_id": "acme/site", "name": "site"}))

    assert (201, {"id": alias["id"], "project_id": project, "name": "site"}) == (status, alias)
    assert [alias] == root.get(PATH).json()
    assert alias == root.get(f"{PATH}/site").json()
    assert 204 == root.delete(f"{PATH}/site").status
    missing = (404, {"message": "404 Not found"})
    assert [missing] * 2 == [refusal(fakeplat, "root", method, f"{PATH}/site") for method in ("GET", "DELETE")]


def test_an_alias_is_there_once(fakeplat: Fakeplat) -> None:
    """A name that another project has is refused, like a blank one and an unknown project."""
    body = {"project_id": "acme/site", "name": "site"}
    fakeplat.as_user("root").post(PATH, json=body)

    assert invalid_record(name=["has already been taken"]) == refusal(fakeplat, "root", "POST", PATH, json=body)
    blank = refusal(fakeplat, "root", "POST", PATH, json={**body, "name": ""})
    assert invalid_record(name=["can't be blank"]) == blank
    unknown = refusal(fakeplat, "root", "POST", PATH, json={"project_id": "acme/none", "name": "x"})
    assert resource_not_found("Project") == unknown
    missing = refusal(fakeplat, "root", "POST", PATH)
    assert invalid("project_id is missing, name is missing") == missing


def test_others_have_no_aliases(fakeplat: Fakeplat) -> None:
    """Only administrators read and write aliases."""
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", PATH)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{PATH}/site")


@pytest.mark.fakeplat(tier="free")
def test_aliases_are_forbidden_without_a_licence(fakeplat: Fakeplat) -> None:
    """Below premium, everybody gets 403."""
    assert [FORBIDDEN] * 2 == [refusal(fakeplat, caller, "GET", PATH) for caller in ("root", None)]


def test_git_finds_a_project_by_its_alias(fakeplat: Fakeplat) -> None:
    """A path without a namespace leads git to the project with this alias, with the rights of the project."""
    query = "http://site.test/site.git/info/refs?service=git-upload-pack"
    anybody = fakeplat.as_user(None)
    before = anybody.get(query).status
    fakeplat.as_user("root").post(PATH, json={"project_id": "acme/docs", "name": "site"})

    assert (401, 200) == (before, anybody.get(query).status)


def test_the_deletion_of_a_project_deletes_its_aliases(fakeplat: Fakeplat) -> None:
    """An alias does not outlive its project."""
    root = fakeplat.as_user("root")
    root.post(PATH, json={"project_id": "acme/docs", "name": "docs"})
    for _ in range(2):
        root.delete("projects/acme%2Fdocs")
    fakeplat.settle()

    assert [] == root.get(PATH).json()
