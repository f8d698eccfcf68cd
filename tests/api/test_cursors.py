"""Lists whose pages begin after a cursor. Source: docs/platform/pagination.md ('Cursors')."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ANONYMOUS_LISTS_OF_GROUPS_END,
    CURSORS_ARE_HEADERS,
    EVERYBODY_SORTS_USERS,
    ISSUES_HAVE_CURSORS,
    LINK_HEADER_HAS_ONE_NAME,
    LISTS_OF_USERS_END,
    USERS_HAVE_CURSORS,
)
from fakeplat.workbench.journal_entries import Reply
from tests.api.requests import outcome, refusal
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
NO_KEYSET = (405, {"error": "Keyset pagination is not yet available for this type of request"})

pytestmark = pytest.mark.fakeplat(scenario="starter", version="latest", tier="premium")


def list_pages(fake: Fakeplat, by: str | None, path: str) -> Iterator[Reply]:
    """Yield the pages of a list, from link to link."""
    caller = fake.as_user(by)
    while path:
        page = caller.get(path)
        yield page
        path = next_link(page)


def next_link(page: Reply) -> str:
    link = re.search(r'<([^>]*)>; rel="next"', page.headers.get("Link", ""))
    return link[1] if link else ""


def list_values(fake: Fakeplat, by: str | None, path: str, name: str) -> list[list[Any]]:
    return [[row[name] for row in page.json()] for page in list_pages(fake, by, path)]


def create_issues(fake: Fakeplat) -> None:
    for title, due_date, weight in (("c", "2021-01-02", 3), ("a", None, 1), ("b", "2021-01-02", None), ("a", None, 3)):
        fields = {"title": title, "due_date": due_date, "weight": weight, "labels": "paged"}
        assert 201 == fake.as_user("ada").post(f"{SITE}/issues", json=fields).status
        fake.clock.advance("1m")


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("order_by", ["created_at", "updated_at", "title", "due_date", "relative_position", "weight"])
def test_issues_of_a_project_are_listed_by_cursors(fakeplat: Fakeplat, order_by: str, sort: str) -> None:
    """In each order of a column, with equal and with missing values, the pages are those of the whole list."""
    create_issues(fakeplat)
    path = f"{SITE}/issues?labels=paged&order_by={order_by}&sort={sort}"
    (whole,) = list_values(fakeplat, "ada", f"{path}&per_page=20", "iid")
    assert 4 == len(whole)

    pages = list_values(fakeplat, "ada", f"{path}&pagination=keyset&per_page=1", "iid")
    assert [[iid] for iid in whole] == pages
    assert [whole[:3], whole[3:]] == list_values(fakeplat, "ada", f"{path}&pagination=keyset&per_page=3", "iid")


def test_a_cursor_outlives_its_issue(fakeplat: Fakeplat) -> None:
    """The next page begins where the last issue of the page before was, also after that was deleted."""
    create_issues(fakeplat)
    path = f"{SITE}/issues?labels=paged&order_by=title&sort=asc&pagination=keyset&per_page=2"
    first = fakeplat.as_user("ada").get(path)
    last = first.json()[-1]
    assert 204 == fakeplat.as_user("root").delete(f"{SITE}/issues/{last['iid']}").status

    assert ["b", "c"] == [issue["title"] for issue in fakeplat.as_user("ada").get(next_link(first)).json()]


@by_release(ISSUES_HAVE_CURSORS, "expected", {"18.2": "1", "18.3": None})
def test_pages_with_cursors_have_no_numbers(fakeplat: Fakeplat, expected: str | None) -> None:
    """Later releases number no pages of issues with cursors; before, the wish for cursors is ignored."""
    page = fakeplat.as_user("ada").get(f"{SITE}/issues?pagination=keyset")
    assert [expected] * 2 == [page.headers.get(name) for name in ("X-Page", "X-Total-Pages")]


@pytest.mark.parametrize("order_by", ["priority", "label_priority", "milestone_due", "popularity"])
def test_computed_orders_have_numbers_of_pages(fakeplat: Fakeplat, order_by: str) -> None:
    """Issues in an order that is not a column have no cursors; the wish for them is ignored."""
    page = fakeplat.as_user("ada").get(f"{SITE}/issues?pagination=keyset&order_by={order_by}")
    assert (200, "1") == (page.status, page.headers["X-Page"])


@pytest.mark.parametrize("sort", ["asc", "desc"])
@pytest.mark.parametrize("order_by", ["id", "name", "username", "created_at", "updated_at"])
def test_users_are_listed_by_cursors(fakeplat: Fakeplat, order_by: str, sort: str) -> None:
    """Administrators choose the order of the pages of users."""
    path = f"users?order_by={order_by}&sort={sort}"
    (whole,) = list_values(fakeplat, "root", path, "username")
    pages = list_values(fakeplat, "root", f"{path}&pagination=keyset&per_page=3", "username")
    assert [whole[start : start + 3] for start in range(0, len(whole), 3)] == pages


@by_release(EVERYBODY_SORTS_USERS, "expected", {"17.11": "id", "18.0": "name"})
def test_whoever_cannot_choose_gets_the_newest_users_first(fakeplat: Fakeplat, expected: str) -> None:
    """Whoever is no administrator gets users by descending id in earlier releases, whatever order was asked for."""
    path = "users?pagination=keyset&order_by=name&sort=asc&per_page=3"
    shown = [value for page in list_values(fakeplat, "ada", path, expected) for value in page]
    assert sorted(shown, reverse=expected == "id") == shown
    assert 3 < len(shown)


@by_release(USERS_HAVE_CURSORS, "expected", {"16.4": "1", "16.5": None})
def test_users_have_cursors_in_later_releases(fakeplat: Fakeplat, expected: str | None) -> None:
    """Earlier releases ignore the wish for cursors."""
    assert expected == fakeplat.as_user("root").get("users?pagination=keyset").headers.get("X-Page")


@by_release(LISTS_OF_USERS_END, "status", {"16.11": 200, "17.0": 405})
def test_offsets_of_users_are_limited(fakeplat: Fakeplat, status: int) -> None:
    """Beyond 50,000 users a later release asks for cursors."""
    page = fakeplat.as_user("root").get("users?page=501&per_page=100")
    assert status == page.status
    if status == 405:
        text = "Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type User. "
        assert {"error": f"{text}Remaining records can be retrieved using keyset pagination."} == page.json()


@by_release(ANONYMOUS_LISTS_OF_GROUPS_END, "expected", {"14.9": "1", "14.10": None})
def test_anonymous_callers_list_groups_by_cursors(fakeplat: Fakeplat, expected: str | None) -> None:
    """Groups have cursors by ascending name, for anonymous callers only; other orders are refused."""
    path = "groups?pagination=keyset&per_page=1"
    assert expected == fakeplat.as_user(None).get(path).headers.get("X-Page")
    assert "1" == fakeplat.as_user("ada").get(path).headers["X-Page"]
    if expected is None:
        (whole,) = list_values(fakeplat, None, "groups", "full_path")
        assert [[path] for path in whole] == list_values(fakeplat, None, path, "full_path")
        assert NO_KEYSET == outcome(fakeplat.as_user(None).get(f"{path}&sort=desc"))
        assert NO_KEYSET == outcome(fakeplat.as_user(None).get(f"{path}&order_by=path"))


AUDIT_EVENTS = {"groups/acme/audit_events": "15.2", f"{SITE}/audit_events": "15.10", "audit_events": "15.11"}


@pytest.mark.parametrize("path", AUDIT_EVENTS, ids=["group", "project", "instance"])
@pytest.mark.parametrize("version", ["15.1", "15.2", "15.9", "15.10", "15.11", "latest"])
def test_audit_events_have_cursors(fakeplat_factory: Any, path: str, version: str) -> None:
    """The newest audit events come first, and another order is refused, from a release on for each list."""
    fake = fakeplat_factory(scenario="starter", tier="premium", version=version)
    root = fake.as_user("root")
    for name in "abc":
        assert 201 == root.post(f"{SITE}/protected_branches", json={"name": name}).status
        assert (
            201
            == root.post("groups/acme/members", json={"user_id": fake.world.user("eve").id, "access_level": 10}).status
        )
        assert 204 == root.delete(f"groups/acme/members/{fake.world.user('eve').id}").status
    has_cursors = version == "latest" or as_numbers(version) >= as_numbers(AUDIT_EVENTS[path])
    page = root.get(f"{path}?pagination=keyset&per_page=2")
    assert ("X-Page" in page.headers) is not has_cursors
    if has_cursors:
        (whole,) = list_values(fake, "root", path, "id")
        pages = list_values(fake, "root", f"{path}?pagination=keyset&per_page=2", "id")
        assert [whole[start : start + 2] for start in range(0, len(whole), 2)] == pages
        assert NO_KEYSET == refusal(fake, "root", "GET", f"{path}?pagination=keyset&sort=asc")


def as_numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@by_release(CURSORS_ARE_HEADERS, "expected", {"18.8": False, "18.9": True})
def test_cursors_are_headers(fakeplat: Fakeplat, expected: bool) -> None:
    """The cursors of the next and of the previous page are headers, where there is such a page."""
    path, root = "users?pagination=keyset&order_by=id&sort=asc&per_page=2", fakeplat.as_user("root")
    (ids,) = list_values(fakeplat, "root", "users?order_by=id&sort=asc", "id")
    first = root.get(path)
    assert (expected, False) == ("X-NEXT-CURSOR" in first.headers, "X-PREV-CURSOR" in first.headers)
    if expected:
        second = root.get(f"{path}&cursor={first.headers['X-NEXT-CURSOR']}")
        assert ids[2:4] == [user["id"] for user in second.json()]
        before = root.get(f"{path}&cursor={second.headers['X-PREV-CURSOR']}")
        assert (first.json(), False) == (before.json(), "X-PREV-CURSOR" in before.headers)
        assert second.json() == root.get(f"{path}&cursor={before.headers['X-NEXT-CURSOR']}").json()


def test_a_cursor_that_is_none_gives_the_first_page(fakeplat: Fakeplat) -> None:
    """A cursor that cannot be read, or one of another order, begins at the beginning."""
    path, root = "users?pagination=keyset&order_by=name&sort=asc&per_page=2", fakeplat.as_user("root")
    first = root.get(path).json()
    other = root.get("users?pagination=keyset&order_by=id&per_page=2").headers["X-NEXT-CURSOR"]
    assert [first] * 3 == [root.get(f"{path}&cursor={cursor}").json() for cursor in ("", "x", other)]


@by_release(LINK_HEADER_HAS_ONE_NAME, "expected", {"13.12": True, "14.0": False})
def test_the_link_stands_under_an_old_name(fakeplat: Fakeplat, expected: bool) -> None:
    """Early releases repeat the link of a keyset page of projects as Links."""
    headers = fakeplat.as_user("ada").get("projects?pagination=keyset&order_by=id&per_page=1").headers
    assert (True, expected) == ("Link" in headers, "Links" in headers)
