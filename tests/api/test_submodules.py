"""Submodules of repositories. Source: the platform's documentation and specs of submodules."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.git.records import SUBMODULE
from fakeplat.git.tree_editing import TreeEditor
from fakeplat.git.writing import commit
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.repository import BRANCHES
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, refusal, resource_not_found

SITE = "projects/acme%2Fsite"
OLD, NEW = "a" * 40, "b" * 40
BODY = {"commit_sha": NEW, "branch": "master"}


@pytest.fixture(autouse=True)
def _submodules(fakeplat: Fakeplat) -> None:
    """Two submodules on the default branch, one of them in a folder."""
    with fakeplat.bench.platform.acting() as ctx:
        project = namespaces.find_project_by_path(ctx.world, "acme/site")
        assert project is not None
        git = repositories.open_repository(ctx.world, project)
        parent = git.commit("master")
        editor = TreeEditor(git.objects, parent.tree)
        for path in ("six", "folder/deep/six"):
            editor.put(path, SUBMODULE, OLD)
        sha = commit(git.objects, editor.write(), [parent.sha], "Add", parent.author)
        repositories.move_refs(ctx, project, {BRANCHES + "master": sha}, None)


def path(submodule: str) -> str:
    return f"{SITE}/repository/submodules/{quote(submodule, safe='')}"


def list_submodules(fake: Fakeplat, folder: str = "") -> dict[str, str]:
    rows = fake.as_user("root").get(f"{SITE}/repository/tree?path={folder}").json()
    return {row["name"]: row["id"] for row in rows if row["type"] == "commit"}


@pytest.mark.parametrize("submodule", ["six", "folder/deep/six"])
def test_a_submodule_is_updated(fakeplat: Fakeplat, submodule: str) -> None:
    """Updating a submodule answers 200 with the commit of the caller."""
    head = fakeplat.as_user("root").get(f"{SITE}/repository/commits/master").json()["id"]
    reply = fakeplat.as_user("mia").put(path(submodule), json={**BODY, "commit_message": "Newer"})
    new_commit = reply.json()
    assert (200, "Newer", "Mia Example", "Mia Example", [head]) == (
        reply.status,
        new_commit["message"],
        new_commit["author_name"],
        new_commit["committer_name"],
        new_commit["parent_ids"],
    )
    assert {"six": NEW} == list_submodules(fakeplat, submodule.rpartition("/")[0])


@pytest.mark.parametrize("message", [{}, {"commit_message": ""}])
def test_the_default_message_names_the_submodule(fakeplat: Fakeplat, message: dict[str, str]) -> None:
    """The default commit message names the updated submodule."""
    new_commit = fakeplat.as_user("mia").put(path("six"), json={**BODY, **message}).json()
    assert f"Update submodule six with oid {NEW}" == new_commit["message"]


@pytest.mark.parametrize(
    ("submodule", "changes", "text"),
    [
        ("README.md", {}, "Invalid submodule path"),
        ("nowhere", {}, "Invalid submodule path"),
        ("folder", {}, "Invalid submodule path"),
        ("../six", {}, "Invalid submodule path"),
        ("six", {"commit_sha": ""}, "Invalid parameters"),
        ("six", {"commit_sha": "1"}, "Invalid parameters"),
        ("six", {"commit_sha": OLD}, f"The submodule six is already at {OLD}"),
        ("six", {"branch": "nowhere"}, "You can only create or edit files when you are on a branch"),
        ("six", {"branch": ""}, "You can only create or edit files when you are on a branch"),
    ],
)
def test_invalid_submodules_are_refused(fakeplat: Fakeplat, submodule: str, changes: dict[str, Any], text: str) -> None:
    """Invalid submodules answer 400 with the platform's texts."""
    expected = (400, {"message": text})
    assert expected == refusal(fakeplat, "mia", "PUT", path(submodule), json={**BODY, **changes})


def test_an_empty_repository_has_no_submodules(fakeplat: Fakeplat) -> None:
    """Updating a submodule of an empty repository answers 400."""
    empty = fakeplat.as_user("ada").post("projects", json={"name": "Empty"}).json()["id"]
    url = f"projects/{empty}/repository/submodules/six"
    assert (400, {"message": "The repository is empty"}) == refusal(fakeplat, "ada", "PUT", url, json=BODY)


def test_commit_and_branch_are_required(fakeplat: Fakeplat) -> None:
    """Updating a submodule requires commit and branch."""
    expected = invalid("commit_sha is missing, branch is missing")
    for user in ("mia", "gus", "eve"):
        assert expected == refusal(fakeplat, user, "PUT", path("six"), json={})


def test_roles_that_update_submodules(fakeplat: Fakeplat) -> None:
    """Developers update submodules where they may push to the branch."""
    for user, expected in (
        (None, UNAUTHORIZED),
        ("eve", resource_not_found("Project")),
        ("gus", FORBIDDEN),
        ("rep", FORBIDDEN),
    ):
        assert expected == refusal(fakeplat, user, "PUT", path("six"), json=BODY)
    protected = (400, {"message": "You are not allowed to push into this branch"})
    assert protected == refusal(fakeplat, "dev", "PUT", path("six"), json=BODY)
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "open", "ref": "master"})
    assert 200 == fakeplat.as_user("dev").put(path("six"), json={**BODY, "branch": "open"}).status
