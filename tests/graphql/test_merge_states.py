"""What later releases tell of merges by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN, commit, get_json
from tests.api.pipelines import load_project
from tests.graphql.queries import query_project

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium", clock="virtual")


def get(fake: Fakeplat, selection: str, by: str = "mia") -> Any:
    """Return fields of a merge request."""
    return query_project(fake, by, f'mergeRequest(iid: "1") {{ {selection} }}')["mergeRequest"]


def test_the_checks_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """Each check passes, fails, or is off in the project."""
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True, merge_request_title_regex="^JIRA")
    fakeplat.as_user("dev").put(OPEN, json={"title": "Draft: X"})
    checks = list_checks(fakeplat)

    assert [
        ("REQUESTED_CHANGES", "SUCCESS"),
        ("NOT_APPROVED", "SUCCESS"),
        ("MERGE_REQUEST_BLOCKED", "SUCCESS"),
        ("JIRA_ASSOCIATION_MISSING", "INACTIVE"),
        ("SECURITY_POLICY_VIOLATIONS", "INACTIVE"),
        ("STATUS_CHECKS_MUST_PASS", "INACTIVE"),
        ("LOCKED_PATHS", "SUCCESS"),
        ("NOT_OPEN", "SUCCESS"),
        ("MERGE_TIME", "INACTIVE"),
        ("DRAFT_STATUS", "FAILED"),
        ("COMMITS_STATUS", "SUCCESS"),
        ("DISCUSSIONS_NOT_RESOLVED", "INACTIVE"),
        ("TITLE_REGEX", "FAILED"),
        ("CI_MUST_PASS", "FAILED"),
        ("LOCKED_LFS_FILES", "SUCCESS"),
        ("CONFLICT", "SUCCESS"),
        ("NEED_REBASE", "INACTIVE"),
    ] == checks
    fakeplat.as_user("dev").put(OPEN, json={"title": "X"})
    assert "TITLE_NOT_MATCHING" == get(fakeplat, "detailedMergeStatus")["detailedMergeStatus"]


def test_checks_that_are_not_finished(fakeplat: Fakeplat) -> None:
    """A running pipeline is still checked, where the project requires one, and so is a time that has not come."""
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)
    commit(fakeplat, get_json(fakeplat)["source_branch"], "ci.txt", by="dev")
    fakeplat.as_user("dev").put(OPEN, json={"merge_after": "2030-01-01T00:00:00Z"})
    checks = dict(list_checks(fakeplat))

    assert ("CHECKING", "FAILED") == (checks["CI_MUST_PASS"], checks["MERGE_TIME"])


@pytest.mark.fakeplat(tier="free")
def test_checks_of_paid_tiers_are_off(fakeplat: Fakeplat) -> None:
    """On free tiers nothing that paid tiers check is active."""
    paid = ["REQUESTED_CHANGES", "NOT_APPROVED", "MERGE_REQUEST_BLOCKED", "STATUS_CHECKS_MUST_PASS", "LOCKED_PATHS"]
    checks = dict(list_checks(fakeplat))

    assert ["INACTIVE"] * len(paid) == [checks[name] for name in paid]


@pytest.mark.fakeplat(version="16.11")
def test_checks_of_16_11(fakeplat: Fakeplat) -> None:
    """Earlier releases have one check of the branches in place of that of commits, and lack newer ones."""
    names = [name for name, _ in list_checks(fakeplat)]

    assert "BROKEN_STATUS" in names
    assert not {"COMMITS_STATUS", "TITLE_REGEX", "MERGE_TIME", "REQUESTED_CHANGES", "LOCKED_PATHS"} & set(names)


def list_checks(fake: Fakeplat) -> list[tuple[str, str]]:
    """Return the name and the status of each check."""
    rows = get(fake, "mergeabilityChecks { identifier status }")["mergeabilityChecks"]
    return [(row["identifier"], row["status"]) for row in rows]


def test_how_a_merge_request_is_merged(fakeplat: Fakeplat) -> None:
    """A merge request tells of its branches, messages, threads and automatic merge."""
    commit(fakeplat, "master", "other.txt", by="mia")
    fakeplat.as_user("rep").post(f"{OPEN}/discussions", json={"body": "Why?"})
    fakeplat.as_user("dev").post(f"{OPEN}/time_estimate?duration=1h")
    selection = """
      name webPath hidden hasCi divergedFromTargetBranch sourceBranchProtected squashReadOnly humanTimeEstimate
      humanTotalTimeSpent resolvableDiscussionsCount resolvedDiscussionsCount autoMergeStrategy mergeTrainsCount
      availableAutoMergeStrategies defaultSquashCommitMessage title userPermissions { canMerge canApprove }
    """
    merge_request = get(fakeplat, selection)

    assert {
        "name": merge_request["title"],
        "title": merge_request["title"],
        "webPath": "/acme/site/-/merge_requests/1",
        "hidden": False,
        "hasCi": True,
        "divergedFromTargetBranch": True,
        "sourceBranchProtected": False,
        "squashReadOnly": False,
        "humanTimeEstimate": "1h",
        "humanTotalTimeSpent": None,
        "resolvableDiscussionsCount": 1,
        "resolvedDiscussionsCount": 0,
        "autoMergeStrategy": None,
        "mergeTrainsCount": None,
        "availableAutoMergeStrategies": [],
        "defaultSquashCommitMessage": merge_request["title"],
        "userPermissions": {"canMerge": True, "canApprove": True},
    } == merge_request


def test_the_commits_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """The commits of a merge request are shown with their people, newest first."""
    sha = commit(fakeplat, "feature", "newest.txt")
    fields = "sha shortId name fullTitle authorEmail committerName committerEmail committedDate"
    merge_request = get(
        fakeplat, f"commits {{ nodes {{ {fields} }} }} commitsWithoutMergeCommits {{ nodes {{ sha }} }}"
    )
    newest = merge_request["commits"]["nodes"][0]

    assert (sha, sha[:8], "Add newest.txt", "Add newest.txt") == tuple(
        newest[name] for name in ("sha", "shortId", "name", "fullTitle")
    )
    assert newest["authorEmail"] == newest["committerEmail"]
    assert newest["committedDate"].startswith("20")
    assert sha == merge_request["commitsWithoutMergeCommits"]["nodes"][0]["sha"]


def test_commits_and_branches_of_a_repository(fakeplat: Fakeplat) -> None:
    """A repository shows the commit at a ref, and the names of branches that match a pattern."""
    selection = 'repository { commit(ref: "feature") { sha } branchNames(searchPattern: "f*", offset: 0, limit: 5) }'
    repository = query_project(fakeplat, "dev", selection)["repository"]
    expected = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/commits/feature").json()["id"]

    assert {"commit": {"sha": expected}, "branchNames": ["feature"]} == repository
