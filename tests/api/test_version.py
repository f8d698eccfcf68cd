"""The version of the instance. Source: docs/platform/version-and-metadata.md."""

import re
from typing import Any

import pytest

from fakeplat.harness.caller import UserClient
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import METADATA_HAS_EDITION, VERSION_IS_METADATA
from tests.api.requests import NO_ROUTE, UNAUTHORIZED, refusal
from tests.by_release import by_release
from tests.scenario.worlds import create_platform


@pytest.mark.parametrize("viewer", ["eve", "ext", "root"])
def test_signed_in_users_read_the_version(fakeplat: Fakeplat, viewer: str) -> None:
    """Signed-in users read the version and revision."""
    reply = fakeplat.as_user(viewer).get("version")

    assert (200, {"version", "revision"}) == (reply.status, set(reply.json()))
    assert re.fullmatch(r"\d+\.\d+\.\d+", reply.json()["version"])
    assert re.fullmatch(r"[0-9a-f]{7,40}", reply.json()["revision"])


@pytest.mark.fakeplat(version="17.10.2-ee")
def test_the_version_can_be_chosen(fakeplat: Fakeplat) -> None:
    """The instance says the version that it was given."""
    assert "17.10.2-ee" == fakeplat.as_user("eve").get("version").json()["version"]


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [(None, "version", UNAUTHORIZED), ("eve", "metadata", NO_ROUTE), ("root", "metadata", NO_ROUTE)],
)
def test_versions_that_nobody_reads(fakeplat: Fakeplat, viewer: str | None, path: str, expected: Any) -> None:
    """The version requires a login, and the metadata does not exist in 13.5."""
    assert expected == refusal(fakeplat, viewer, "GET", path)


@pytest.mark.parametrize("path", ["/-/health", "/-/readiness", "/-/liveness"])
@pytest.mark.parametrize("viewer", [None, "eve"])
def test_health_is_public(fakeplat: Fakeplat, path: str, viewer: str | None) -> None:
    """The pages of health answer 200."""
    assert 200 == fakeplat.as_user(viewer).get(path).status


@pytest.mark.parametrize(
    ("version", "paths", "keys"),
    [
        pytest.param("15.1.0", ("version",), {"version", "revision"}, id="15.1"),
        pytest.param("15.5.0", ("version", "metadata"), {"version", "revision", "kas"}, id="15.5"),
        pytest.param("15.6.0", ("version", "metadata"), {"version", "revision", "kas", "enterprise"}, id="15.6"),
        pytest.param("16.0.0", ("version", "metadata"), {"version", "revision", "kas", "enterprise"}, id="16.0"),
    ],
)
def test_version_and_metadata_are_the_same_since_15_5(version: str, paths: tuple[str, ...], keys: set[str]) -> None:
    """From 15.5 on version and metadata are equal."""
    world = create_platform({"extends": "starter", "instance": {"version": version, "tier": "premium"}})
    fake = UserClient(world, "http://localhost", "dev-token")
    bodies = [fake.get(path).json() for path in paths]

    assert [keys] * len(paths) == [set(body) for body in bodies]
    assert bodies == [bodies[0]] * len(paths)
    kas = {"enabled": False, "externalUrl": None, "version": None}
    assert kas == bodies[0].get("kas", kas)
    assert True is bodies[0].get("enterprise", True)


@by_release(METADATA_HAS_EDITION, "has_edition", {"15.5": False, "15.6": True})
def test_the_metadata_tells_the_edition(fakeplat: Fakeplat, has_edition: bool) -> None:
    """The metadata says from 15.6 on whether the instance is of the enterprise edition."""
    assert has_edition is ("enterprise" in fakeplat.as_user("dev").get("metadata").json())


@by_release(VERSION_IS_METADATA, "more", {"15.4": set(), "15.5": {"kas"}})
def test_only_the_metadata_has_more_before_15_5(fakeplat: Fakeplat, more: set[str]) -> None:
    """From 15.2 on metadata exists, and the version shows more from 15.5 on."""
    assert {"version", "revision", *more} == set(fakeplat.as_user("dev").get("version").json())
    assert {"version", "revision", "kas"} == set(fakeplat.as_user("dev").get("metadata").json())
