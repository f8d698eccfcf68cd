"""Every endpoint that matters is served. Source: docs/platform/endpoints.csv, with priorities from 1, the highest."""

import csv
import re
from typing import Final

import pytest

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.model.world import World
from fakeplat.pipeline import route
from tests.architecture.sources import ROOT
from tests.scenario.worlds import create_platform

Endpoint = tuple[str, str]


def read(path: str) -> list[Endpoint]:
    """Return methods and paths of a table."""
    with (ROOT / path).open(encoding="utf-8", newline="") as table:
        return [(row["method"], row["path"]) for row in csv.DictReader(table)]


ENDPOINTS: Final = read("docs/platform/endpoints.csv")
PENDING: Final = read("tests/api/pending_endpoints.csv")
"""Endpoints that are not served yet. The list must become empty."""


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    """The documented release and the newest one, as some endpoints came soon after."""
    instances = ({"tier": "ultimate"}, {"tier": "ultimate", "newer": True})
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
    """Those of the specification and of python-gitlab, with the first two priorities."""
    assert [] == [endpoint for endpoint in ENDPOINTS if endpoint not in PENDING and not is_served(worlds, endpoint)]


def test_what_is_served_is_not_pending(worlds: list[World]) -> None:
    """The list shrinks with each operation that is added."""
    assert [] == [endpoint for endpoint in PENDING if is_served(worlds, endpoint) or endpoint not in ENDPOINTS]
