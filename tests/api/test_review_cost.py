"""The cost of notes: as many steps in a full world as in an almost empty one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import orjson
import pytest

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from tests.api.review_company import MR, REVIEW_COMPANY
from tests.scenario.worlds import create_platform

FEW, MANY = 3, 300


class Steps:
    """How many functions were called."""

    def __init__(self) -> None:
        self.count = 0

    def step(self, frame: FrameType, event: str, _: Any) -> None:
        del frame
        self.count += event == "call"


@contextmanager
def count_steps() -> Iterator[Steps]:
    steps, before = Steps(), sys.getprofile()
    sys.setprofile(steps.step)
    try:
        yield steps
    finally:
        sys.setprofile(before)


def build_platform(talks: int, *, where: str) -> Platform:
    """The town with threads about the first merge request of a project, half of them settled."""
    threads = [
        {"notes": [{"author": "rep", "body": "x"}, {"author": "dev", "body": "y"}]}
        | ({"resolved_by": "dev"} if number % 2 else {})
        for number in range(talks)
    ]
    company = REVIEW_COMPANY["groups"][0]
    projects = [
        {
            **project,
            "merge_requests": [
                {**project["merge_requests"][0], "discussions": threads if project["path"] == where else []}
            ],
        }
        for project in company["projects"]
    ]
    return create_platform({**REVIEW_COMPANY, "groups": [{**company, "projects": projects}]})


def measure_steps(platform: Platform, method: str, path: str, **body: Any) -> int:
    """Return the number of function calls of a request, which was sent once before."""
    headers = {"private-token": "rep-token", "content-type": JSON}
    request = Request(method, f"/api/v4/{path}", "", headers, orjson.dumps(body) if body else b"")
    platform.handle(request)
    platform.handle(Request("PUT", f"/api/v4/{MR}", "", {**headers, "private-token": "dev-token"}, b'{"squash":true}'))
    with count_steps() as counter:
        assert platform.handle(request).status in (200, 201)
    return counter.count


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{MR}/notes", {"body": "See !1, @mia"}),
        ("POST", f"{MR}/discussions", {"body": "x"}),
        ("GET", f"{MR}/notes", {}),
        ("GET", f"{MR}/discussions", {}),
        ("GET", MR, {}),
    ],
)
def test_notes_elsewhere_cost_nothing(method: str, path: str, body: dict[str, Any]) -> None:
    """The cost of a request does not depend on notes of other merge requests."""
    few, many = (measure_steps(build_platform(talks, where="docs"), method, path, **body) for talks in (FEW, MANY))
    assert many <= few * 1.2


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("POST", f"{MR}/notes", {"body": "See !1, @mia"}), ("POST", f"{MR}/discussions", {"body": "x"}), ("GET", MR, {})],
)
def test_notes_on_the_same_cost_nothing(method: str, path: str, body: dict[str, Any]) -> None:
    """The cost of a request does not depend on the merge request's number of notes."""
    few, many = (measure_steps(build_platform(talks, where="site"), method, path, **body) for talks in (FEW, MANY))
    assert many <= few * 1.2
