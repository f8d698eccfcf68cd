"""Software licenses that projects allow or deny. Source: docs/platform/projects.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.requests import (
    FORBIDDEN,
    NO_ROUTE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    missing_value,
    outcome,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, tier="ultimate")
PATH = "projects/acme%2Fsite/managed_licenses"
MIT = {"name": "MIT", "approval_status": "approved"}
TWICE: Outcome = (400, {"message": {"software_license": ["has already been taken"]}})
UNKNOWN = resource_not_found("SoftwareLicensePolicy")


def create_license(fake: Fakeplat) -> dict[str, Any]:
    """Allow a license."""
    reply = fake.as_user("mia").post(PATH, json=MIT)
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def test_the_life_of_a_license(fakeplat: Fakeplat) -> None:
    """Licenses are allowed and denied by maintainers, and found by their id or their name."""
    license_ = create_license(fakeplat)
    assert {"id": license_["id"], **MIT} == license_
    assert [license_] == fakeplat.as_user("rep").get(PATH).json()
    assert license_ == fakeplat.as_user("rep").get(f"{PATH}/{license_['id']}").json()
    assert license_ == fakeplat.as_user("rep").get(f"{PATH}/mit").json()

    changed = fakeplat.as_user("mia").patch(f"{PATH}/MIT", json={"name": "X", "approval_status": "blacklisted"})
    assert (200, {**license_, "approval_status": "blacklisted"}) == outcome(changed)
    assert 204 == fakeplat.as_user("mia").delete(f"{PATH}/MIT").status
    assert [] == fakeplat.as_user("rep").get(PATH).json()


@pytest.mark.parametrize(
    ("by", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{PATH}/MIT", None, UNAUTHORIZED),
        (None, "GET", PATH, None, resource_not_found("Project")),
        ("gus", "GET", PATH, None, FORBIDDEN),
        ("dev", "POST", PATH, {"name": "GPL", "approval_status": "approved"}, FORBIDDEN),
        ("dev", "PATCH", f"{PATH}/MIT", {}, FORBIDDEN),
        ("dev", "DELETE", f"{PATH}/MIT", None, FORBIDDEN),
        ("mia", "POST", PATH, {"name": "X"}, invalid(missing_value("approval_status"))),
        ("mia", "POST", PATH, {**MIT, "name": "mit"}, TWICE),
        ("mia", "GET", f"{PATH}/1", None, UNKNOWN),
        ("mia", "PATCH", f"{PATH}/1", {}, UNKNOWN),
        ("mia", "DELETE", f"{PATH}/1", None, UNKNOWN),
    ],
    ids=["one", "all", "guest", "create", "change", "delete", "half", "twice", "none", "change none", "delete none"],
)  # fmt: skip
def test_refusals(fakeplat: Fakeplat, by: str, method: str, path: str, body: Any, expected: Outcome) -> None:
    """Reporters read the licenses, maintainers change them, and a license is in a project once."""
    create_license(fakeplat)

    assert expected == refusal(fakeplat, by, method, path, json=body)


@pytest.mark.fakeplat(version="16.0")
def test_managed_licenses_end(fakeplat: Fakeplat) -> None:
    """From 16.0 on there are no managed licenses."""
    assert NO_ROUTE == refusal(fakeplat, "mia", "GET", PATH)
