"""Every endpoint is served or pending. Source: docs/platform/endpoints.csv, with priorities from 1, the highest."""

import csv
import re
from typing import Final

import pytest

from fakeplat.core.operations.errors import (
    OperationNotImplemented,
    PageNotAllowed,
    Refusal,
    RouteNotFound,
    reason_text,
)
from fakeplat.core.operations.http_messages import Request
from fakeplat.model.world import World
from fakeplat.pipeline.routing import route
from tests.architecture.sources import ROOT
from tests.scenario.worlds import create_platform

Endpoint = tuple[str, str]


def read_table(path: str) -> list[Endpoint]:
    """Return methods and paths of a table."""
    with (ROOT / path).open(encoding="utf-8", newline="") as table:
        return [(row["method"], row["path"]) for row in csv.DictReader(table)]


ENDPOINTS: Final = read_table("docs/platform/endpoints.csv")
PENDING: Final = read_table("tests/api/pending_endpoints.csv")
"""Endpoints that are not served yet. The list must become empty."""


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    """The documented release and the newest one, as some endpoints came soon after."""
    instances = ({"tier": "ultimate"}, {"tier": "ultimate", "version": "latest"})
    return [create_platform({"extends": "starter", "instance": instance}).view for instance in instances]


def is_served(worlds: list[World], endpoint: Endpoint) -> bool:
    """Return whether a request to an endpoint reaches an operation of one of the releases."""
    return any(is_served_in(world, endpoint) for world in worlds)


def is_served_in(world: World, endpoint: Endpoint) -> bool:
    """Return whether a request to an endpoint reaches an operation."""
    method, path = endpoint
    # Paths outside the API stand for themselves. An integration is one of its names, and an ending one of several.
    target = path if path.startswith(("/api/", "/oauth/", "/:namespace/")) else f"/api/v4{path}"
    target = target.replace("[.format]", ".zip").replace(":slug", "slack")
    sample = re.sub(r"[:*]\w+", "1", target)
    try:
        route(Request(method, sample, "", {}), world)
    except Refusal:
        return False
    return True


def test_every_endpoint_is_served_or_pending(worlds: list[World]) -> None:
    """Each endpoint of the specification and of python-gitlab is served or declared pending."""
    assert [] == [endpoint for endpoint in ENDPOINTS if endpoint not in PENDING and not is_served(worlds, endpoint)]


def test_pending_endpoints_are_not_served(worlds: list[World]) -> None:
    """The list shrinks with each operation that is added."""
    assert [] == [endpoint for endpoint in PENDING if is_served(worlds, endpoint) or endpoint not in ENDPOINTS]


OPERATIONS_OF_13_5: Final = read_table("docs/platform/operations-13.5.csv")


def explain_unknown(world: World, endpoint: Endpoint) -> str:
    """Return why a release does not know an operation; empty if it does, built or not."""
    method, path = endpoint
    sample = re.sub(r"[:*]\w+", "1", f"/api/v4{path}")
    try:
        route(Request(method, sample, "", {}), world)
    except OperationNotImplemented:
        return ""
    except Refusal as refusal:
        return reason_text(refusal.explain)
    return ""


def test_every_operation_of_the_release_is_known(worlds: list[World]) -> None:
    """Each operation of 13.5 is served or answers 501, never as an unknown route."""
    unknown = {endpoint: explain_unknown(worlds[0], endpoint) for endpoint in OPERATIONS_OF_13_5}

    assert {} == {endpoint: reason for endpoint, reason in unknown.items() if reason}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "groups/1/-/virtual_registries/cleanup/policy"),
        ("GET", "projects/1/ml/mlflow/api/2.0/mlflow/experiments/list"),
    ],
)
def test_a_method_of_a_later_release_is_an_unknown_route(worlds: list[World], method: str, path: str) -> None:
    """A method that a later release added to a path is 404 before it, and 501 from it on while it is not built."""
    before, newest = worlds
    request = Request(method, f"/api/v4/{path}", "", {})
    with pytest.raises(RouteNotFound) as refusal:
        route(request, before)
    assert {"error": "404 Not Found"} == refusal.value.payload
    with pytest.raises(OperationNotImplemented):
        route(request, newest)


def test_allow_names_only_the_methods_of_the_release(worlds: list[World]) -> None:
    """The header of a 405 leaves out methods that a later release added."""
    allowed = []
    for world in worlds:
        with pytest.raises(PageNotAllowed) as refusal:
            route(Request("DELETE", "/api/v4/user/status", "", {}), world)
        allowed.append(dict(refusal.value.response().headers)["Allow"])
    assert ["GET, HEAD, PUT", "GET, HEAD, PATCH, PUT"] == allowed
