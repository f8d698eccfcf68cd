"""What locks of files and missing keys of Jira mean for merging. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import JIRA_KEYS_ARE_REQUIRED, LOCKS_BLOCK_MERGING
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.pipelines import load_project
from tests.by_release import by_release
from tests.graphql.queries import query_project

NOT_ALLOWED = (405, {"message": "405 Method Not Allowed"})
JIRA = {"url": "https://jira.test/", "username": "ci", "password": "secret"}


def get_status(fake: Fakeplat) -> Any:
    return get_json(fake, OPEN)["detailed_merge_status"]


def merge(fake: Fakeplat) -> Any:
    answer = fake.as_user("mia").put(f"{OPEN}/merge")
    return answer.status if answer.status == 200 else (answer.status, answer.json())


def lock(fake: Fakeplat, user: str, path: str | None = None) -> None:
    """Lock a file that the merge request changes, or another one."""
    changed = get_json(fake, f"{OPEN}/changes")["changes"][0]["new_path"]
    load_project(fake, lfs_locks=[{"path": path or changed, "user": user}])


@by_release(LOCKS_BLOCK_MERGING, "expected", {"18.4": ("mergeable", 200), "18.5": ("locked_lfs_files", NOT_ALLOWED)})
@pytest.mark.fakeplat(default_branch="master")
def test_locked_files_forbid_merging(fakeplat: Fakeplat, expected: object) -> None:
    """A merge request that changes a file which somebody else has locked with Git LFS cannot be merged."""
    lock(fakeplat, "rep")

    assert expected == (get_status(fakeplat), merge(fakeplat))


@pytest.mark.fakeplat(version="latest", tier="premium", default_branch="master")
def test_locked_paths_of_the_default_branch(fakeplat: Fakeplat) -> None:
    """In paid tiers a lock is also one of the path, which counts first where the target is the default branch."""
    lock(fakeplat, "rep")
    merge_request = query_project(fakeplat, "mia", 'mergeRequest(iid: "1") { detailedMergeStatus }')["mergeRequest"]

    assert ("locked_paths", NOT_ALLOWED) == (get_status(fakeplat), merge(fakeplat))
    assert {"detailedMergeStatus": "LOCKED_PATHS"} == merge_request


@pytest.mark.fakeplat(version="latest", default_branch="master")
@pytest.mark.parametrize(("user", "path"), [("dev", None), ("rep", "other.bin")])
def test_locks_that_do_not_matter(fakeplat: Fakeplat, user: str, path: str | None) -> None:
    """The author's own locks, and those of other files, do not forbid merging."""
    lock(fakeplat, user, path)

    assert ("mergeable", 200) == (get_status(fakeplat), merge(fakeplat))


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_locks_count_with_lfs_only(fakeplat: Fakeplat) -> None:
    """A project without Git LFS ignores the locks."""
    lock(fakeplat, "rep")
    load_project(fakeplat, lfs_enabled=False)

    assert ("mergeable", 200) == (get_status(fakeplat), merge(fakeplat))


@by_release(JIRA_KEYS_ARE_REQUIRED, "expected", {"16.8": "mergeable", "16.9": "jira_association_missing"})
@pytest.mark.fakeplat(tier="ultimate", default_branch="master")
def test_the_release_that_requires_issues_of_jira(fakeplat: Fakeplat, expected: str) -> None:
    """Earlier releases do not ask for a key of Jira."""
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/services/jira", json=JIRA).status
    load_project(fakeplat, prevent_merge_without_jira_issue=True)

    assert expected == get_status(fakeplat)


@pytest.mark.fakeplat(version="latest", tier="ultimate", default_branch="master")
def test_a_merge_request_has_to_name_an_issue_of_jira(fakeplat: Fakeplat) -> None:
    """Where the project requires it and has Jira, the title or the description has to name an issue of it."""
    load_project(fakeplat, prevent_merge_without_jira_issue=True)
    without_jira = get_status(fakeplat)
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/integrations/jira", json=JIRA).status
    forbidden = get_status(fakeplat), merge(fakeplat)
    fakeplat.as_user("dev").put(OPEN, json={"description": "Fixes ABC-12."})

    assert ("mergeable", ("jira_association_missing", NOT_ALLOWED)) == (without_jira, forbidden)
    assert ("mergeable", 200) == (get_status(fakeplat), merge(fakeplat))


@pytest.mark.fakeplat(version="latest", tier="premium", default_branch="master")
def test_issues_of_jira_are_required_in_the_top_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate the setting has no effect."""
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/integrations/jira", json=JIRA).status
    load_project(fakeplat, prevent_merge_without_jira_issue=True)

    assert "mergeable" == get_status(fakeplat)
