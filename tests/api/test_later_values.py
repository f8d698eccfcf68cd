"""What the values mean that enumerations have in later releases. Source: the platform's pages about its API."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names

SITE: Final = "projects/acme%2Fsite"
NOW: Final = "2020-11-20T09:00:00.000Z"
WORLD: Final[dict[str, Any]] = {
    "users": ["root", "ada"],
    "groups": [
        {"path": "acme", "members": {"ada": "owner"}, "groups": [{"path": "data"}]},
        {"path": "database", "members": {"ada": "owner"}},
        {"path": "other", "name": "data lake", "members": {"ada": "owner"}},
    ],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "repository": {
                "commits": [
                    {"message": "1", "files": {"a": "1"}},
                    {"message": "2", "branch": "one", "from": "main", "files": {"b": "1"}},
                    {"message": "3", "branch": "two", "from": "main", "files": {"c": "1"}},
                ]
            },
            "environments": [{"name": "production"}],
            "issues": [
                {"title": "b", "due_date": "2020-11-20"},
                {"title": "c", "due_date": "2020-11-21"},
                {"title": "a"},
            ],
        }
    ],
    "runners": [
        {"description": "never", "created_at": "2020-11-19T09:00:00.000Z"},
        {"description": "stale", "created_at": "2020-01-01T09:00:00.000Z", "contacted_at": "2020-08-01T09:00:00.000Z"},
        {"description": "forgotten", "created_at": "2020-01-01T09:00:00.000Z"},
        {"description": "recent", "created_at": "2020-01-01T09:00:00.000Z", "contacted_at": "2020-11-19T09:00:00.000Z"},
    ],
}

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest", clock="virtual", start=NOW)


def list_values(fake: Fakeplat, path: str, field: str, by: str = "ada") -> list[Any]:
    reply = fake.as_user(by).get(path)
    assert 200 == reply.status, reply.text
    return names(reply.json(), field)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("asc", ["v1.9.0", "v1.10.0-rc1", "v1.10.0", "v1.10.0.1"]),
        ("desc", ["v1.10.0.1", "v1.10.0", "v1.10.0-rc1", "v1.9.0"]),
    ],
)
def test_tags_are_sorted_as_versions(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Numbers in the names of tags are compared as numbers, and a word after a version makes it an earlier one."""
    for name in ("v1.10.0", "v1.9.0", "v1.10.0-rc1", "v1.10.0.1"):
        assert (
            201
            == fakeplat.as_user("ada").post(f"{SITE}/repository/tags", json={"tag_name": name, "ref": "main"}).status
        )

    assert expected == list_values(fakeplat, f"{SITE}/repository/tags?order_by=version&sort={sort}", "name")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=data&order_by=similarity", ["acme/data", "database", "other"]),
        ("search=data&order_by=similarity&sort=asc", ["acme/data", "database", "other"]),
        ("order_by=similarity", ["acme", "acme/data", "other", "database"]),
    ],
)
def test_groups_are_sorted_by_similarity(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Groups that resemble the searched text most come first; without a text they are sorted by name."""
    assert expected == list_values(fakeplat, f"groups?{query}", "full_path")


@pytest.mark.parametrize("query", ["status={}", "scope={}"])
@pytest.mark.parametrize(
    ("status", "expected"), [("never_contacted", ["forgotten", "never"]), ("stale", ["forgotten", "stale"])]
)
def test_runners_are_filtered_by_their_contacts(
    fakeplat: Fakeplat, query: str, status: str, expected: list[str]
) -> None:
    """A stale runner has not contacted the platform for three months, or was created so long ago and never did."""
    assert expected == sorted(list_values(fakeplat, f"runners/all?{query.format(status)}", "description", "root"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=title", ["c", "b", "a"]),
        ("order_by=title&sort=asc", ["a", "b", "c"]),
        ("order_by=title&sort=asc&due_date=any", ["b", "c"]),
        ("due_date=today", ["b"]),
        ("due_date=tomorrow", ["c"]),
    ],
)
def test_issues_by_title_and_due_date(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Issues are sorted by title, and found by the day on which they are due."""
    assert expected == list_values(fakeplat, f"{SITE}/issues?{query}", "title")


@pytest.mark.parametrize(("sort", "expected"), [("asc", ["one", "two", "open"]), ("desc", ["two", "one", "open"])])
def test_merge_requests_by_the_time_of_their_merge(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Merge requests are sorted by the time at which they were merged; those that were not come last."""
    ada = fakeplat.as_user("ada")
    for title, branch in (("one", "one"), ("two", "two")):
        sent = {"title": title, "source_branch": branch, "target_branch": "main"}
        merge_request = ada.post(f"{SITE}/merge_requests", json=sent).json()
        assert 200 == ada.put(f"{SITE}/merge_requests/{merge_request['iid']}/merge").status
        fakeplat.clock.advance("1h")
    ada.post(f"{SITE}/repository/branches", json={"branch": "late", "ref": "one"})
    ada.post(f"{SITE}/merge_requests", json={"title": "open", "source_branch": "late", "target_branch": "main"})

    assert expected == list_values(fakeplat, f"{SITE}/merge_requests?order_by=merged_at&sort={sort}", "title")
    by_title = list_values(fakeplat, f"{SITE}/merge_requests?order_by=title&sort={sort}", "title")
    assert sorted(expected, reverse=sort == "desc") == by_title


@pytest.mark.parametrize(
    ("sort", "expected"), [("asc", ["success", "failed", "running"]), ("desc", ["running", "failed", "success"])]
)
def test_deployments_by_their_end(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Deployments are sorted by the time of their end; those that have not ended count as the latest."""
    ada = fakeplat.as_user("ada")
    sha = ada.get(f"{SITE}/repository/branches/main").json()["commit"]["id"]
    for status in ("running", "success", "failed"):
        sent = {"environment": "production", "ref": "main", "sha": sha, "tag": False, "status": status}
        assert 201 == ada.post(f"{SITE}/deployments", json=sent).status
        fakeplat.clock.advance("1m")

    assert expected == list_values(fakeplat, f"{SITE}/deployments?order_by=finished_at&sort={sort}", "status")


@pytest.mark.parametrize(
    "path",
    [
        f"{SITE}/deployments?status=blocked",
        f"{SITE}/environments?states=stopping",
        f"{SITE}/packages?package_type=helm",
        "todos?action=review_requested",
        "todos?type=WorkItem",
    ],
)
def test_what_has_no_records_is_an_empty_list(fakeplat: Fakeplat, path: str) -> None:
    """A value that no record has here selects nothing."""
    assert [] == list_values(fakeplat, path, "id")
