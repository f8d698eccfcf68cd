"""Filters of merge requests by reviews, approvers, changed files and times of closing.

Source: app/finders/merge_requests_finder.rb and spec/graphql/resolvers/merge_requests_resolver_spec.rb of 18.9.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, query_data, query_project, query_refused

SHOP = "acme/shop"
COMMITS = [
    {"message": "First", "author": "ada", "files": {"a.txt": "a\n", "b.txt": "b\n"}},
    {"message": "Second", "author": "ada", "branch": "a", "files": {"a.txt": "x\n"}},
    {"message": "Third", "author": "ada", "branch": "b", "start": "main", "files": {"b.txt": "x\n"}},
    {"message": "Fourth", "author": "ada", "branch": "c", "start": "main", "files": {"a.txt": "z\n"}},
    {"message": "Fifth", "author": "ada", "branch": "d", "start": "main", "files": {"d.txt": "z\n"}},
]


def _declare(title: str, *reviewers: tuple[str, str], **values: Any) -> dict[str, Any]:
    states = [{"user": user, "state": state} for user, state in reviewers]
    created = "2020-11-10T00:00:00Z"
    declared = {"title": title, "author": "ada", "source_branch": title, "reviewers": states, "created_at": created}
    return {**declared, **values}


SCENARIO: dict[str, Any] = {
    "users": [{"username": name} for name in ("ada", "dev", "mia")],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "maintainer", "dev": "developer", "mia": "maintainer"},
            "projects": [
                {
                    "path": "shop",
                    "default_branch": "main",
                    "labels": [
                        {"title": "first", "color": "#112233", "priority": 1},
                        {"title": "next", "color": "#112233", "priority": 2},
                    ],
                    "repository": {"commits": COMMITS},
                    "approval_rules": [{"name": "QA", "approvals_required": 0, "users": ["mia", "dev"]}],
                    "merge_requests": [
                        _declare("a", ("mia", "approved"), assignees=["dev"], labels=["next"]),
                        _declare("b", ("mia", "requested_changes"), ("dev", "reviewed"), labels=["first"]),
                        _declare("c", ("dev", "unreviewed")),
                        _declare("d", state="closed", closed_at="2020-11-15T00:00:00Z"),
                    ],
                }
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", scenario=SCENARIO, clock="virtual")


def list_titles(fake: Fakeplat, arguments: str) -> list[str]:
    """Return the titles of a list of the project."""
    project = query_project(fake, "ada", f"mergeRequests({arguments}) {{ nodes {{ title }} }}", SHOP)
    return [node["title"] for node in project["mergeRequests"]["nodes"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("reviewState: APPROVED", "a"),
        ("reviewStates: [APPROVED, REVIEWED]", "ab"),
        ('reviewStates: [REVIEWED, UNREVIEWED], ignoredReviewerUsername: "dev"', ""),
        ('reviewerUsername: "mia", reviewState: REVIEWED', ""),
        ('reviewerUsername: "dev", reviewState: REVIEWED', "b"),
        ("reviewerWildcardId: NONE, reviewState: APPROVED", "d"),
        ("not: {reviewStates: [REVIEWED]}", "ac"),
        ('not: {reviewStates: [REVIEWED]}, ignoredReviewerUsername: "dev"', "ab"),
        ('not: {reviewerUsername: "dev"}', "ad"),
        ('not: {reviewerUsername: "dev", onlyReviewer: true}', "ab"),
        ('or: {reviewerWildcard: NONE, onlyReviewerUsername: "dev"}', "cd"),
        ("or: {reviewerWildcard: NONE, reviewStates: [APPROVED]}", "ad"),
        ('or: {reviewerWildcard: NONE, onlyReviewerUsername: "mia", reviewStates: [REVIEWED]}', "abd"),
        ("or: {reviewStates: [APPROVED]}", "abcd"),
        ('approver: ["mia"]', "abcd"),
        ('approver: ["mia", "dev"]', "abcd"),
        ('approver: ["ada"]', ""),
        ('approver: ["nobody"]', ""),
        ('approver: ["None"]', ""),
        ('blobPath: "a.txt", targetBranches: ["main"], state: opened, createdAfter: "2020-11-01T00:00:00Z"', "ac"),
        ('closedAfter: "2020-11-14T00:00:00Z", closedBefore: "2020-11-16T00:00:00Z"', "d"),
        ('closedAfter: "2020-11-16T00:00:00Z", closedBefore: "2020-11-17T00:00:00Z"', ""),
    ],
)
def test_filters(fakeplat: Fakeplat, arguments: str, expected: str) -> None:
    """Each filter selects what it says, alone and with others."""
    assert [*expected] == sorted(list_titles(fakeplat, arguments))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("LABEL_PRIORITY_ASC", ["b", "a"]), ("PRIORITY_ASC", ["b", "a"]), ("PRIORITY_DESC", ["a", "b"])],
)
def test_orders_by_priority(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Labels have priorities; merge requests without one are last."""
    titles = list_titles(fakeplat, f"sort: {sort}")
    assert (expected, 4) == (titles[:2], len(titles))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('blobPath: "a.txt"', "targetBranches field must be specified to filter by blobPath"),
        ('blobPath: "a.txt", targetBranches: ["main"]', "state field must be specified to filter by blobPath"),
        (
            'blobPath: "a.txt", targetBranches: ["main"], state: opened',
            "createdAfter field must be specified to filter by blobPath",
        ),
        (
            'blobPath: "a.txt", targetBranches: ["main"], state: opened, createdAfter: "2020-10-01T00:00:00Z"',
            "createdAfter must be within the last 30 days to filter by blobPath",
        ),
        ('closedAfter: "2020-11-16T00:00:00Z"', "You must provide both closedAfter and closedBefore."),
        (
            'closedAfter: "2020-11-16T00:00:00Z", closedBefore: "2020-11-15T00:00:00Z"',
            "closedBefore must be on or after closedAfter.",
        ),
        (
            'closedAfter: "2018-11-01T00:00:00Z", closedBefore: "2020-11-15T00:00:00Z"',
            "Time between closedAfter and closedBefore must be 2 years or less.",
        ),
    ],
)
def test_searches_that_are_too_wide(fakeplat: Fakeplat, arguments: str, expected: str) -> None:
    """Files and times of closing are searched only within bounds."""
    text = f'{{ project(fullPath: "{SHOP}") {{ mergeRequests({arguments}) {{ count }} }} }}'
    assert [expected] == list_messages(query_refused(fakeplat, "ada", text))


def test_lists_of_a_user(fakeplat: Fakeplat) -> None:
    """The states are those of the reviewing user, and of any reviewer of what is assigned to the user."""
    selection = "{ nodes { title } }"
    fields = f"""
      reviewed: reviewRequestedMergeRequests(reviewStates: [REVIEWED]) {selection}
      both: assigneeOrReviewerMergeRequests(assignedReviewStates: [APPROVED], reviewerReviewStates: [UNREVIEWED])
        {selection}
      assigned: assigneeOrReviewerMergeRequests(assignedReviewStates: [REVIEWED]) {selection}
      files: assignedMergeRequests(blobPath: "a.txt", targetBranches: ["main"], state: opened,
        createdAfter: "2020-11-01T00:00:00Z") {selection}
    """
    user = query_data(fakeplat, "dev", f"{{ currentUser {{ {fields} }} }}")["currentUser"]

    assert {"reviewed": ["b"], "both": ["a", "c"], "assigned": ["b", "c"], "files": []} == {
        name: sorted(node["title"] for node in found["nodes"]) for name, found in user.items()
    }


@pytest.mark.fakeplat(version="16.11")
def test_earlier_releases_have_none_of_these(fakeplat: Fakeplat) -> None:
    """In 16.11 lists know no states of reviews, but whether all approvals are given."""
    text = f'{{ project(fullPath: "{SHOP}") {{ mergeRequests(reviewState: APPROVED) {{ count }} }} }}'
    (message,) = list_messages(query_refused(fakeplat, "ada", text))

    assert "Field 'mergeRequests' doesn't accept argument 'reviewState'" == message
    assert [] == list_titles(fakeplat, "approved: true")
