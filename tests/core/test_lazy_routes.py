"""Operations are declared when they are first asked for, whether the table of lazy routes is right or stale."""

from functools import cache
from typing import Any

import attrs
import pytest

from fakeplat.core.operations import operation as kernel
from fakeplat.core.operations.operation import OPERATIONS, LazyRoute, Operation, Operations
from fakeplat.core.release import EVERYTHING
from fakeplat.pipeline import routing

STAR, UNSTAR = OPERATIONS["star_project"], OPERATIONS["unstar_project"]
ELSEWHERE = attrs.evolve(STAR, tail="stars")
PATH, NEW_PATH = "/api/v4/projects/7/star", "/api/v4/projects/7/stars"


class Modules:
    """What some modules declare when they are imported, into operations of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.operations = Operations()
        self.declares: dict[str, list[Operation]] = {}
        self.imported: list[str] = []
        monkeypatch.setattr(kernel, "import_module", self._import)
        monkeypatch.setattr(routing, "OPERATIONS", self.operations)
        monkeypatch.setattr(routing, "_router", cache(routing._router.__wrapped__))

    def _import(self, name: str) -> None:
        if name not in self.imported:
            self.imported.append(name)
            for operation in self.declares[name]:
                self.operations.add(operation)

    def register(self, *operations: Operation) -> None:
        self.operations.add_lazy_routes(operation.lazy_route for operation in operations)

    def found(self, method: str, path: str) -> str | None:
        match: Any = routing._match(method, path, EVERYTHING)
        return str(match.route.name) if match.route else None


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Modules:
    return Modules(monkeypatch)


def test_a_module_is_imported_with_the_first_request_for_it(modules: Modules) -> None:
    """The first request for an operation imports its module and no other."""
    other = UNSTAR.lazy_route._replace(module="other")
    modules.operations.add_lazy_routes([STAR.lazy_route, other])
    modules.declares = {STAR.lazy_route.module: [STAR]}
    assert "star_project" == modules.found("POST", PATH)
    assert [STAR.lazy_route.module] == modules.imported


def test_all_modules_are_imported_before_a_route_is_missing(modules: Modules) -> None:
    """An operation that the table does not list is found, since all modules are imported before a 404."""
    modules.register(STAR)
    modules.declares = {STAR.lazy_route.module: [STAR, UNSTAR]}
    assert "unstar_project" == modules.found("POST", "/api/v4/projects/7/unstar")


def test_an_operation_that_moved_is_found_where_it_is(modules: Modules) -> None:
    """If the table is stale, an operation is found at the path that its module declares."""
    modules.register(STAR)
    modules.declares = {STAR.lazy_route.module: [ELSEWHERE]}
    assert [None, "star_project"] == [modules.found("POST", PATH), modules.found("POST", NEW_PATH)]


def test_an_operation_that_is_gone_is_not_found(modules: Modules) -> None:
    """A route that its module does not declare any more is dropped."""
    modules.register(STAR, UNSTAR)
    modules.declares = {STAR.lazy_route.module: [UNSTAR]}
    assert None is modules.found("POST", PATH)
    assert ["unstar_project"] == [operation.name for operation in modules.operations]


def test_all_operations_are_there_for_whoever_asks_for_all(modules: Modules) -> None:
    """Iterating, counting and looking up operations include those that the table does not list."""
    modules.register(STAR)
    modules.declares = {STAR.lazy_route.module: [STAR, UNSTAR]}
    assert "unstar_project" in modules.operations
    assert (2, [STAR, UNSTAR]) == (len(modules.operations), [*modules.operations])


def test_two_of_a_name_are_a_mistake(modules: Modules) -> None:
    """Registering a second operation of the same name is refused."""
    modules.operations.add(STAR)
    with pytest.raises(ValueError, match="two operations are named star_project"):
        modules.operations.add(ELSEWHERE)


def test_a_lazy_route_says_all_that_leads_to_an_operation() -> None:
    """A lazy route includes the parameters of digits and the endings of its operation."""
    assert ("id",) == OPERATIONS["get_user"].lazy_route.digits
    archive = OPERATIONS["download_repository_archive"]
    assert (
        LazyRoute(archive.call.__module__, archive.name, "GET", archive.path, (), archive.endings) == archive.lazy_route
    )
    assert ".zip" in archive.endings


def test_no_two_operations_have_the_same_method_and_path() -> None:
    """The path of each operation, taken as a request, matches a route of its method without ambiguity."""
    for route in OPERATIONS.lazy_routes():
        parts = route.path.split("/")
        path = "/".join("7" if part[1:] in route.digits else "x" if part[:1] in (":", "*") else part for part in parts)
        for ending in ("", *route.endings):
            assert routing._match(route.method, f"{path}{ending}", EVERYTHING).route is not None, route.name
