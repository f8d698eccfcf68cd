"""Locks of files and directories. Source: docs/platform/repository.md ('Path locks')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LOCKS_NAME_USERNAMES
from tests.api.pipelines import load_project
from tests.api.test_lfs import call_lfs, lock_file
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", default_branch="master")
LOCK = write_mutation("projectSetLocked", "project { pathLocks { nodes { path user { username } } } }")
NO_PERMISSION = {"project": None, "errors": ["You have no permissions"]}
SITE = "/api/v4/projects/acme%2Fsite"


def set_lock(fake: Fakeplat, by: str, path: str = "README.md", *, lock: bool = True) -> dict[str, Any]:
    named = {"projectPath": "acme/site", "filePath": path, "lock": lock}
    payload: dict[str, Any] = query_data(fake, by, LOCK, input=named)["projectSetLocked"]
    return payload


def shown(*locks: tuple[str, str]) -> dict[str, Any]:
    nodes = [{"path": path, "user": {"username": user}} for path, user in locks]
    return {"project": {"pathLocks": {"nodes": nodes}}, "errors": []}


def write_file(fake: Fakeplat, by: str, path: str = "docs/new.md", branch: str = "master") -> Any:
    files = f"{SITE}/repository/files/{path.replace('/', '%2F')}"
    answer = fake.as_user(by).post(files, json={"branch": branch, "content": "new", "commit_message": "Add"})
    return answer.status if answer.status == 201 else (answer.status, answer.json()["message"])


def test_a_path_is_locked_and_unlocked(fakeplat: Fakeplat) -> None:
    """Developers lock a path, which stays with its first user, and unlock it; what is not locked stays so."""
    assert shown(("README.md", "dev")) == set_lock(fakeplat, "dev")
    assert shown(("README.md", "dev")) == set_lock(fakeplat, "mia")
    assert shown() == set_lock(fakeplat, "dev", lock=False)
    assert shown() == set_lock(fakeplat, "dev", lock=False)


def test_maintainers_unlock_the_paths_of_others(fakeplat: Fakeplat) -> None:
    """A Developer does not remove the lock of somebody else, a Maintainer does."""
    set_lock(fakeplat, "ada")

    assert NO_PERMISSION == set_lock(fakeplat, "dev", lock=False)
    assert {"pathLocks": {"nodes": [{"path": "README.md"}]}} == query_project(
        fakeplat, "rep", "pathLocks { nodes { path } }"
    )
    assert shown() == set_lock(fakeplat, "mia", lock=False)


@pytest.mark.parametrize("by", [None, "rep", "eve"])
def test_locking_takes_the_right_to_push(fakeplat: Fakeplat, by: str | None) -> None:
    """Below Developer nobody locks a path."""
    named = {"projectPath": "acme/site", "filePath": "README.md", "lock": True}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, LOCK, input=named))
    assert {"pathLocks": {"nodes": []}} == query_project(fakeplat, "ada", "pathLocks { nodes { path } }")


@pytest.mark.fakeplat(version="latest", tier="free")
def test_the_free_tier_has_no_path_locks(fakeplat: Fakeplat) -> None:
    """Without the paid feature a path is not locked, and locks that a scenario brings have no effect."""
    named = {"projectPath": "acme/site", "filePath": "README.md", "lock": True}
    load_project(fakeplat, path_locks=[{"path": "docs", "user": "ada"}])

    assert ["FileLocks feature disabled"] == list_messages(query_refused(fakeplat, "dev", LOCK, input=named))
    assert {"pathLocks": {"nodes": []}} == query_project(fakeplat, "ada", "pathLocks { nodes { path } }")
    assert 201 == write_file(fakeplat, "mia")


@pytest.mark.parametrize("second", ["docs", "docs/guide/intro.md"])
def test_locks_do_not_contain_each_other(fakeplat: Fakeplat, second: str) -> None:
    """A path above or below a locked one is not locked, and the answer names no error."""
    set_lock(fakeplat, "dev", "docs/guide")

    assert shown(("docs/guide", "dev")) == set_lock(fakeplat, "mia", second)
    assert shown(("docs/guide", "dev"), ("docs/guides", "mia")) == set_lock(fakeplat, "mia", "docs/guides")


OBJECTIONS = {
    "18.8": (400, "The path 'docs' is locked by Ada Example"),
    "18.9": (400, "'docs' is locked by @ada"),
}


@by_release(LOCKS_NAME_USERNAMES, "expected", OBJECTIONS)
@pytest.mark.fakeplat(tier="premium", default_branch="master")
def test_only_their_user_changes_locked_paths(fakeplat: Fakeplat, expected: object) -> None:
    """A commit of others in a locked directory of the default branch is refused, and changes nothing."""
    assert shown(("docs", "ada")) == set_lock(fakeplat, "ada", "docs")
    head = fakeplat.as_user("mia").get(f"{SITE}/repository/branches/master").json()["commit"]["id"]

    assert expected == write_file(fakeplat, "mia")
    assert head == fakeplat.as_user("mia").get(f"{SITE}/repository/branches/master").json()["commit"]["id"]
    assert 201 == write_file(fakeplat, "mia", "documents.md")
    assert 201 == write_file(fakeplat, "ada")


def test_locks_protect_the_default_branch_only(fakeplat: Fakeplat) -> None:
    """On other branches everybody who may push changes a locked path."""
    set_lock(fakeplat, "ada", "docs")
    fakeplat.as_user("dev").post(f"{SITE}/repository/branches", json={"branch": "topic", "ref": "master"})

    assert 201 == write_file(fakeplat, "dev", branch="topic")


def test_a_lock_of_git_lfs_is_one_of_the_path(fakeplat: Fakeplat) -> None:
    """Locking and unlocking a file with Git LFS locks and unlocks its path."""
    lock = lock_file(fakeplat, "dev", "large.bin")
    locked = query_project(fakeplat, "rep", "pathLocks { nodes { path user { username } } }")
    call_lfs(fakeplat, "POST", f"locks/{lock['id']}/unlock", "dev", {})

    assert {"pathLocks": {"nodes": [{"path": "large.bin", "user": {"username": "dev"}}]}} == locked
    assert {"pathLocks": {"nodes": []}} == query_project(fakeplat, "rep", "pathLocks { nodes { path } }")


@pytest.mark.parametrize(("content", "expected"), [("plain", []), (None, ["large.bin"])])
def test_the_path_of_a_large_file_is_locked_with_git_lfs(
    fakeplat: Fakeplat, content: str | None, expected: list[str]
) -> None:
    """A locked path whose file is in Git LFS is locked there too, and unlocked with it."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 4\n"
    answer = fakeplat.as_user("ada").post(
        f"{SITE}/repository/files/large%2Ebin",
        json={"branch": "master", "content": content or pointer, "commit_message": "Add"},
    )
    assert 201 == answer.status
    set_lock(fakeplat, "dev", "large.bin")
    locked = call_lfs(fakeplat, "GET", "locks", "rep")[1]["locks"]
    set_lock(fakeplat, "dev", "large.bin", lock=False)

    assert expected == [lock["path"] for lock in locked]
    assert {"locks": []} == call_lfs(fakeplat, "GET", "locks", "rep")[1]


@pytest.mark.parametrize(("by", "expected"), [("mia", True), ("dev", False)])
def test_the_permission_for_the_locks_of_others(fakeplat: Fakeplat, by: str, expected: bool) -> None:
    """Maintainers may manage all locks of paths."""
    project = query_project(fakeplat, by, "userPermissions { adminPathLocks }")

    assert {"userPermissions": {"adminPathLocks": expected}} == project
