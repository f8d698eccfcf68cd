import sys
from collections.abc import Iterable
from types import FrameType

import pytest
from attrs import frozen

from fakeplat.core.operations.router import AmbiguousRoute, Match, Router


@frozen
class Route:
    method: str
    path: str


def build_router(*routes: str, digits: Iterable[tuple[str, str]] = ()) -> Router[Route]:
    """A router of routes such as ``GET /projects/:id``."""
    return Router([Route(*route.split()) for route in routes], digits)


PLATFORM = build_router(
    "GET /version",
    "GET /projects",
    "POST /projects",
    "GET /projects/:id",
    "PUT /projects/:id",
    "DELETE /projects/:id",
    "POST /projects/user/:user_id",
    "GET /projects/:id/members/all",
    "GET /projects/:id/members/:user_id",
    "GET /projects/:id/repository/files/*file_path",
    "PUT /projects/:id/labels/promote",
    "GET /projects/:id/labels/:name",
    "GET /packages/*path/:file_name",
    "GET /users/:id",
    "GET /users/:user_id/projects",
    "POST /star",
    digits=[("/users/:id", "id")],
)


@pytest.mark.parametrize(
    ("path", "route", "values"),
    [
        ("/version", "/version", {}),
        ("/projects", "/projects", {}),
        ("/projects/", "/projects", {}),
        ("/projects/7", "/projects/:id", {"id": "7"}),
        ("/projects/acme%2Fsite", "/projects/:id", {"id": "acme/site"}),
        ("/projects/acme%2fsite/members/3", "/projects/:id/members/:user_id", {"id": "acme/site", "user_id": "3"}),
        ("/projects/a%20b%25", "/projects/:id", {"id": "a b%"}),
        ("/projects/1/members/all", "/projects/:id/members/all", {"id": "1"}),
        ("/projects/1/members/%61ll", "/projects/:id/members/all", {"id": "1"}),
        ("/projects/1/members/ally", "/projects/:id/members/:user_id", {"id": "1", "user_id": "ally"}),
        (
            "/projects/1/repository/files/a/b%2Fc.json",
            "/projects/:id/repository/files/*file_path",
            {"id": "1", "file_path": "a/b/c.json"},
        ),
        ("/projects/1/labels/promote", "/projects/:id/labels/:name", {"id": "1", "name": "promote"}),
        ("/packages/a/b/c.jar", "/packages/*path/:file_name", {"path": "a/b", "file_name": "c.jar"}),
        ("/users/12", "/users/:id", {"id": "12"}),
        ("/users/12/projects", "/users/:user_id/projects", {"user_id": "12"}),
        ("/users/ada/projects", "/users/:user_id/projects", {"user_id": "ada"}),
        ("/version.json", "/version", {}),
        ("/projects.json", "/projects", {}),
        ("/projects/7.json", "/projects/:id", {"id": "7"}),
        ("/users/12.json", "/users/:id", {"id": "12"}),
        ("/projects/1/members/all.json", "/projects/:id/members/all", {"id": "1"}),
    ],
)
def test_a_path_leads_to_its_route(path: str, route: str, values: dict[str, str]) -> None:
    """A path matches the most specific route; ``%2F`` is part of a segment, and ``.json`` may follow."""
    assert Match(Route("GET", route), values) == PLATFORM.match("GET", path)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nothing",
        "/projects/1/nothing",
        "/projects/1/repository/files",
        "/users/ada",
        "/users/1x",
        "/users/\u0661",
        "/users/%31x",
        "/users/.json",
        "/versions",
        "/version.xml",
        "/version/json",
    ],
)
def test_another_path_leads_nowhere(path: str) -> None:
    """A path that matches no route has no allowed methods; a parameter of digits matches only digits."""
    assert Match(None, {}) == PLATFORM.match("GET", path)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/projects", ("GET", "POST")),
        ("POST", "/projects/1", ("DELETE", "GET", "PUT")),
        ("PATCH", "/version", ("GET",)),
        ("GET", "/star", ("POST",)),
        ("HEAD", "/star", ("POST",)),
    ],
)
def test_a_path_without_the_method_says_which_it_has(method: str, path: str, allowed: tuple[str, ...]) -> None:
    """A known path without a route of the method gives the methods that it has."""
    assert Match(None, {}, allowed) == PLATFORM.match(method, path)


def test_head_goes_where_get_goes() -> None:
    """HEAD matches every route of GET."""
    assert PLATFORM.match("GET", "/projects/1") == PLATFORM.match("HEAD", "/projects/1")


@pytest.mark.parametrize(
    ("routes", "path", "expected"),
    [
        (("/a/:x", "/a/b"), "/a/b", "/a/b"),
        (("/a/*x", "/a/:x"), "/a/b", "/a/:x"),
        (("/a/*x", "/a/:x"), "/a/b/c", "/a/*x"),
        (("/a/:x/c", "/a/b/d"), "/a/b/c", "/a/:x/c"),
        (("/a/:x/c", "/a/b"), "/a/b/c", "/a/:x/c"),
        (("/a/*x", "/a/b/c"), "/a/b/d", "/a/*x"),
    ],
)
def test_the_more_particular_route_wins_and_the_other_is_tried_next(
    routes: tuple[str, ...], path: str, expected: str
) -> None:
    """Fixed text beats a segment and a segment the rest of a path, with backtracking, in any order of routes."""
    for declared in (routes, routes[::-1]):
        assert Route("GET", expected) == build_router(*[f"GET {route}" for route in declared]).match("GET", path).route


def test_digits_beat_any_text() -> None:
    """A parameter that matches only digits beats another parameter in the same place."""
    both = build_router("GET /a/:id", "GET /a/:name", digits=[("/a/:id", "id")])
    assert {"id": "7"} == both.match("GET", "/a/7").values
    assert {"name": "seven"} == both.match("GET", "/a/seven").values


@pytest.mark.parametrize(
    "routes", [("GET /a/:x", "GET /a/:y"), ("GET /a", "GET /a"), ("GET /a/*x", "GET /a/*y"), ("GET /a", "GET a/")]
)
def test_two_routes_for_the_same_paths_are_refused(routes: tuple[str, str]) -> None:
    """Two routes for the same paths are refused at the first request to one of them."""
    with pytest.raises(AmbiguousRoute):
        build_router(*routes).match("GET", "/a/7" if "/a/" in routes[0] else "/a")


def test_two_methods_may_name_a_parameter_differently() -> None:
    """Routes of two methods can have different names for a parameter in the same place."""
    mixed = build_router("GET /a/:id", "PUT /a/:name")
    assert {"id": "1"} == mixed.match("GET", "/a/1").values
    assert {"name": "1"} == mixed.match("PUT", "/a/1").values


def test_finding_a_route_costs_the_length_of_the_path() -> None:
    """A thousand more routes do not add a step to matching a path."""
    many = build_router("GET /things/:id/parts", *[f"GET /things{number}/:id/parts" for number in range(1_000)])
    few = build_router("GET /things/:id/parts")
    assert _count_steps(few) == _count_steps(many)


def _count_steps(built: Router[Route]) -> int:
    steps = 0

    def count(frame: FrameType, *_: object) -> None:  # the collector may run anything in between
        nonlocal steps
        steps += frame.f_globals["__name__"] == Router.__module__

    built.match("GET", "/things/1/parts")
    sys.setprofile(count)
    try:
        built.match("GET", "/things/1/parts")
    finally:
        sys.setprofile(None)
    return steps


PAGES = build_router(
    "GET /-/health", "GET /*path", "POST /*project/alerts/notify.json", "GET /*project/-/alerts/:iid/details"
)


@pytest.mark.parametrize(
    ("method", "path", "route", "values"),
    [
        ("POST", "/acme/site/alerts/notify.json", "/*project/alerts/notify.json", {"project": "acme/site"}),
        ("POST", "/a/b%2Fc/d/alerts/notify.json", "/*project/alerts/notify.json", {"project": "a/b/c/d"}),
        ("POST", "/acme/alerts/alerts/notify.json", "/*project/alerts/notify.json", {"project": "acme/alerts"}),
        (
            "GET",
            "/acme/site/-/alerts/7/details",
            "/*project/-/alerts/:iid/details",
            {"project": "acme/site", "iid": "7"},
        ),
        ("GET", "/acme/site/-/alerts/7", "/*path", {"path": "acme/site/-/alerts/7"}),
        ("GET", "/acme", "/*path", {"path": "acme"}),
        ("GET", "/-/health", "/-/health", {}),
        ("GET", "/-/healthy", "/*path", {"path": "-/healthy"}),
    ],
)
def test_a_rest_can_stand_before_other_parts(method: str, path: str, route: str, values: dict[str, str]) -> None:
    """A wildcard before other segments matches one or more segments and leaves the last ones to them."""
    assert Match(Route(method, route), values) == PAGES.match(method, path)


@pytest.mark.parametrize("path", ["/alerts/notify.json", "/acme/alerts", "/acme/alerts/notify"])
def test_a_rest_takes_at_least_one_segment(path: str) -> None:
    """A path without a segment for the wildcard, or with incomplete segments after it, does not match."""
    assert PAGES.match("POST", path).route is None


@pytest.mark.parametrize(
    ("path", "matches"),
    [("/a/archive", True), ("/a/archive.zip", True), ("/a/archive.tar.gz", True), ("/a/archive.rar", False)],
)
def test_what_may_stand_right_behind_a_path(path: str, matches: bool) -> None:
    """A path may end with the endings declared for its route and with no others."""
    route = Route("GET", "/:id/archive")
    endings = [("/:id/archive", ".zip"), ("/:id/archive", ".tar.gz"), ("/other", ".rar")]
    match = Router([route], endings=endings).match("GET", path)

    assert Match(route if matches else None, {"id": "a"} if matches else {}) == match
