"""What groups decide for packages, by GraphQL. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import OWNERS_ADMINISTER_PACKAGES
from tests.api.company import COMPANY
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
FIELDS = (
    "mavenDuplicatesAllowed mavenDuplicateExceptionRegex genericDuplicatesAllowed nugetDuplicatesAllowed "
    "terraformModuleDuplicatesAllowed npmPackageRequestsForwarding lockNpmPackageRequestsForwarding "
    "nugetSymbolServerEnabled"
)
DEFAULTS = {
    "mavenDuplicatesAllowed": True,
    "mavenDuplicateExceptionRegex": "",
    "genericDuplicatesAllowed": True,
    "nugetDuplicatesAllowed": True,
    "terraformModuleDuplicatesAllowed": False,
    "npmPackageRequestsForwarding": None,
    "lockNpmPackageRequestsForwarding": False,
    "nugetSymbolServerEnabled": False,
}


def run_query(fake: Fakeplat, user: str | None, query: str) -> Any:
    url = f"{fake.url}/api/graphql"
    return fake.as_user(user).post(url, json={"query": query}).json()


def read_settings(fake: Fakeplat, user: str) -> Any:
    return run_query(fake, user, f'{{ group(fullPath: "acme") {{ packageSettings {{ {FIELDS} }} }} }}')["data"]["group"]


def change_settings(fake: Fakeplat, user: str, changes: str) -> Any:
    text = f'namespacePath: "acme", {changes}'
    selection = f"packageSettings {{ {FIELDS} }} errors"
    query = f"mutation {{ updateNamespacePackageSettings(input: {{ {text} }}) {{ {selection} }} }}"
    return run_query(fake, user, query)


def test_owners_read_and_change_the_settings(fakeplat: Fakeplat) -> None:
    """An Owner reads and changes what a group decides for packages; others do not see it."""
    assert {"packageSettings": DEFAULTS} == read_settings(fakeplat, "ada")
    assert {"packageSettings": None} == read_settings(fakeplat, "dev")
    changes = 'mavenDuplicatesAllowed: false, mavenDuplicateExceptionRegex: "a.*", npmPackageRequestsForwarding: false'
    payload = change_settings(fakeplat, "ada", changes)["data"]["updateNamespacePackageSettings"]
    expected = {
        **DEFAULTS,
        "mavenDuplicatesAllowed": False,
        "mavenDuplicateExceptionRegex": "a.*",
        "npmPackageRequestsForwarding": False,
    }
    assert {"packageSettings": expected, "errors": []} == payload
    assert {"packageSettings": expected} == read_settings(fakeplat, "ada")
    change_settings(fakeplat, "ada", "npmPackageRequestsForwarding: null, nugetSymbolServerEnabled: true")
    settings = read_settings(fakeplat, "ada")["packageSettings"]
    assert (None, True) == (settings["npmPackageRequestsForwarding"], settings["nugetSymbolServerEnabled"])


@by_release(OWNERS_ADMINISTER_PACKAGES, "is_allowed", {"16.11": True, "17.0": False})
def test_maintainers_had_the_settings_before(fakeplat: Fakeplat, *, is_allowed: bool) -> None:
    """Until 17.0 Maintainers read and changed what a group decides for packages."""
    settings = run_query(fakeplat, "mia", '{ group(fullPath: "acme") { packageSettings { mavenDuplicatesAllowed } } }')
    assert is_allowed == (settings["data"]["group"]["packageSettings"] is not None)
    assert is_allowed == ("errors" not in change_settings(fakeplat, "mia", "mavenDuplicatesAllowed: false"))


@pytest.mark.parametrize("user", ["mia", "dev", "eve"])
def test_others_change_nothing(fakeplat: Fakeplat, user: str) -> None:
    """Who is no Owner changes nothing."""
    before = fakeplat.bench.platform.state
    assert "errors" in change_settings(fakeplat, user, "mavenDuplicatesAllowed: false")
    assert before is fakeplat.bench.platform.state


def test_expressions_are_checked(fakeplat: Fakeplat) -> None:
    """An expression of exceptions is valid and has at most 255 characters."""
    payload = change_settings(fakeplat, "ada", f'mavenDuplicateExceptionRegex: "{"a" * 256}"')
    (error,) = payload["data"]["updateNamespacePackageSettings"]["errors"]
    assert "Maven duplicate exception regex is too long (maximum is 255 characters)" == error
    payload = change_settings(fakeplat, "ada", 'mavenDuplicateExceptionRegex: "["')
    assert "not valid RE2 syntax" in str(payload)
    assert {"packageSettings": DEFAULTS} == read_settings(fakeplat, "ada")


LOCKS = "mavenPackageRequestsForwardingLocked npmPackageRequestsForwardingLocked pypiPackageRequestsForwardingLocked"


@pytest.mark.fakeplat(version="15.8")
def test_a_group_above_locks_its_decision(fakeplat: Fakeplat) -> None:
    """A subgroup tells that a group above has locked its decision; the group itself is not locked."""
    parent = fakeplat.as_user("ada").get("groups/acme").json()["id"]
    fakeplat.as_user("ada").post("groups", json={"name": "Sub", "path": "sub", "parent_id": parent})
    text = 'namespacePath: "acme", npmPackageRequestsForwarding: false, lockNpmPackageRequestsForwarding: true'
    run_query(fakeplat, "ada", f"mutation {{ updateNamespacePackageSettings(input: {{ {text} }}) {{ errors }} }}")
    for path, is_locked in (("acme", False), ("acme/sub", True)):
        query = f'{{ group(fullPath: "{path}") {{ packageSettings {{ {LOCKS} }} }} }}'
        assert {
            "mavenPackageRequestsForwardingLocked": False,
            "npmPackageRequestsForwardingLocked": is_locked,
            "pypiPackageRequestsForwardingLocked": False,
        } == run_query(fakeplat, "ada", query)["data"]["group"]["packageSettings"]


@pytest.mark.fakeplat(version="13.9")
def test_namespaces_show_the_settings(fakeplat: Fakeplat) -> None:
    """The namespaces of groups and of users show the settings, to those who administer them."""
    text = 'namespacePath: "acme", mavenDuplicatesAllowed: false'
    run_query(fakeplat, "ada", f"mutation {{ updateNamespacePackageSettings(input: {{ {text} }}) {{ errors }} }}")
    shown = "packageSettings { mavenDuplicatesAllowed }"
    for user, path, expected in (
        ("ada", "acme", {"mavenDuplicatesAllowed": False}),
        ("dev", "acme", None),
        ("dev", "dev", {"mavenDuplicatesAllowed": True}),
    ):
        query = f'{{ namespace(fullPath: "{path}") {{ {shown} }} }}'
        assert {"packageSettings": expected} == run_query(fakeplat, user, query)["data"]["namespace"], (user, path)
