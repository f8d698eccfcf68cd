"""Pages of lists of projects, and the lists of one user.

Source: docs/platform/projects.md, docs/platform/pagination.md.
"""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import PROJECT_FULL, PROJECT_SIMPLE
from tests.api.lists_world import ALPHA, OPEN, WORLD
from tests.api.requests import PAGE_HEADERS, UNAUTHORIZED, outcome, paths, person, refusal, resource_not_found

# pages


@pytest.mark.parametrize(
    "path", ["projects", "users/2/projects", "users/2/starred_projects", "projects/acme%2Fdocs/starrers"]
)
def test_lists_have_headers_of_pages(fakeplat: Fakeplat, path: str) -> None:
    """Every list of projects and of starrers is paged."""
    headers = fakeplat.as_user("ada").get(path).headers

    assert list(PAGE_HEADERS) == [name for name in PAGE_HEADERS if name in headers]


def test_a_list_can_be_counted_without_reading_it(fakeplat: Fakeplat) -> None:
    """HEAD answers the headers of pages and no body."""
    reply = fakeplat.as_user("ada").head("projects")

    assert (200, b"", "4") == (reply.status, reply.content, reply.headers["X-Total"])


def test_pages_by_number(fakeplat: Fakeplat) -> None:
    """The second of two pages of three names the first, and there is none after it."""
    reply = fakeplat.as_user("ada").get("projects?order_by=id&sort=asc&per_page=3&page=2")

    assert ["ada/notes"] == paths(reply)
    assert ("4", "2", "3", "2", "", "1") == tuple(reply.headers[name] for name in PAGE_HEADERS[:-1])
    assert ["prev", "first", "last"] == [part.split('"')[1] for part in reply.headers["Link"].split(", ")]


def test_pages_by_key(fakeplat: Fakeplat) -> None:
    """Keyset pages follow a link with id_before until one is empty and has no link."""
    calls, seen = fakeplat.as_user("ada"), []
    reply = calls.get("projects?pagination=keyset&order_by=id&per_page=3")
    while "Link" in reply.headers:
        assert 'rel="next"' in reply.headers["Link"]
        assert "X-Total" not in reply.headers
        seen.append(paths(reply))
        reply = calls.get(reply.headers["Link"].split(">")[0].removeprefix("<"))

    assert [["ada/notes", "acme/tools/kit", "acme/docs"], ["acme/site"]] == seen
    assert (200, []) == outcome(reply)


@pytest.mark.parametrize(
    ("sort", "key", "last"), [("desc", "id_before", "acme/site"), ("asc", "id_after", "ada/notes")]
)
def test_the_next_key_is_the_last_id(fakeplat: Fakeplat, sort: str, key: str, last: str) -> None:
    """The link of a keyset page keeps the parameters, replaces a key that was sent, and stands twice."""
    reply = fakeplat.as_user("ada").get(f"projects?pagination=keyset&order_by=id&sort={sort}&simple=true")
    address, _, rel = reply.headers["Link"].partition(">; ")
    query = dict(parse_qsl(urlsplit(address.removeprefix("<")).query))

    assert ('rel="next"', reply.headers["Link"]) == (rel, reply.headers["Links"])
    expected = {
        "pagination": "keyset",
        "order_by": "id",
        "sort": sort,
        "simple": "true",
        key: str(fakeplat.world.project(last).id),
    }
    assert expected.items() <= query.items()
    assert list(query) == sorted(query)


KEYSET = (405, {"error": "Keyset pagination is not yet available for this type of request"})
OFFSET = (
    405,
    {
        "error": "Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type "
        "Project. Remaining records can be retrieved using keyset pagination."
    },
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pagination=keyset", KEYSET),
        ("pagination=keyset&order_by=name", KEYSET),
        ("page=501&per_page=100", OFFSET),
        ("page=50001&per_page=1", OFFSET),
    ],
)
@pytest.mark.parametrize("path", ["projects", "users/2/projects"])
def test_pages_that_there_cannot_be(fakeplat: Fakeplat, path: str, query: str, expected: tuple[int, Any]) -> None:
    """Keys need the order by id; numbers end at 50,000."""
    assert expected == refusal(fakeplat, "ada", "GET", f"{path}?{query}")


def test_the_last_page_by_number(fakeplat: Fakeplat) -> None:
    """Exactly 50,000 is still answered, with an empty page."""
    assert (200, []) == outcome(fakeplat.as_user("ada").get("projects?page=500&per_page=100"))


# projects of a user


@pytest.mark.parametrize("reference", ["2", "ada", "ADA"])
@pytest.mark.parametrize(
    ("viewer", "expected"), [(None, []), ("eve", []), ("ada", ["ada/notes"]), ("root", ["ada/notes"])]
)
def test_projects_of_a_user(fakeplat: Fakeplat, reference: str, viewer: str | None, expected: list[str]) -> None:
    """The projects in a user's namespace are listed by id or name as far as visible."""
    assert expected == paths(fakeplat.as_user(viewer).get(f"users/{reference}/projects"))


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        (None, "", PROJECT_SIMPLE),
        ("eve", "simple=true", PROJECT_SIMPLE),
        ("eve", "", PROJECT_FULL | {"owner", "permissions"}),
    ],
)
def test_views_of_projects_of_a_user(fakeplat: Fakeplat, viewer: str | None, query: str, fields: set[str]) -> None:
    """Anonymous callers get the simple view of a user's projects, others the full one."""
    (project,) = fakeplat.as_user(viewer).get(f"users/ben/projects?{query}").json()

    assert fields == set(project)


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "user", "expected"),
    [
        ("ben", "ben", [OPEN, ALPHA]),
        ("eve", "ben", [OPEN]),
        (None, "ben", [OPEN]),
        ("ann", "eve", [OPEN]),
        ("ann", "ann", []),
    ],
)
def test_starred_projects_of_a_user(fakeplat: Fakeplat, viewer: str | None, user: str, expected: list[str]) -> None:
    """The projects with a user's star that the caller sees, the latest made first."""
    assert expected == paths(fakeplat.as_user(viewer).get(f"users/{person(fakeplat, user)}/starred_projects"))


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "listed"), [(None, []), ("eve", []), ("ben", [OPEN, ALPHA]), ("root", [OPEN, ALPHA])]
)
def test_starred_projects_of_a_private_profile(fakeplat: Fakeplat, viewer: str | None, listed: list[str]) -> None:
    """The stars of a private profile are shown to its user and to administrators."""
    fakeplat.as_user("root").put(f"users/{person(fakeplat, 'ben')}", json={"private_profile": True})

    assert listed == paths(fakeplat.as_user(viewer).get("users/ben/starred_projects"))


@pytest.mark.parametrize("viewer", [None, "eve", "root"])
@pytest.mark.parametrize("list_", ["projects", "starred_projects"])
@pytest.mark.parametrize("reference", ["999", "stranger"])
def test_there_is_no_such_user(fakeplat: Fakeplat, viewer: str | None, list_: str, reference: str) -> None:
    """Lists of an unknown user are not found."""
    assert resource_not_found("User") == refusal(fakeplat, viewer, "GET", f"users/{reference}/{list_}")


def test_a_wrong_token_lists_nothing(fakeplat: Fakeplat) -> None:
    """An unknown token is refused even where nobody may list."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "projects", headers={"private-token": "wrong"})
