"""Lists of projects. Source: shared specification, 'Projects'; facts on projects and pagination."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.asking import PAGE_HEADERS, UNAUTHORIZED, invalid, names, no, outcome, paths, person, refusal
from tests.api.fields import PROJECT_FULL, PROJECT_PAID, PROJECT_SIMPLE

STARTER_VIEWS = [
    (None, {"acme/docs"}),
    ("ext", {"acme/docs"}),
    ("eve", {"acme/docs", "acme/tools/kit"}),
    ("gus", {"acme/docs", "acme/tools/kit", "acme/site"}),
    ("ada", {"acme/docs", "acme/tools/kit", "acme/site", "ada/notes"}),
    ("root", {"acme/docs", "acme/tools/kit", "acme/site", "ada/notes"}),
]


@pytest.mark.parametrize(("viewer", "seen"), STARTER_VIEWS)
def test_who_sees_which_projects(fakeplat: Fakeplat, viewer: str | None, seen: set[str]) -> None:
    """Public ones everybody, internal ones who is signed in and not external, private ones members."""
    assert seen == set(paths(fakeplat.as_user(viewer).get("projects")))


@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        (None, "", PROJECT_SIMPLE),
        (None, "statistics=true", PROJECT_SIMPLE),
        ("ada", "simple=true", PROJECT_SIMPLE),
        ("root", "simple=true", PROJECT_SIMPLE),
        ("ada", "search=site", PROJECT_FULL | {"permissions"}),
        ("ada", "search=notes", PROJECT_FULL | {"permissions", "owner"}),
        ("rep", "search=site&statistics=true", PROJECT_FULL | {"permissions", "statistics"}),
        ("gus", "search=site&statistics=true", PROJECT_FULL | {"permissions"}),
        ("gus", "search=site&with_custom_attributes=true", PROJECT_FULL | {"permissions"}),
        ("root", "search=site&with_custom_attributes=true", PROJECT_FULL | {"permissions", "custom_attributes"}),
    ],
)
def test_who_looks_decides_which_fields_a_project_has(
    fakeplat: Fakeplat, viewer: str | None, query: str, fields: set[str]
) -> None:
    """The simple view for nobody and on request, else the full one with permissions and what was asked for."""
    assert fields == set(fakeplat.as_user(viewer).get(f"projects?{query}").json()[0])


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("viewer", "fields"),
    [
        ("ada", PROJECT_FULL | PROJECT_PAID | {"permissions"}),
        ("root", PROJECT_FULL | PROJECT_PAID | {"permissions", "repository_storage"}),
    ],
)
def test_paid_tiers_show_more_of_a_project(fakeplat: Fakeplat, viewer: str, fields: set[str]) -> None:
    """Paid tiers add their own fields; where the repository lies is for administrators."""
    assert fields == set(fakeplat.as_user(viewer).get("projects?search=site").json()[0])


WORLD: dict[str, Any] = {
    "users": [{"username": name} for name in ("ann", "ben", "eve")],
    "groups": [
        {
            "path": "red",
            "name": "Red",
            "visibility": "public",
            "members": {"ann": "owner", "ben": "reporter"},
            "projects": [
                {
                    "path": "alpha",
                    "name": "Alpha",
                    "visibility": "private",
                    "description": "The First Thing",
                    "created_at": "2020-01-05T00:00:00Z",
                    "updated_at": "2020-08-01T00:00:00Z",
                    "last_activity_at": "2020-03-01T00:00:00Z",
                    "languages": {"Ruby": 75.25, "Shell": 24.75},
                    "custom_attributes": {"team": "x", "room": "1"},
                    "starrers": ["ben"],
                },
                {
                    "path": "beta",
                    "name": "Zeta",
                    "visibility": "internal",
                    "created_at": "2020-01-04T00:00:00Z",
                    "updated_at": "2020-07-01T00:00:00Z",
                    "last_activity_at": "2020-04-01T00:00:00Z",
                    "issues_enabled": False,
                    "custom_attributes": {"team": "x", "room": "2"},
                    "members": {"ben": "maintainer"},
                },
                {
                    "path": "gamma",
                    "name": "Gamma",
                    "visibility": "public",
                    "archived": True,
                    "created_at": "2020-01-04T00:00:00Z",
                    "updated_at": "2020-09-01T00:00:00Z",
                    "last_activity_at": "2020-05-01T00:00:00Z",
                    "merge_requests_access_level": "private",
                },
            ],
        }
    ],
    "projects": [
        {
            "path_with_namespace": "ben/open",
            "name": "Open",
            "visibility": "public",
            "created_at": "2020-01-06T00:00:00Z",
            "updated_at": "2020-06-01T00:00:00Z",
            "last_activity_at": "2020-06-01T00:00:00Z",
            "repository_storage": "second",
            "starrers": ["ben", "eve"],
        },
    ],
}
A, B, G, O = "red/alpha", "red/beta", "red/gamma", "ben/open"


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "query", "found"),
    [
        ("ben", "", {A, B, G, O}),
        ("ben", "archived=true", {G}),
        ("ben", "archived=false", {A, B, O}),
        (None, "archived=false", {O}),
        ("ben", "visibility=private", {A}),
        ("ben", "visibility=internal", {B}),
        ("ben", "visibility=public", {G, O}),
        ("ben", "search=ALPH", {A}),
        ("ben", "search=zet", {B}),
        ("ben", "search=first+thing", {A}),
        ("ben", "search=red", set()),
        ("ben", "search=red&search_namespaces=true", {A, B, G}),
        ("ben", "search=red%2Fal&search_namespaces=true", {A}),
        ("ann", "owned=true", {A, B, G}),
        ("ben", "owned=true", {O}),
        ("eve", "owned=true", set()),
        (None, "owned=true", set()),
        ("ann", "membership=true", {A, B, G}),
        ("ben", "membership=true", {A, B, G, O}),
        ("eve", "membership=true", set()),
        (None, "membership=true", set()),
        ("ben", "starred=true", {A, O}),
        ("eve", "starred=true", {O}),
        ("ann", "starred=true", set()),
        (None, "starred=true", {G, O}),
        ("ben", "with_issues_enabled=true", {A, G, O}),
        ("ben", "with_issues_enabled=false", {A, B, G, O}),
        ("eve", "with_merge_requests_enabled=true", {B, O}),
        ("ben", "with_merge_requests_enabled=true", {A, B, G, O}),
        ("ben", "with_programming_language=ruby", {A}),
        ("ben", "with_programming_language=Python", set()),
        ("ben", "min_access_level=10", {A, B, G, O}),
        ("ben", "min_access_level=20", {A, B, G, O}),
        ("ben", "min_access_level=30", {B, O}),
        ("ben", "min_access_level=40", {B, O}),
        ("ben", "min_access_level=50", {O}),
        ("ann", "min_access_level=50", {A, B, G}),
        ("eve", "min_access_level=10", set()),
        (None, "min_access_level=10", set()),
        ("ben", "owned=true&min_access_level=10", {O}),
        ("ben", "last_activity_after=2020-04-01T00:00:00Z", {B, G, O}),
        ("ben", "last_activity_before=2020-04-01T00:00:00Z", {A, B}),
        ("ben", "last_activity_after=2020-04-01&last_activity_before=2020-05-01", {B, G}),
        ("root", "repository_storage=second", {O}),
        ("ben", "repository_storage=second", {A, B, G, O}),
        ("root", "custom_attributes[team]=x", {A, B}),
        ("root", "custom_attributes[team]=x&custom_attributes[room]=2", {B}),
        ("root", "custom_attributes[team]=y", set()),
        ("root", "unheard_of=1", {A, B, G, O}),
    ],
)
def test_filters(fakeplat: Fakeplat, viewer: str | None, query: str, found: set[str]) -> None:
    """Each filter of the list of projects."""
    assert found == set(paths(fakeplat.as_user(viewer).get(f"projects?{query}")))


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", [O, A, G, B]),
        ("sort=asc", [B, G, A, O]),
        ("order_by=created_at&sort=desc", [O, A, G, B]),
        ("order_by=id&sort=asc", [A, B, G, O]),
        ("order_by=id", [O, G, B, A]),
        ("order_by=name&sort=asc", [A, G, O, B]),
        ("order_by=name", [B, O, G, A]),
        ("order_by=path&sort=asc", [A, B, G, O]),
        ("order_by=path", [O, G, B, A]),
        ("order_by=updated_at&sort=asc", [O, B, A, G]),
        ("order_by=updated_at", [G, A, B, O]),
        ("order_by=last_activity_at&sort=asc", [A, B, G, O]),
        ("order_by=last_activity_at", [O, G, B, A]),
        ("order_by=storage_size", [O, A, G, B]),
        ("order_by=repository_size&sort=asc", [B, G, A, O]),
        ("order_by=wiki_size", [O, A, G, B]),
    ],
)
def test_orders(fakeplat: Fakeplat, query: str, order: list[str]) -> None:
    """The latest made first; ties by id in the same direction; sizes are for administrators, else created_at."""
    assert order == paths(fakeplat.as_user("ben").get(f"projects?{query}"))


@pytest.mark.fakeplat(scenario=WORLD)
def test_bounds_of_ids_are_strict(fakeplat: Fakeplat) -> None:
    """The filters id_after and id_before leave their own id out."""
    first, second, third, fourth = names(fakeplat.as_user("ben").get("projects?order_by=id&sort=asc").json(), "id")

    found = fakeplat.as_user("ben").get(f"projects?id_after={first}&id_before={fourth}&order_by=id&sort=asc")
    assert [second, third] == names(found.json(), "id")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=size", invalid("order_by does not have a valid value")),
        ("sort=up", invalid("sort does not have a valid value")),
        ("visibility=secret", invalid("visibility does not have a valid value")),
        ("min_access_level=15", invalid("min_access_level does not have a valid value")),
        ("archived=maybe", invalid("archived is invalid")),
        ("id_after=x", invalid("id_after is invalid")),
        ("last_activity_after=x", invalid("last_activity_after is invalid")),
        ("page=x", invalid("page is invalid")),
        ("per_page=0", invalid("per_page has a value not allowed")),
        ("order_by=size&sort=up", invalid("order_by does not have a valid value, sort does not have a valid value")),
    ],
)
@pytest.mark.parametrize("viewer", [None, "eve"])
@pytest.mark.parametrize("path", ["projects", "users/2/projects"])
def test_parameters_that_cannot_be(
    fakeplat: Fakeplat, path: str, viewer: str | None, query: str, expected: tuple[int, Any]
) -> None:
    """A parameter of a wrong kind or value is a 400 that names it."""
    assert expected == refusal(fakeplat, viewer, "GET", f"{path}?{query}")


# pages


@pytest.mark.parametrize(
    "path", ["projects", "users/2/projects", "users/2/starred_projects", "projects/acme%2Fdocs/starrers"]
)
def test_lists_have_headers_of_pages(fakeplat: Fakeplat, path: str) -> None:
    """Every list of projects and of starrers is paged."""
    headers = fakeplat.as_user("ada").get(path).headers

    assert list(PAGE_HEADERS) == [name for name in PAGE_HEADERS if name in headers]


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
    ("viewer", "found"), [(None, []), ("eve", []), ("ada", ["ada/notes"]), ("root", ["ada/notes"])]
)
def test_projects_of_a_user(fakeplat: Fakeplat, reference: str, viewer: str | None, found: list[str]) -> None:
    """By id or name: those in the user's own namespace that the caller sees."""
    assert found == paths(fakeplat.as_user(viewer).get(f"users/{reference}/projects"))


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
    """Nobody gets the simple view, others the full one unless they ask."""
    (project,) = fakeplat.as_user(viewer).get(f"users/ben/projects?{query}").json()

    assert fields == set(project)


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "user", "found"),
    [("ben", "ben", [O, A]), ("eve", "ben", [O]), (None, "ben", [O]), ("ann", "eve", [O]), ("ann", "ann", [])],
)
def test_starred_projects_of_a_user(fakeplat: Fakeplat, viewer: str | None, user: str, found: list[str]) -> None:
    """The projects with a user's star that the caller sees, the latest made first."""
    assert found == paths(fakeplat.as_user(viewer).get(f"users/{person(fakeplat, user)}/starred_projects"))


@pytest.mark.parametrize("viewer", [None, "eve", "root"])
@pytest.mark.parametrize("list_", ["projects", "starred_projects"])
@pytest.mark.parametrize("reference", ["999", "stranger"])
def test_there_is_no_such_user(fakeplat: Fakeplat, viewer: str | None, list_: str, reference: str) -> None:
    """Lists of an unknown user are not found."""
    assert no("User") == refusal(fakeplat, viewer, "GET", f"users/{reference}/{list_}")


def test_a_wrong_token_lists_nothing(fakeplat: Fakeplat) -> None:
    """An unknown token is refused even where nobody may list."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "projects", headers={"private-token": "wrong"})
