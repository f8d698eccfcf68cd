"""The version of the instance. Source: docs/platform/version-and-metadata.md."""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import NO_ROUTE, UNAUTHORIZED, refusal


@pytest.mark.parametrize("viewer", ["eve", "ext", "root"])
def test_whoever_is_signed_in_reads_the_version(fakeplat: Fakeplat, viewer: str) -> None:
    """Two texts: three numbers, and a short revision."""
    reply = fakeplat.as_user(viewer).get("version")

    assert (200, {"version", "revision"}) == (reply.status, set(reply.json()))
    assert re.fullmatch(r"\d+\.\d+\.\d+", reply.json()["version"])
    assert re.fullmatch(r"[0-9a-f]{7,40}", reply.json()["revision"])


@pytest.mark.fakeplat(version="13.4.0")
def test_the_version_can_be_chosen(fakeplat: Fakeplat) -> None:
    """The instance says the version that it was given."""
    assert "13.4.0" == fakeplat.as_user("eve").get("version").json()["version"]


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [(None, "version", UNAUTHORIZED), ("eve", "metadata", NO_ROUTE), ("root", "metadata", NO_ROUTE)],
)
def test_versions_that_nobody_reads(fakeplat: Fakeplat, viewer: str | None, path: str, expected: Any) -> None:
    """Nobody reads the version; the metadata came after 13.5."""
    assert expected == refusal(fakeplat, viewer, "GET", path)


@pytest.mark.parametrize("path", ["/-/health", "/-/readiness", "/-/liveness"])
@pytest.mark.parametrize("viewer", [None, "eve"])
def test_health_is_told_to_everybody(fakeplat: Fakeplat, path: str, viewer: str | None) -> None:
    """The pages of health answer 200."""
    assert 200 == fakeplat.as_user(viewer).get(path).status
