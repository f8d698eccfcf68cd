"""Scopes of feature flags of the first version. Source: docs/platform/feature-flags.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, NO_ROUTE, Outcome, invalid, names, refusal

pytestmark = STARTER_AT_NINE
SITE = "projects/acme%2Fsite"
PATH = f"{SITE}/feature_flags/fresh"
SCOPES = f"{PATH}/scopes"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NO_HASHES: Outcome = (400, {"message": ["Scopes strategies must be an array of strategy hashes"]})
DEFAULT = {"name": "default", "parameters": {}}
USERS = {"name": "userWithId", "parameters": {"userIds": "a,b"}}
STAGING = {"environment_scope": "staging", "active": True, "strategies": [USERS]}


def create_flag(fake: Fakeplat, **fields: Any) -> None:
    """Create a flag that is on everywhere."""
    assert 201 == fake.as_user("dev").post(f"{SITE}/feature_flags", json={"name": "fresh", **fields}).status


def list_scopes(fake: Fakeplat) -> list[tuple[str, bool, list[Any]]]:
    """Return the scopes of the flag."""
    rows = fake.as_user("dev").get(SCOPES).json()
    return [(row["environment_scope"], row["active"], row["strategies"]) for row in rows]


def test_the_life_of_a_scope(fakeplat: Fakeplat) -> None:
    """Scopes of a flag are created, read, changed and deleted by the name of their environments."""
    create_flag(fakeplat)
    created = fakeplat.as_user("dev").post(SCOPES, json=STAGING)
    scope = created.json()
    keys = ["id", "active", "environment_scope", "strategies", "created_at", "updated_at"]
    assert (201, keys, "staging") == (created.status, list(scope), scope["environment_scope"])
    assert scope == fakeplat.as_user("dev").get(f"{SCOPES}/staging").json()

    changed = fakeplat.as_user("dev").put(f"{SCOPES}/staging", json={"active": False})
    assert (200, False, [USERS]) == (changed.status, changed.json()["active"], changed.json()["strategies"])
    assert [("*", True, [DEFAULT]), ("staging", False, [USERS])] == list_scopes(fakeplat)
    assert 204 == fakeplat.as_user("dev").delete(f"{SCOPES}/staging").status
    assert [("*", True, [DEFAULT])] == list_scopes(fakeplat)


def test_scopes_with_special_signs(fakeplat: Fakeplat) -> None:
    """The name of the environments is encoded in the path."""
    create_flag(fakeplat)
    fakeplat.as_user("dev").post(SCOPES, json={**STAGING, "environment_scope": "review/*"})

    assert "review/*" == fakeplat.as_user("dev").get(f"{SCOPES}/review%2F*").json()["environment_scope"]


def test_the_effective_scopes_of_an_environment(fakeplat: Fakeplat) -> None:
    """The most specific scope of each flag decides in an environment, if the flag itself is on."""
    create_flag(fakeplat)
    fakeplat.as_user("dev").post(SCOPES, json={**STAGING, "active": False})
    fakeplat.as_user("dev").post(f"{SITE}/feature_flags", json={"name": "off", "active": False})
    rows = fakeplat.as_user("dev").get(f"{SITE}/feature_flag_scopes?environment=staging").json()

    expected = [("off", False, "*"), ("fresh", False, "staging")]
    assert expected == [(row["name"], row["active"], row["environment_scope"]) for row in rows]
    rows = fakeplat.as_user("dev").get(f"{SITE}/feature_flag_scopes?environment=production").json()
    assert [False, True] == names(rows, "active")


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", f"{SITE}/feature_flag_scopes", None, invalid("environment is missing")),
        ("GET", f"{SITE}/feature_flags/none/scopes", None, NOT_FOUND),
        ("GET", f"{SCOPES}/none", None, NOT_FOUND),
        ("PUT", f"{SCOPES}/none", {"active": True}, NOT_FOUND),
        ("DELETE", f"{SCOPES}/none", None, NOT_FOUND),
        ("DELETE", f"{SCOPES}/*", None, (400, {"message": "default scope cannot be destroyed"})),
        ("POST", SCOPES, {"environment_scope": "x"}, invalid("active is missing, strategies is missing")),
        (
            "POST",
            SCOPES,
            {**STAGING, "environment_scope": "*"},
            (400, {"message": ["Scopes environment scope (*) has already been taken"]}),
        ),
        ("PUT", f"{SCOPES}/*", {"strategies": {}}, NO_HASHES),
        ("POST", SCOPES, {**STAGING, "strategies": None}, NO_HASHES),
        ("POST", f"{PATH}/enable", {"environment_scope": "*", "strategy": USERS}, (404, {"message": "404 Not Found"})),
    ],
    ids=[
        "no environment", "no flag", "no scope", "change none", "delete none", "default", "missing", "taken",
        "strategies", "no strategies", "feature off",
    ],
)  # fmt: skip
def test_refusals(fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome) -> None:
    """Unknown flags and scopes are 404, and invalid scopes 400."""
    create_flag(fakeplat)

    assert expected == refusal(fakeplat, "dev", method, path, json=body)


def test_flags_of_the_second_version_have_no_scopes(fakeplat: Fakeplat) -> None:
    """A flag of the second version takes no scopes."""
    create_flag(fakeplat, version="new_version_flag")
    expected = (400, {"message": ["Version associations version 2 feature flags may not have scopes"]})

    assert [] == list_scopes(fakeplat)
    assert expected == refusal(fakeplat, "dev", "POST", SCOPES, json=STAGING)


def test_reporters_may_not_read_scopes(fakeplat: Fakeplat) -> None:
    """Scopes of flags are for Developers."""
    create_flag(fakeplat)

    for method, path in (("GET", SCOPES), ("GET", f"{SCOPES}/*"), ("PUT", f"{SCOPES}/*"), ("DELETE", f"{SCOPES}/*")):
        assert FORBIDDEN == refusal(fakeplat, "rep", method, path)


def test_strategies_are_enabled_and_disabled(fakeplat: Fakeplat) -> None:
    """Where the platform's feature is on, a strategy is enabled and disabled by the names of flag and environments."""
    fakeplat.as_user("root").post("features/feature_flag_api", json={"value": True})
    fake = fakeplat.as_user("dev")
    staging = {"environment_scope": "staging", "strategy": USERS}
    created = fake.post(f"{PATH}/enable", json=staging)
    assert (200, "fresh") == (created.status, created.json()["name"])
    assert [("*", False, [DEFAULT]), ("staging", True, [USERS])] == list_scopes(fakeplat)

    fake.post(f"{PATH}/enable", json={**staging, "strategy": DEFAULT})
    assert ("staging", True, [USERS, DEFAULT]) == list_scopes(fakeplat)[1]
    fake.post(f"{PATH}/disable", json=staging)
    assert ("staging", True, [DEFAULT]) == list_scopes(fakeplat)[1]
    fake.post(f"{PATH}/disable", json={**staging, "strategy": DEFAULT})
    assert ["*"] == [scope for scope, _active, _strategies in list_scopes(fakeplat)]
    for path, body, text in (
        (f"{SITE}/feature_flags/none/disable", staging, "Feature Flag not found"),
        (f"{PATH}/disable", staging, "Feature Flag Scope not found"),
        (f"{PATH}/disable", {**staging, "environment_scope": "*"}, "Strategy not found"),
    ):
        assert (404, {"message": text}) == refusal(fakeplat, "dev", "POST", path, json=body)


@pytest.mark.fakeplat(version="14.0")
def test_scopes_end_with_the_first_version(fakeplat: Fakeplat) -> None:
    """From 14.0 on there are neither flags of the first version nor their scopes."""
    create_flag(fakeplat)

    assert NO_ROUTE == refusal(fakeplat, "dev", "GET", SCOPES)
