"""How forks differ from their source, and updates of them, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "repository": {"commits": [{"message": "First", "files": {"a.txt": "1\n", "b.txt": "1\n"}}]},
}
pytestmark = pytest.mark.fakeplat(version="15.9", clock="virtual", scenario={"extends": "starter", "projects": [SITE]})
FORK = "dev/site"
SYNC = write_mutation("projectSyncFork", "details { ahead behind hasConflicts isSyncing }")
CONFLICT = "The synchronization cannot happen due to the merge conflict"


def fork(fake: Fakeplat) -> None:
    """Fork the project into the namespace of a developer."""
    fake.as_user("dev").post("projects/acme%2Fsite/fork", json={})
    fake.settle()


def commit(fake: Fakeplat, path: str, file: str, content: str) -> None:
    """Change a file on the default branch of a project."""
    action = {"action": "update", "file_path": file, "content": content}
    body = {"branch": "main", "commit_message": f"{file} is {content}", "actions": [action]}
    author = "dev" if path == FORK else "mia"
    reply = fake.as_user(author).post(f"projects/{path.replace('/', '%2F')}/repository/commits", json=body)
    assert 201 == reply.status, reply.text


def read_details(fake: Fakeplat, by: str | None = "dev", path: str = FORK, argument: str = "") -> Any:
    project = query_project(fake, by, f"forkDetails{argument} {{ ahead behind }}", path)
    return project and project["forkDetails"]


def sync(fake: Fakeplat, branch: str = "main", path: str = FORK, by: str = "dev") -> Any:
    given = {"projectPath": path, "targetBranch": branch}
    return query_data(fake, by, SYNC, input=given)["projectSyncFork"]


def details(ahead: int, behind: int, *, has_conflicts: bool = False) -> dict[str, Any]:
    return {"ahead": ahead, "behind": behind, "hasConflicts": has_conflicts, "isSyncing": False}


@pytest.mark.fakeplat(version="15.7")
def test_a_fork_counts_the_commits_of_both_sides(fakeplat: Fakeplat) -> None:
    """A fork tells by how many commits it is ahead of and behind its source."""
    fork(fakeplat)
    assert {"ahead": 0, "behind": 0} == read_details(fakeplat)
    commit(fakeplat, "acme/site", "a.txt", "2\n")
    commit(fakeplat, "acme/site", "a.txt", "3\n")
    commit(fakeplat, FORK, "b.txt", "2\n")
    assert {"ahead": 1, "behind": 2} == read_details(fakeplat)
    assert {"ahead": 1, "behind": 2} == read_details(fakeplat, argument='(ref: "main")')


def test_details_are_of_forks_whose_source_is_visible(fakeplat: Fakeplat) -> None:
    """There are no details of other projects, of unknown branches, and for those who do not see the source."""
    fork(fakeplat)
    assert None is read_details(fakeplat, path="acme/site")
    assert None is read_details(fakeplat, argument='(ref: "none")')
    fakeplat.as_user("mia").delete(f"projects/acme%2Fsite/members/{fakeplat.world.user('dev').id}")
    fakeplat.as_user("ada").delete(f"groups/acme/members/{fakeplat.world.user('dev').id}")
    assert 404 == fakeplat.as_user("dev").get("projects/acme%2Fsite").status
    assert None is read_details(fakeplat)


def test_a_branch_without_own_commits_moves_forward(fakeplat: Fakeplat) -> None:
    """A fork that is only behind gets the commits of its source, and no merge commit."""
    fork(fakeplat)
    commit(fakeplat, "acme/site", "a.txt", "2\n")
    assert {"details": details(0, 0), "errors": []} == sync(fakeplat)
    heads = [
        fakeplat.as_user("dev").get(f"projects/{path}/repository/branches/main").json()["commit"]["id"]
        for path in ("acme%2Fsite", "dev%2Fsite")
    ]
    assert heads[0] == heads[1]
    assert {"details": details(0, 0), "errors": []} == sync(fakeplat)


def test_a_branch_with_own_commits_is_merged(fakeplat: Fakeplat) -> None:
    """A fork with commits of its own gets a merge commit, whose message names both."""
    fork(fakeplat)
    commit(fakeplat, "acme/site", "a.txt", "2\n")
    commit(fakeplat, FORK, "b.txt", "2\n")
    assert {"details": details(2, 0), "errors": []} == sync(fakeplat)
    head = fakeplat.as_user("dev").get("projects/dev%2Fsite/repository/branches/main").json()["commit"]
    assert ("Merge branch site:main into main", 2) == (head["message"], len(head["parent_ids"]))


def test_a_conflict_is_remembered(fakeplat: Fakeplat) -> None:
    """A conflict changes nothing; the next update is refused, until one side has changed."""
    fork(fakeplat)
    commit(fakeplat, "acme/site", "a.txt", "2\n")
    commit(fakeplat, FORK, "a.txt", "3\n")
    assert {"details": details(1, 1, has_conflicts=True), "errors": []} == sync(fakeplat)
    assert {"details": details(1, 1, has_conflicts=True), "errors": [CONFLICT]} == sync(fakeplat)
    commit(fakeplat, "acme/site", "a.txt", "3\n")
    assert {"details": details(2, 0), "errors": []} == sync(fakeplat)


def test_what_is_not_updated_says_why(fakeplat: Fakeplat) -> None:
    """Unknown branches and other projects are not updated; who may not push to the branch learns nothing."""
    fork(fakeplat)
    assert {"details": None, "errors": ["Target branch does not exist"]} == sync(fakeplat, "none")
    no_fork = "This branch of this project cannot be updated from the upstream"
    fakeplat.as_user("mia").post("projects/acme%2Fsite/repository/branches", json={"branch": "x", "ref": "main"})
    assert {"details": None, "errors": [no_fork]} == sync(fakeplat, "x", "acme/site")
    given = {"projectPath": FORK, "targetBranch": "main"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", SYNC, input=given))
    protect = {"name": "main", "push_access_level": 0}
    fakeplat.as_user("dev").delete("projects/dev%2Fsite/protected_branches/main")
    fakeplat.as_user("dev").post("projects/dev%2Fsite/protected_branches", json=protect)
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", SYNC, input=given))
